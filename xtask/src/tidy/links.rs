//! Links between documents lead somewhere.

use super::markdown::link_targets;
use super::repository::{Repository, TextFile};

pub(super) fn problems(repository: &Repository) -> Vec<String> {
    let documents = repository.with_extension(&["md"]).filter(|file| is_document(&file.path));
    documents.flat_map(|file| broken_links(repository, file)).collect()
}

/// Leaves out markdown that is test data: what it links to does not matter.
fn is_document(path: &str) -> bool {
    !path.contains('/') || path.starts_with("docs/") || path.ends_with("/README.md")
}

fn broken_links(repository: &Repository, file: &TextFile) -> Vec<String> {
    let targets = link_targets(&file.text).into_iter().filter(|target| is_relative(target));
    targets
        .filter(|target| !leads_somewhere(repository, &file.path, target))
        .map(|target| format!("{}: link to {target} leads nowhere", file.path))
        .collect()
}

fn is_relative(target: &str) -> bool {
    !target.starts_with('#') && !target.contains("://") && !target.starts_with("mailto:")
}

fn leads_somewhere(repository: &Repository, from: &str, target: &str) -> bool {
    let path = target.split('#').next().unwrap_or_default();
    resolved(from, path).is_some_and(|path| exists(repository, &path))
}

/// Says what `target` means in the document `from`, or nothing if it leaves the repository.
fn resolved(from: &str, target: &str) -> Option<String> {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let folder = if target.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

fn exists(repository: &Repository, path: &str) -> bool {
    let folder = format!("{path}/");
    path.is_empty()
        || repository.paths.contains(path)
        || repository.paths.iter().any(|known| known.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<String> {
        let present = [("docs/adr/README.md", ""), ("LICENSE", ""), (path, text)];
        problems(&Repository::of_files(&present))
    }

    #[test]
    fn links_to_files_folders_and_places_elsewhere_are_fine() {
        let text = "[a](../LICENSE) [b](adr/) [c](adr/README.md#why) [d](/LICENSE) [e](#here)
            [f](https://example.org/x) [g](mailto:a@example.org) [h](..)";
        assert_eq!(check("docs/guide.md", text), Vec::<String>::new());
    }

    #[test]
    fn a_link_to_nothing_is_named() {
        assert_eq!(
            check("docs/guide.md", "[a](LICENSE)"),
            ["docs/guide.md: link to LICENSE leads nowhere"]
        );
        assert_eq!(check("README.md", "[a](../LICENSE)").len(), 1);
    }

    #[test]
    fn test_data_is_not_looked_at() {
        assert!(check("web/fixtures/long.md", "[a](nowhere.md)").is_empty());
    }
}
