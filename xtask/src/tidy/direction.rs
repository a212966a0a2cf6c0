//! Which of our crates may use which; `docs/ARCHITECTURE.md` shows the same table.

use super::repository::{Crate, Repository};
use crate::metadata::SpecialKind;

enum MayUse {
    Only(&'static [&'static str]),
    Anything,
}

use MayUse::{Anything, Only};

const BELOW_SESSION: &[&str] =
    &["contract", "pipeline", "recording", "claude", "acp", "agent-process", "store"];

const BELOW_LIMINAL: &[&str] = &[
    "contract",
    "pipeline",
    "recording",
    "claude",
    "acp",
    "agent-process",
    "scheduling",
    "store",
    "session",
    "server",
    "demo-agent",
];

/// Binds normal and build dependencies; dev-dependencies may be on any crate of this table.
const TABLE: &[(&str, MayUse)] = &[
    ("contract", Only(&[])),
    ("pipeline", Only(&["contract"])),
    ("recording", Only(&["contract", "pipeline"])),
    ("claude", Only(&["contract", "pipeline", "recording"])),
    ("acp", Only(&["contract", "pipeline", "recording"])),
    ("agent-process", Only(&[])),
    ("scheduling", Only(&[])),
    ("store", Only(&["contract", "scheduling"])),
    ("session", Only(BELOW_SESSION)),
    ("server", Only(&["contract", "session", "store"])),
    ("demo-agent", Only(&[])),
    ("liminal", Only(BELOW_LIMINAL)),
    ("measure", Only(&[])),
    ("testkit", Anything),
    ("xtask", Only(&[])),
];

pub(super) fn problems(repository: &Repository) -> Vec<String> {
    let ours: Vec<&str> = repository.crates.iter().map(|krate| krate.name.as_str()).collect();
    repository.crates.iter().flat_map(|krate| problems_of(krate, &ours)).collect()
}

fn problems_of(krate: &Crate, ours: &[&str]) -> Vec<String> {
    let name = krate.name.as_str();
    let Some(may_use) = row(name) else {
        return vec![format!("crate {name} is missing from the table in xtask's direction.rs")];
    };
    let used = krate.dependencies.iter().filter(|dependency| {
        dependency.kind != Some(SpecialKind::Dev) && ours.contains(&dependency.name.as_str())
    });
    used.filter(|dependency| !may_use.allows(&dependency.name))
        .map(|dependency| format!("{name} may not use {}", dependency.name))
        .collect()
}

fn row(name: &str) -> Option<&'static MayUse> {
    TABLE.iter().find(|(row, _)| *row == name).map(|(_, may_use)| may_use)
}

impl MayUse {
    fn allows(&self, name: &str) -> bool {
        match self {
            Only(names) => names.contains(&name),
            Anything => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NORMAL: Option<SpecialKind> = None;
    const BUILD: Option<SpecialKind> = Some(SpecialKind::Build);
    const DEV: Option<SpecialKind> = Some(SpecialKind::Dev);

    fn workspace_with(name: &str, dependencies: &[(&str, Option<SpecialKind>)]) -> Vec<String> {
        let others = ["contract", "server", "testkit"].into_iter().filter(|other| *other != name);
        let repository = Repository::default().with_crate(name, dependencies);
        problems(&others.fold(repository, |repository, other| repository.with_crate(other, &[])))
    }

    #[test]
    fn downward_and_foreign_dependencies_are_fine() {
        assert!(workspace_with("pipeline", &[("contract", NORMAL), ("serde", NORMAL)]).is_empty());
        assert!(workspace_with("liminal", &[("server", BUILD)]).is_empty());
        assert!(workspace_with("testkit", &[("server", NORMAL)]).is_empty());
    }

    #[test]
    fn upward_dependencies_are_named() {
        assert_eq!(workspace_with("store", &[("server", NORMAL)]), ["store may not use server"]);
        assert_eq!(workspace_with("store", &[("server", BUILD)]), ["store may not use server"]);
    }

    #[test]
    fn the_testkit_is_for_tests_only() {
        assert!(workspace_with("liminal", &[("testkit", DEV)]).is_empty());
        assert_eq!(
            workspace_with("liminal", &[("testkit", NORMAL)]),
            ["liminal may not use testkit"]
        );
    }

    #[test]
    fn a_crate_without_a_row_is_named() {
        assert!(workspace_with("newcomer", &[])[0].contains("newcomer is missing"));
    }
}
