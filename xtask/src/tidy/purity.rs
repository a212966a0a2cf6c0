//! The pure crates touch no clock, no file, no process and no runtime.

use super::repository::{Crate, Repository};

const PURE: [&str; 4] = ["contract", "pipeline", "claude", "acp"];

/// What their own `clippy.toml` has to ban; it replaces the one at the root, so nothing is inherited.
const BANNED: [&str; 4] = [
    "std::time::Instant::now",
    "std::time::SystemTime::now",
    "std::fs::File::open",
    "std::process::Command::new",
];

pub(super) fn problems(repository: &Repository) -> Vec<String> {
    let pure = repository.crates.iter().filter(|krate| PURE.contains(&krate.name.as_str()));
    pure.flat_map(|krate| {
        let mut found = missing_bans(repository, krate);
        found.extend(runtime_used(krate));
        found
    })
    .collect()
}

fn missing_bans(repository: &Repository, krate: &Crate) -> Vec<String> {
    let path = format!("{}/clippy.toml", krate.directory);
    let Some(rules) = repository.text(&path) else {
        return vec![format!("{} is pure and needs {path}", krate.name)];
    };
    let missing = BANNED.iter().filter(|banned| !rules.contains(&format!("\"{banned}\"")));
    missing.map(|banned| format!("{path} does not ban {banned}")).collect()
}

fn runtime_used(krate: &Crate) -> Option<String> {
    let mut normal = krate.dependencies.iter().filter(|dependency| dependency.kind.is_none());
    normal
        .any(|dependency| dependency.name == "tokio")
        .then(|| format!("{} is pure and uses tokio", krate.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::SpecialKind;

    fn rules(banned: &[&str]) -> String {
        banned.iter().map(|path| format!("{{ path = \"{path}\" }},\n")).collect()
    }

    fn repository(banned: &[&str]) -> Repository {
        Repository::of_files(&[("crates/pipeline/clippy.toml", &rules(banned))])
    }

    #[test]
    fn a_crate_with_all_bans_and_tokio_only_in_tests_is_pure() {
        let dev = [("tokio", Some(SpecialKind::Dev))];
        assert!(problems(&repository(&BANNED).with_crate("pipeline", &dev)).is_empty());
    }

    #[test]
    fn other_crates_may_do_io() {
        assert!(
            problems(&Repository::default().with_crate("server", &[("tokio", None)])).is_empty()
        );
    }

    #[test]
    fn a_missing_ban_a_missing_file_and_a_runtime_are_named() {
        assert_eq!(
            problems(&repository(&BANNED[1..]).with_crate("pipeline", &[("tokio", None)])),
            [
                "crates/pipeline/clippy.toml does not ban std::time::Instant::now",
                "pipeline is pure and uses tokio"
            ]
        );
        assert_eq!(
            problems(&Repository::default().with_crate("acp", &[])),
            ["acp is pure and needs crates/acp/clippy.toml"]
        );
    }
}
