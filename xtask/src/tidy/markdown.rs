//! Finds where the links of a markdown text point to.

/// The targets of all links, as written, without those inside code.
pub(super) fn link_targets(markdown: &str) -> Vec<String> {
    let mut targets = Vec::new();
    let mut in_code_block = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            in_code_block = !in_code_block;
        } else if !in_code_block {
            let line = without_code_spans(line);
            targets.extend(inline_targets(&line));
            targets.extend(definition_target(&line));
        }
    }
    targets
}

fn without_code_spans(line: &str) -> String {
    // Every second piece lies between two backticks.
    line.split('`').step_by(2).collect()
}

/// Finds `[text](target)` and `[text](target "title")`.
fn inline_targets(line: &str) -> Vec<String> {
    let after_text = line.split("](").skip(1);
    after_text.filter_map(|rest| rest.split_once(')')).map(|(inside, _)| bare(inside)).collect()
}

/// Finds `[label]: target`, but not the footnote `[^1]: text`.
fn definition_target(line: &str) -> Option<String> {
    let label = line.trim_start().strip_prefix('[').filter(|label| !label.starts_with('^'))?;
    let (_, target) = label.split_once("]: ")?;
    Some(bare(target))
}

fn bare(target: &str) -> String {
    let target = target.split_whitespace().next().unwrap_or_default();
    target.trim_start_matches('<').trim_end_matches('>').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(markdown: &str, expected: &[&str]) {
        assert_eq!(link_targets(markdown), expected);
    }

    #[test]
    fn links_are_found() {
        check("See [a](a.md) and [b](../b.md#part \"title\").", &["a.md", "../b.md#part"]);
        check("[`code`](c.md) ![image](d.png)", &["c.md", "d.png"]);
        check("[label]: <e.md>", &["e.md"]);
        check("a [text over\ntwo lines](f.md)", &["f.md"]);
    }

    #[test]
    fn code_and_footnotes_are_no_links() {
        check("```\n[a](a.md)\n```\n`[b](b.md)`\n[^1]: a note", &[]);
    }
}
