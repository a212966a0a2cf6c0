//! Every decision record has its own number and is linked from the list of records.

use std::collections::BTreeMap;

use super::markdown::link_targets;
use super::repository::Repository;

const FOLDER: &str = "docs/adr/";

pub(super) fn problems(repository: &Repository) -> Vec<String> {
    let in_folder = repository.paths.iter().filter_map(|path| path.strip_prefix(FOLDER));
    let records: Vec<&str> = in_folder.filter(|name| number(name).is_some()).collect();
    let list = repository.text(&format!("{FOLDER}README.md")).unwrap_or_default();
    let mut found = unlisted(&records, list);
    found.extend(shared_numbers(&records));
    found
}

/// Reads the `0007` of `0007-one-writer.md`.
fn number(name: &str) -> Option<&str> {
    let (number, title) = name.split_once('-')?;
    let counts = number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit());
    (counts && title.ends_with(".md")).then_some(number)
}

fn unlisted(records: &[&str], list: &str) -> Vec<String> {
    let targets = link_targets(list);
    let is_listed = |record: &str| targets.iter().any(|t| t.trim_start_matches("./") == record);
    let missing = records.iter().filter(|record| !is_listed(record));
    missing.map(|record| format!("{FOLDER}README.md does not link to {record}")).collect()
}

fn shared_numbers(records: &[&str]) -> Vec<String> {
    let mut by_number: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for record in records {
        by_number.entry(number(record).unwrap_or_default()).or_default().push(record);
    }
    let shared = by_number.values().filter(|records| records.len() > 1);
    shared.map(|records| format!("{FOLDER}: one number for {}", records.join(" and "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "docs/adr/README.md";

    #[test]
    fn listed_records_with_their_own_numbers_are_fine() {
        let files = [
            (LIST, "- [1](0001-a.md)\n- [2](./0002-b.md)"),
            ("docs/adr/0001-a.md", ""),
            ("docs/adr/0002-b.md", ""),
            ("docs/adr/template.md", ""),
        ];
        assert!(problems(&Repository::of_files(&files)).is_empty());
    }

    #[test]
    fn an_unlisted_record_is_named() {
        let files = [(LIST, "0001-a.md is not a link"), ("docs/adr/0001-a.md", "")];
        assert_eq!(
            problems(&Repository::of_files(&files)),
            ["docs/adr/README.md does not link to 0001-a.md"]
        );
        assert_eq!(problems(&Repository::of_files(&files[1..])).len(), 1);
    }

    #[test]
    fn a_number_given_twice_is_named() {
        let list = "[a](0001-a.md) [b](0001-b.md)";
        let files = [(LIST, list), ("docs/adr/0001-a.md", ""), ("docs/adr/0001-b.md", "")];
        assert_eq!(
            problems(&Repository::of_files(&files)),
            ["docs/adr/: one number for 0001-a.md and 0001-b.md"]
        );
    }
}
