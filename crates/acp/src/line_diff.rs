//! Two texts as the lines that changed between them.

use contract::{DiffHunk, FileDiff};
use similar::{ChangeTag, TextDiff};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;
/// Lines of both texts up to which the smallest difference is looked for; its cost grows with their square.
const COMPARED: usize = 5_000;

pub(crate) fn file_diff(path: String, old: &str, new: &str) -> FileDiff {
    let lines = old.lines().count() + new.lines().count();
    let hunks = if lines > COMPARED { replaced(old, new) } else { compared(old, new) };
    FileDiff { path, hunks }
}

fn compared(old: &str, new: &str) -> Vec<DiffHunk> {
    let diff = TextDiff::from_lines(old, new);
    let groups = diff.grouped_ops(CONTEXT);
    let hunks = groups.iter().map(|group| {
        let lines = group.iter().flat_map(|op| diff.iter_changes(op));
        let lines = lines.map(|change| {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            marked(mark, change.value())
        });
        let starts = group.first().map(|op| (op.old_range().start, op.new_range().start));
        hunk(starts.unwrap_or_default(), lines.collect())
    });
    hunks.collect()
}

/// Everything between the common beginning and the common end, taken away and put in.
fn replaced(old: &str, new: &str) -> Vec<DiffHunk> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let removed = old.iter().take(old.len() - same).map(|line| marked('-', line));
    let added = new.iter().take(new.len() - same).map(|line| marked('+', line));
    let lines: Vec<String> = removed.chain(added).collect();
    if lines.is_empty() { Vec::new() } else { vec![hunk((start, start), lines)] }
}

fn marked(mark: char, line: &str) -> String {
    format!("{mark}{}", line.trim_end_matches(['\n', '\r']))
}

fn hunk((old_start, new_start): (usize, usize), lines: Vec<String>) -> DiffHunk {
    let count = |mark: char| lines.iter().filter(|line| !line.starts_with(mark)).count();
    let (old_lines, new_lines) = (count('+'), count('-'));
    // Lines are numbered from 1; a side without lines stands after the line that it follows.
    let begin = |start: usize, lines: usize| number(if lines == 0 { start } else { start + 1 });
    DiffHunk {
        old_start: begin(old_start, old_lines),
        old_lines: number(old_lines),
        new_start: begin(new_start, new_lines),
        new_lines: number(new_lines),
        lines,
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hunks(old: &str, new: &str) -> Vec<DiffHunk> {
        file_diff("f".to_owned(), old, new).hunks
    }

    #[test]
    fn a_change_stands_with_the_lines_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let hunks = hunks(old, &old.replace("5\n", "five\n5b\n"));
        let [hunk] = hunks.as_slice() else { panic!("one hunk: {hunks:?}") };
        assert_eq!(hunk.lines, [" 2", " 3", " 4", "-5", "+five", "+5b", " 6", " 7", " 8"]);
        assert_eq!((hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines), (2, 7, 2, 8));
    }

    #[test]
    fn a_new_file_is_all_added() {
        let hunks = hunks("", "a\nb");
        assert_eq!(hunks[0].lines, ["+a", "+b"]);
        assert_eq!((hunks[0].old_start, hunks[0].old_lines, hunks[0].new_start), (0, 0, 1));
    }

    #[test]
    fn long_texts_are_told_by_what_was_replaced() {
        let old: String = (0..4000).map(|n| format!("{n}\n")).collect();
        let hunks = hunks(&old, &old.replace("\n2000\n", "\ntwo\nthousand\n"));
        assert_eq!(hunks[0].lines, ["-2000", "+two", "+thousand"]);
        assert_eq!((hunks[0].old_start, hunks[0].new_lines), (2001, 2));
    }

    fn apply(old: &str, hunks: &[DiffHunk]) -> Vec<String> {
        let old: Vec<&str> = old.lines().collect();
        let mut new = Vec::new();
        let mut taken = 0;
        for hunk in hunks {
            let skip = if hunk.old_lines == 0 { hunk.old_start } else { hunk.old_start - 1 };
            new.extend(old[taken..skip as usize].iter().map(ToString::to_string));
            taken = (skip + hunk.old_lines) as usize;
            let kept = hunk.lines.iter().filter(|line| !line.starts_with('-'));
            new.extend(kept.map(|line| line[1..].to_owned()));
        }
        new.extend(old[taken..].iter().map(ToString::to_string));
        new
    }

    proptest! {
        #[test]
        fn a_diff_applied_to_the_old_text_is_the_new_one(
            old in "([ab]\n){0,12}", new in "([abc]\n){0,12}",
        ) {
            let lines: Vec<String> = new.lines().map(str::to_owned).collect();
            prop_assert_eq!(&apply(&old, &hunks(&old, &new)), &lines);
            prop_assert_eq!(apply(&old, &replaced(&old, &new)), lines);
        }
    }
}
