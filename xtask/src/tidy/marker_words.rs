//! Unfinished work is written down as an issue; a word in the source only points to it.

use super::repository::{Repository, TextFile};

const EXTENSIONS: [&str; 7] = ["rs", "ts", "tsx", "css", "js", "mjs", "html"];

/// Put together from halves, so that this file does not break its own rule.
const WORDS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

pub(super) fn problems(repository: &Repository) -> Vec<String> {
    repository.with_extension(&EXTENSIONS).flat_map(problems_in).collect()
}

fn problems_in(file: &TextFile) -> Vec<String> {
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for word in WORDS.iter().filter(|word| occurs_without_issue(line, word)) {
            let (path, number) = (&file.path, index + 1);
            found.push(format!("{path}:{number}: {word} needs an issue, as in {word}(#12)"));
        }
    }
    found
}

fn occurs_without_issue(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(start, _)| {
        let before = line.get(..start).unwrap_or_default();
        let after = line.get(start + word.len()..).unwrap_or_default();
        !before.ends_with(continues_a_word)
            && !after.starts_with(continues_a_word)
            && !names_an_issue(after)
    })
}

fn continues_a_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn names_an_issue(after: &str) -> bool {
    let number = after.strip_prefix("(#").and_then(|rest| rest.split_once(')'));
    number.is_some_and(|(number, _)| number.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str) -> usize {
        let [first, ..] = WORDS;
        let text = format!("fn f() {{}}\n{}\n", line.replace('@', first));
        problems(&Repository::of_files(&[("a.rs", &text)])).len()
    }

    #[test]
    fn a_word_with_an_issue_and_a_part_of_a_longer_word_are_fine() {
        assert_eq!(check("// @(#12): later"), 0);
        assert_eq!(check("let @S = 1; let MY_@ = 2;"), 0);
        assert_eq!(check("// nothing"), 0);
    }

    #[test]
    fn a_bare_word_is_named_with_its_place() {
        assert_eq!(check("// @: later"), 1);
        assert_eq!(check("// @(someone): later"), 1);
        assert_eq!(check("// @(#12) and @"), 1);
        for word in WORDS {
            let found = problems(&Repository::of_files(&[("a.css", &format!("\n/* {word} */"))]));
            assert!(found[0].starts_with("a.css:2: "));
        }
    }
}
