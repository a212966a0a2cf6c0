//! Patches as changed lines: what Codex says it changed, or else what the patch asked for.

use contract::{DiffHunk, FileDiff};
use serde_json::{Map, Value};

use crate::line_diff::file_diff;

/// The files that a patch in Codex's format is about. The lines that it stands on are not told, so they are counted
/// within what the patch shows.
pub(super) fn of_text(patch: &str, cwd: &str) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    for line in patch.lines() {
        let after = |start: &str| line.strip_prefix(start).map(str::trim);
        let begun = ["*** Add File: ", "*** Update File: ", "*** Delete File: "];
        if let Some(path) = begun.iter().find_map(|start| after(start)) {
            files.push(FileDiff { path: absolute(path, cwd), hunks: Vec::new() });
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        if let Some(path) = after("*** Move to: ") {
            file.path = absolute(path, cwd);
        } else if line.starts_with("@@") {
            file.hunks.push(next_hunk(&file.hunks));
        } else if line.starts_with(['+', '-', ' ']) {
            if file.hunks.is_empty() {
                file.hunks.push(next_hunk(&[]));
            }
            file.hunks.iter_mut().next_back().into_iter().for_each(|hunk| push(hunk, line));
        }
    }
    for file in &mut files {
        file.hunks.retain(|hunk| !hunk.lines.is_empty());
        file.hunks.iter_mut().for_each(settle);
    }
    files
}

/// The files of a `patch_apply_end`.
pub(super) fn of_changes(changes: &Map<String, Value>) -> Vec<FileDiff> {
    let files = changes.iter().map(|(path, change)| {
        let text = |name: &str| change.get(name).and_then(Value::as_str);
        let path = text("move_path").unwrap_or(path).to_owned();
        match (text("type"), text("unified_diff")) {
            (_, Some(diff)) => FileDiff { path, hunks: of_unified(diff) },
            (Some("delete"), None) => file_diff(path, text("content").unwrap_or_default(), ""),
            (_, None) => file_diff(path, "", text("content").unwrap_or_default()),
        }
    });
    files.collect()
}

fn of_unified(diff: &str) -> Vec<DiffHunk> {
    let mut hunks: Vec<DiffHunk> = Vec::new();
    for line in diff.lines() {
        match (starts(line), hunks.last_mut()) {
            (Some((old, new)), _) => hunks.push(hunk(old, new)),
            (None, Some(hunk)) if line.starts_with(['+', '-', ' ']) => push(hunk, line),
            (None, _) => {}
        }
    }
    hunks
}

/// `@@ -1,3 +1,4 @@` → where the lines stand on both sides.
fn starts(line: &str) -> Option<(u32, u32)> {
    let mut sides = line.strip_prefix("@@ -")?.split_whitespace();
    let start = |side: &str| side.split(',').next()?.parse().ok();
    let old = start(sides.next()?)?;
    let new = start(sides.next()?.strip_prefix('+')?)?;
    Some((old, new))
}

fn hunk(old_start: u32, new_start: u32) -> DiffHunk {
    DiffHunk { old_start, old_lines: 0, new_start, new_lines: 0, lines: Vec::new() }
}

/// A hunk that follows the ones before without a gap.
fn next_hunk(before: &[DiffHunk]) -> DiffHunk {
    let (old, new) = before.last().map_or((1, 1), |last| {
        (
            last.old_start.saturating_add(last.old_lines),
            last.new_start.saturating_add(last.new_lines),
        )
    });
    hunk(old, new)
}

fn push(hunk: &mut DiffHunk, line: &str) {
    let (old, new) = match line.chars().next() {
        Some('+') => (0, 1),
        Some('-') => (1, 0),
        Some(_) | None => (1, 1),
    };
    hunk.old_lines = hunk.old_lines.saturating_add(old);
    hunk.new_lines = hunk.new_lines.saturating_add(new);
    hunk.lines.push(line.to_owned());
}

/// A side without lines stands after the line that it follows.
fn settle(hunk: &mut DiffHunk) {
    let before = |start: u32, lines: u32| if lines == 0 { start.saturating_sub(1) } else { start };
    hunk.old_start = before(hunk.old_start, hunk.old_lines);
    hunk.new_start = before(hunk.new_start, hunk.new_lines);
}

fn absolute(path: &str, cwd: &str) -> String {
    if path.starts_with('/') || cwd.is_empty() {
        return path.to_owned();
    }
    format!("{}/{path}", cwd.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_patch_is_the_lines_that_it_asks_for() {
        let patch = "*** Begin Patch\n*** Update File: notes\n*** Move to: there\n@@ fn a\n one\n-two\n+zwei\n@@\n-x\n*** Add File: /abs/new\n+hello\n*** Delete File: gone\n*** End Patch\n";
        let files = of_text(patch, "/home/dev/");
        let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["/home/dev/there", "/abs/new", "/home/dev/gone"]);
        assert_eq!(files[0].hunks[0].lines, [" one", "-two", "+zwei"]);
        let places =
            |hunk: &DiffHunk| (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines);
        assert_eq!(places(&files[0].hunks[0]), (1, 2, 1, 2));
        assert_eq!(places(&files[0].hunks[1]), (3, 1, 2, 0));
        assert_eq!(places(&files[1].hunks[0]), (0, 0, 1, 1));
        assert_eq!(files[2].hunks, []);
        assert_eq!(of_text("+stray\n@@\nnothing", "/"), []);
    }

    #[test]
    fn changes_stand_where_codex_says() {
        let update = json!({"type": "update", "unified_diff": "@@ -4,2 +5,2 @@ fn\n a\n-b\n+c\n\\ No newline\n"});
        let changes = json!({"/f": update, "/g": {"type": "add", "content": "x\n"}, "/h": {"type": "delete", "content": "y\n"}});
        let files = of_changes(changes.as_object().unwrap());
        assert_eq!(files[0].hunks[0].lines, [" a", "-b", "+c"]);
        assert_eq!((files[0].hunks[0].old_start, files[0].hunks[0].new_start), (4, 5));
        assert_eq!(
            (&files[1].hunks[0].lines[0], &files[2].hunks[0].lines[0]),
            (&"+x".to_owned(), &"-y".to_owned())
        );
    }
}
