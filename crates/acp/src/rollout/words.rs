//! Who said what: prompts of people, and what Codex puts between them for its model.

use serde_json::Value;

/// As much of a prompt as names a session.
const TITLE: usize = 80;
/// Editors put their context before it.
const REQUEST: &str = "## My request for Codex:";

/// How texts begin that Codex says to its model in the user's name, besides those in tags of their own.
const INJECTED: [&str; 4] = [
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
    "Another language model started to solve this problem",
    "<skill>",
];

/// The text of a message's parts.
pub(super) fn text_of(content: &Value) -> String {
    let part = |part: &Value| match part.get("text").and_then(Value::as_str) {
        Some(text) => Some(text.to_owned()),
        None => {
            let kind = part.get("type").and_then(Value::as_str)?;
            kind.contains("image").then(|| "[image]".to_owned())
        }
    };
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(part).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => members.get("content").map(text_of).unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// A prompt with a mark for each image that came with it.
pub(super) fn with_images(text: String, images: usize) -> String {
    let marks = std::iter::repeat_n("[image]".to_owned(), images);
    let text = Some(text).filter(|text| images == 0 || !text.is_empty());
    text.into_iter().chain(marks).collect::<Vec<_>>().join("\n")
}

/// Whether a text in the user's name is Codex's own: what it knows of the place, of an abort, of earlier talk.
pub(super) fn is_injected(text: &str) -> bool {
    let text = text.trim();
    INJECTED.iter().any(|start| text.starts_with(start)) || is_in_own_tag(text)
}

/// `<environment_context>…</environment_context>`: no tag that a person would write has such a name.
fn is_in_own_tag(text: &str) -> bool {
    let Some((tag, _)) = text.strip_prefix('<').and_then(|rest| rest.split_once('>')) else {
        return false;
    };
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_' || c == ' ';
    tag.contains(['_', ' ']) && tag.chars().all(is_name) && text.ends_with(&format!("</{tag}>"))
}

/// The beginning of a prompt, on one line.
pub(super) fn title(prompt: &str) -> String {
    let prompt = prompt.split_once(REQUEST).map_or(prompt, |(_, request)| request);
    let words: Vec<&str> = prompt.split_whitespace().take(TITLE).collect();
    let line = words.join(" ");
    if line.chars().nth(TITLE).is_none() {
        return line;
    }
    let mut short: String = line.chars().take(TITLE - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_codex_says_for_itself_is_no_prompt() {
        for text in [
            "<environment_context>\n  <cwd>/home/dev</cwd>\n</environment_context>",
            "<turn_aborted>\nThe user interrupted\n</turn_aborted>",
            "<permissions instructions>\nno\n</permissions instructions>",
            "# AGENTS.md instructions for /home/dev\n",
        ] {
            assert!(is_injected(text), "{text}");
        }
        for text in ["<div>fix</div>", "what is <turn_aborted>?", "<b_c>half", "hello"] {
            assert!(!is_injected(text), "{text}");
        }
    }

    #[test]
    fn a_prompt_is_its_text_and_its_images() {
        let parts =
            json!([{"type": "input_text", "text": "a"}, {"type": "input_image"}, {"type": "?"}]);
        assert_eq!(text_of(&parts), "a\n[image]");
        assert_eq!(with_images("a".to_owned(), 2), "a\n[image]\n[image]");
        assert_eq!(with_images(String::new(), 1), "[image]");
        assert_eq!(with_images(String::new(), 0), "");
    }

    #[test]
    fn a_title_is_the_beginning_of_the_request() {
        assert_eq!(
            title("# Context\nx\n## My request for Codex:\nfix  the\nlogin"),
            "fix the login"
        );
        assert_eq!(title(&"word ".repeat(50)).chars().count(), TITLE);
    }
}
