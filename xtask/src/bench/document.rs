//! Replaces one benchmark's section between its markers in a markdown document.

use anyhow::{Context, Result};

/// What the document is before the first benchmark has run.
pub(super) const EMPTY: &str = "# Benchmarks\n";

/// Puts `output` between the markers of `name`; without markers it becomes a new section at the end.
pub(super) fn with_section(document: &str, name: &str, output: &str) -> Result<String> {
    let open = format!("<!-- bench:{name} -->");
    let close = format!("<!-- /bench:{name} -->");
    let section = format!("{open}\n\n{}\n\n{close}", output.trim());
    let Some((before, rest)) = document.split_once(&open) else {
        return Ok(format!("{}\n\n## {name}\n\n{section}\n", document.trim_end()));
    };
    let (_, after) = rest.split_once(&close).with_context(|| format!("`{close}` is missing"))?;
    Ok(format!("{before}{section}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_between_the_markers_is_replaced_and_nothing_else() {
        let document = "# B\n\nWhy.\n\n<!-- bench:a -->\nold\n<!-- /bench:a -->\n\nAfter.\n";
        assert_eq!(
            with_section(document, "a", "| new |\n").unwrap(),
            "# B\n\nWhy.\n\n<!-- bench:a -->\n\n| new |\n\n<!-- /bench:a -->\n\nAfter.\n"
        );
    }

    #[test]
    fn refreshing_twice_changes_nothing_more() {
        let once = with_section(EMPTY, "a", "text").unwrap();
        assert_eq!(with_section(&once, "a", "text").unwrap(), once);
    }

    #[test]
    fn missing_markers_are_appended_as_a_section() {
        assert_eq!(
            with_section(EMPTY, "a", "text").unwrap(),
            "# Benchmarks\n\n## a\n\n<!-- bench:a -->\n\ntext\n\n<!-- /bench:a -->\n"
        );
    }

    #[test]
    fn a_section_that_never_closes_is_an_error() {
        assert!(with_section("<!-- bench:a -->\nold\n", "a", "text").is_err());
    }
}
