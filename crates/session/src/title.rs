//! What sessions are called.

use crate::error::ServiceError;

/// Until somebody says something.
pub(crate) const UNTITLED: &str = "New Session";

const LONGEST: usize = 200;
/// Of a prompt, in characters.
const PROMPT: usize = 50;
/// A word is not cut apart if this much is left without it.
const ENOUGH: usize = 20;

/// Titles are one short line; what is longer is cut.
pub(crate) fn title_or_untitled(asked: Option<&str>) -> String {
    asked.map(one_line).filter(|title| !title.is_empty()).unwrap_or_else(|| UNTITLED.to_owned())
}

/// A title that somebody chose.
pub(crate) fn chosen_title(asked: &str) -> Result<String, ServiceError> {
    let title = one_line(asked);
    if title.is_empty() {
        return Err(ServiceError::InvalidRequest("title: must not be empty".to_owned()));
    }
    Ok(title)
}

/// The beginning of a prompt, cut between words; none of a prompt without words.
pub(crate) fn title_of_prompt(prompt: &str) -> Option<String> {
    let line = words(prompt);
    let Some((end, _)) = line.char_indices().nth(PROMPT) else {
        return Some(line).filter(|line| !line.is_empty());
    };
    let cut = line.get(..end).unwrap_or_default();
    let enough = cut.char_indices().nth(ENOUGH).map_or(cut.len(), |(index, _)| index);
    let space = cut.rfind(' ').filter(|space| *space > enough);
    let kept = space.and_then(|space| cut.get(..space)).unwrap_or(cut);
    Some(format!("{kept}..."))
}

fn one_line(text: &str) -> String {
    words(text).chars().take(LONGEST).collect()
}

/// With one space between words. Of a long text only as much as could be shown.
fn words(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(LONGEST + 1));
        if line.len() > 4 * LONGEST {
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_cut_between_words_where_enough_is_left() {
        let fifty = "x".repeat(50);
        let long_word = "x".repeat(51);
        let late_word = format!("{} {}", "a".repeat(21), "b".repeat(40));
        let early_word = format!("{} {}", "a".repeat(20), "b".repeat(40));
        let umlauts = "ä".repeat(60);
        for (prompt, title) in [
            ("  fix it  ", "fix it".to_owned()),
            ("fix\n  it", "fix it".to_owned()),
            (&fifty, fifty.clone()),
            (&long_word, format!("{fifty}...")),
            (&late_word, format!("{}...", "a".repeat(21))),
            (&early_word, format!("{} {}...", "a".repeat(20), "b".repeat(29))),
            (&umlauts, format!("{}...", "ä".repeat(50))),
        ] {
            assert_eq!(title_of_prompt(prompt), Some(title), "{prompt}");
        }
        assert_eq!(title_of_prompt(" \n\t"), None);
    }

    #[test]
    fn a_chosen_title_is_one_line_and_not_empty() {
        assert_eq!(chosen_title(" a\nb ").unwrap(), "a b");
        assert_eq!(chosen_title(&"x".repeat(1000)).unwrap().len(), LONGEST);
        assert!(chosen_title(" \n").is_err());
        assert_eq!(title_or_untitled(Some(" ")), UNTITLED);
        assert_eq!(title_or_untitled(None), UNTITLED);
    }
}
