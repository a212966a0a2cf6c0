//! What the agent says; pure.

mod help;
mod pieces;
mod steps;

pub(crate) use help::{greeting, not_understood, unclear};
pub(crate) use pieces::{pieces, words};
pub(crate) use steps::Steps;

/// A code block whose fence is longer than any inside it.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    let ending = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{ending}{fence}\n")
}

const LONGEST_TITLE: usize = 60;

/// The first line that says something, or its beginning.
pub(crate) fn title(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("(no text)").trim();
    if line.chars().count() <= LONGEST_TITLE {
        return line.to_owned();
    }
    line.chars().take(LONGEST_TITLE).chain(['…']).collect()
}

/// `1 file`, `2 files`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_block_cannot_be_left_from_inside() {
        assert_eq!(fenced("md", "a"), "```md\na\n```\n");
        assert_eq!(fenced("", "```\nb\n```\n"), "````\n```\nb\n```\n````\n");
        assert_eq!(fenced("", ""), "```\n```\n");
    }

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(title("\n one \ntwo"), "one");
        assert_eq!(title(""), "(no text)");
        assert_eq!(title(&"é".repeat(100)).chars().count(), LONGEST_TITLE + 1);
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(0, "file"), "0 files");
    }
}
