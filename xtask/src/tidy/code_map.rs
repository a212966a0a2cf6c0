//! The architecture document names every crate.

use super::repository::Repository;

const DOCUMENT: &str = "docs/ARCHITECTURE.md";

pub(super) fn problems(repository: &Repository) -> Vec<String> {
    let Some(document) = repository.text(DOCUMENT) else {
        return vec![format!("{DOCUMENT} is missing")];
    };
    let names = repository.crates.iter().map(|krate| format!("`{}`", krate.name));
    names
        .filter(|name| !document.contains(name))
        .map(|name| format!("{DOCUMENT} does not name {name}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(document: &str) -> Vec<String> {
        problems(&Repository::of_files(&[(DOCUMENT, document)]).with_crate("store", &[]))
    }

    #[test]
    fn a_named_crate_is_fine() {
        assert!(check("| `store` | the journal |").is_empty());
    }

    #[test]
    fn a_crate_without_a_word_is_named() {
        assert_eq!(check("The store keeps."), ["docs/ARCHITECTURE.md does not name `store`"]);
    }

    #[test]
    fn a_missing_document_is_named() {
        assert_eq!(problems(&Repository::default()), ["docs/ARCHITECTURE.md is missing"]);
    }
}
