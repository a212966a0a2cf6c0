//! A test runs or is deleted; none is switched off, and none switches the others off.

use super::repository::{Repository, TextFile};

/// Put together from halves, so that this file does not break its own rule.
const IN_RUST: [&str; 2] = [concat!("#[ig", "nore]"), concat!("#[ig", "nore =")];
const IN_WEB: [&str; 5] = [
    concat!("test", ".skip"),
    concat!("it", ".skip"),
    concat!("describe", ".skip"),
    concat!("test", ".fixme"),
    concat!(".on", "ly("),
];

pub(super) fn problems(repository: &Repository) -> Vec<String> {
    let rust = repository.with_extension(&["rs"]).flat_map(|file| found_in(file, &IN_RUST));
    let web = repository.with_extension(&["ts", "tsx", "js", "mjs"]);
    rust.chain(web.flat_map(|file| found_in(file, &IN_WEB))).collect()
}

fn found_in(file: &TextFile, forms: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for form in forms.iter().filter(|form| occurs(line, form)) {
            found.push(format!("{}:{}: `{form}` switches tests off", file.path, index + 1));
        }
    }
    found
}

/// Looks at the character before, because `await.skip` is no `it.skip`.
fn occurs(line: &str, form: &str) -> bool {
    let starts_as_word = form.starts_with(char::is_alphabetic);
    line.match_indices(form).any(|(start, _)| {
        let before = line.get(..start).unwrap_or_default();
        !starts_as_word || !before.ends_with(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> usize {
        problems(&Repository::of_files(&[(path, text)])).len()
    }

    #[test]
    fn running_tests_are_fine() {
        assert_eq!(check("a.rs", "#[test]\nfn works() { iter.skip(1).only(2); }"), 0);
        assert_eq!(check("a.test.ts", "test(\"works\", () => { await.skip(); })"), 0);
    }

    #[test]
    fn every_way_of_switching_off_is_named() {
        for form in IN_RUST {
            assert_eq!(check("a.rs", &format!("#[test]\n    {form} \"later\"]\nfn f() {{}}")), 1);
        }
        for form in IN_WEB {
            assert_eq!(check("a.spec.ts", &format!("{form}(\"works\", () => {{}})")), 1);
        }
    }

    #[test]
    fn a_nested_form_is_named_too() {
        assert_eq!(check("a.spec.ts", concat!("test.describe", ".skip(\"all\")")), 1);
    }
}
