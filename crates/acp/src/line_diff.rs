//! Two texts as the lines that changed between them.

use contract::{DiffHunk, FileDiff};
use similar::{ChangeTag, TextDiff};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;
/// Lines of both texts up to which the smallest difference is looked for; its cost grows with their square.
const COMPARED: usize = 5_000;
/// Lines and bytes of one file's change that are shown. Each change of a call tells its diff again, so it is kept small.
const SHOWN_LINES: usize = 10_000;
const SHOWN_BYTES: usize = 512 * 1024;

pub(crate) fn file_diff(path: String, old: &str, new: &str) -> FileDiff {
    let lines = old.lines().count() + new.lines().count();
    let hunks = if lines > COMPARED { replaced(old, new) } else { compared(old, new) };
    FileDiff { path, hunks }
}

fn compared(old: &str, new: &str) -> Vec<DiffHunk> {
    let diff = TextDiff::from_lines(old, new);
    let mut room = Room::default();
    let groups = diff.grouped_ops(CONTEXT);
    let hunks = groups.iter().map(|group| {
        let lines = group.iter().flat_map(|op| diff.iter_changes(op));
        let lines = lines.map(|change| {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            (mark, change.value())
        });
        let starts = group.first().map(|op| (op.old_range().start, op.new_range().start));
        hunk(starts.unwrap_or_default(), lines, &mut room)
    });
    hunks.collect()
}

/// Everything between the common beginning and the common end, taken away and put in.
/// The texts may be millions of lines: they are walked through, never listed.
fn replaced(old: &str, new: &str) -> Vec<DiffHunk> {
    let (old_count, new_count) = (old.lines().count(), new.lines().count());
    let start = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (old_count - start, new_count - start);
    let ends = old.lines().rev().zip(new.lines().rev()).take(old_rest.min(new_rest));
    let same = ends.take_while(|(old, new)| old == new).count();
    let removed = old.lines().skip(start).take(old_rest - same).map(|line| ('-', line));
    let added = new.lines().skip(start).take(new_rest - same).map(|line| ('+', line));
    if old_rest == same && new_rest == same {
        return Vec::new();
    }
    vec![hunk((start, start), removed.chain(added), &mut Room::default())]
}

/// What may still be shown of a file's change.
struct Room {
    lines: usize,
    bytes: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { lines: SHOWN_LINES, bytes: SHOWN_BYTES }
    }
}

impl Room {
    fn takes(&mut self, line: &str) -> bool {
        let fits = self.lines > 0 && line.len() <= self.bytes;
        if fits {
            self.lines -= 1;
            self.bytes -= line.len();
        } else {
            // What follows a line that is left out is left out as well: a diff has no holes.
            self.lines = 0;
        }
        fits
    }
}

/// The counts are of the whole change. Lines that are left out are told by one that is marked as in diffs of files
/// without a last line break: `\ 12 more lines`.
fn hunk<'a>(
    (old_start, new_start): (usize, usize),
    lines: impl Iterator<Item = (char, &'a str)>,
    room: &mut Room,
) -> DiffHunk {
    let (mut old_lines, mut new_lines, mut left_out) = (0, 0, 0_usize);
    let mut shown = Vec::new();
    for (mark, line) in lines {
        old_lines += usize::from(mark != '+');
        new_lines += usize::from(mark != '-');
        let line = line.trim_end_matches(['\n', '\r']);
        if room.takes(line) {
            shown.push(format!("{mark}{line}"));
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        shown.push(format!("\\ {left_out} more lines"));
    }
    // Lines are numbered from 1; a side without lines stands after the line that it follows.
    let begin = |start: usize, lines: usize| number(if lines == 0 { start } else { start + 1 });
    DiffHunk {
        old_start: begin(old_start, old_lines),
        old_lines: number(old_lines),
        new_start: begin(new_start, new_lines),
        new_lines: number(new_lines),
        lines: shown,
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

    #[test]
    fn a_change_of_millions_of_lines_is_shown_by_its_beginning() {
        let hunks = hunks(&"\n".repeat(2_000_000), &"x\n".repeat(1_000_000));
        let [hunk] = hunks.as_slice() else { panic!("one hunk: {}", hunks.len()) };
        assert_eq!((hunk.old_lines, hunk.new_lines), (2_000_000, 1_000_000));
        assert_eq!(hunk.lines.len(), SHOWN_LINES + 1);
        assert_eq!(hunk.lines.last().unwrap(), "\\ 2990000 more lines");
    }

    #[test]
    fn a_long_line_takes_the_room_of_many() {
        let (old, long) = ("a\n", "y".repeat(SHOWN_BYTES));
        let hunks = hunks(old, &format!("b\n{long}\nc\n"));
        assert_eq!(hunks[0].lines, ["-a", "+b", "\\ 2 more lines"]);
        assert_eq!((hunks[0].old_lines, hunks[0].new_lines), (1, 3));
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
