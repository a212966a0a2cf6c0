//! What we build on comes from crates.io, under a licence that `deny.toml` accepts, and is not banned there.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::licence_expression::is_satisfied;
use super::repository::Repository;
use crate::metadata::Package;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(super) fn problems(repository: &Repository) -> Vec<String> {
    match rules(repository) {
        Ok(rules) => {
            repository.foreign.iter().flat_map(|package| problems_of(package, &rules)).collect()
        }
        Err(error) => vec![format!("{error:#}")],
    }
}

/// The part of `deny.toml` that is checked here, so that it holds where cargo-deny is not installed.
#[derive(Deserialize)]
struct Rules {
    licenses: Licences,
    #[serde(default)]
    bans: Bans,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Bans {
    #[serde(default)]
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
}

fn rules(repository: &Repository) -> Result<Rules> {
    let text = repository.text("deny.toml").context("deny.toml is missing")?;
    toml::from_str(text).context("deny.toml names no accepted licences")
}

fn problems_of(package: &Package, rules: &Rules) -> Vec<String> {
    let found = [
        licence_problem(package, &rules.licenses.allow),
        source_problem(package),
        ban_problem(package, &rules.bans.deny),
    ];
    let name = format!("{} {}", package.name, package.version);
    found.into_iter().flatten().map(|problem| format!("{name}: {problem}")).collect()
}

fn ban_problem(package: &Package, bans: &[Ban]) -> Option<String> {
    let ban = bans.iter().find(|ban| ban.name == package.name)?;
    Some(format!("is banned: {}", ban.reason))
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
        check_rules("[licenses]\nallow = [\"MIT\"]", license, source)
    }

    fn check_rules(rules: &str, license: Option<&str>, source: Option<&str>) -> Vec<String> {
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
    fn a_banned_crate_is_named_with_the_reason() {
        let rules = "[licenses]\nallow = [\"MIT\"]\n[bans]\ndeny = [{ crate = \"parts\", reason = \"one is enough\" }]";
        let found = check_rules(rules, Some("MIT"), Some(CRATES_IO));
        assert_eq!(found, ["parts 1.0.0: is banned: one is enough"]);
    }

    #[test]
    fn without_rules_nothing_is_accepted() {
        assert_eq!(problems(&Repository::default()), ["deny.toml is missing"]);
    }
}
