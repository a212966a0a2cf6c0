//! What we build on comes from crates.io under a licence that `deny.toml` accepts.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::licence_expression::is_satisfied;
use super::repository::Repository;
use crate::metadata::Package;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(super) fn problems(repository: &Repository) -> Vec<String> {
    match accepted(repository) {
        Ok(accepted) => {
            repository.foreign.iter().flat_map(|package| problems_of(package, &accepted)).collect()
        }
        Err(error) => vec![format!("{error:#}")],
    }
}

fn accepted(repository: &Repository) -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Rules {
        licenses: Licences,
    }
    #[derive(Deserialize)]
    struct Licences {
        allow: Vec<String>,
    }
    let text = repository.text("deny.toml").context("deny.toml is missing")?;
    let rules: Rules = toml::from_str(text).context("deny.toml names no accepted licences")?;
    Ok(rules.licenses.allow)
}

fn problems_of(package: &Package, accepted: &[String]) -> Vec<String> {
    let found = [licence_problem(package, accepted), source_problem(package)];
    let name = format!("{} {}", package.name, package.version);
    found.into_iter().flatten().map(|problem| format!("{name}: {problem}")).collect()
}

fn licence_problem(package: &Package, accepted: &[String]) -> Option<String> {
    let Some(expression) = &package.license else {
        return Some("names no licence".to_owned());
    };
    match is_satisfied(expression, accepted) {
        Ok(true) => None,
        Ok(false) => Some(format!("licence {expression} is not accepted by deny.toml")),
        Err(error) => Some(format!("licence {expression} cannot be read: {error:#}")),
    }
}

fn source_problem(package: &Package) -> Option<String> {
    match package.source.as_deref() {
        Some(CRATES_IO) => None,
        Some(other) => Some(format!("comes from {other}, not from crates.io")),
        None => Some("comes from a folder outside of the workspace".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(license: Option<&str>, source: Option<&str>) -> Vec<String> {
        let rules = "[licenses]\nallow = [\"MIT\"]";
        let package = Package {
            id: "p".to_owned(),
            name: "parts".to_owned(),
            version: "1.0.0".to_owned(),
            license: license.map(str::to_owned),
            source: source.map(str::to_owned),
            manifest_path: "parts/Cargo.toml".into(),
            dependencies: Vec::new(),
        };
        let repository = Repository::of_files(&[("deny.toml", rules)]);
        problems(&Repository { foreign: vec![package], ..repository })
    }

    #[test]
    fn an_accepted_licence_from_crates_io_is_fine() {
        assert!(check(Some("MIT OR GPL-3.0"), Some(CRATES_IO)).is_empty());
    }

    #[test]
    fn other_licences_and_sources_are_named() {
        assert_eq!(
            check(Some("GPL-3.0"), Some("git+https://example.org/parts")),
            [
                "parts 1.0.0: licence GPL-3.0 is not accepted by deny.toml",
                "parts 1.0.0: comes from git+https://example.org/parts, not from crates.io"
            ]
        );
        assert_eq!(check(None, None).len(), 2);
    }

    #[test]
    fn without_rules_nothing_is_accepted() {
        assert_eq!(problems(&Repository::default()), ["deny.toml is missing"]);
    }
}
