//! Whole conversations cut into chunks: however a pipe delivers their bytes, the same comes of them.

use std::path::{Path, PathBuf};

use claude::Replay;
use proptest::prelude::*;
use recording::{Direction, Entry, Recorded, Recording};

use crate::line_splitter::{LONGEST_LINE, LineSplitter};

/// Every recording, in a fixed order.
fn recordings() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../claude/tests/recordings");
    let files = |version| std::fs::read_dir(root.join(version)).unwrap();
    let mut paths: Vec<PathBuf> = ["2.1.197", "2.1.325"]
        .into_iter()
        .flat_map(files)
        .map(|file| file.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".rec.jsonl"))
        .collect();
    paths.sort();
    paths
}

fn agent_line(entry: &mut Entry) -> Option<&mut String> {
    match (entry.from, &mut entry.what) {
        (Direction::Agent, Recorded::Line(line)) => Some(line),
        _ => None,
    }
}

/// The lines that come out when these bytes arrive, cut as given; the cuts repeat until nothing is left.
fn split(mut bytes: &[u8], cuts: &[usize]) -> Vec<String> {
    let mut splitter = LineSplitter::new(LONGEST_LINE);
    let mut lines = Vec::new();
    for cut in cuts.iter().cycle() {
        let (chunk, rest) = bytes.split_at((*cut).min(bytes.len()));
        splitter.room().extend_from_slice(chunk);
        while let Some(found) = splitter.next_line() {
            lines.push(String::from_utf8_lossy(splitter.line(found).bytes).into_owned());
        }
        bytes = rest;
        if bytes.is_empty() {
            break;
        }
    }
    lines
}

/// What comes of a conversation, the host's lines and the time included.
fn events(entries: &[Entry]) -> Vec<String> {
    let mut replay = Replay::default();
    entries.iter().for_each(|entry| replay.feed(entry));
    replay.finish(entries.last().map_or(0, |entry| entry.ms));
    replay.take_events().iter().map(|event| serde_json::to_string(event).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_chunking_of_the_bytes_gives_the_same_events(
        cuts in proptest::collection::vec(1_usize..700, 1..40),
        which in any::<prop::sample::Index>(),
    ) {
        let paths = recordings();
        prop_assert!(paths.len() > 300, "{} recordings", paths.len());
        let text = std::fs::read_to_string(which.get(&paths)).unwrap();
        let mut entries = Recording::parse(&text).unwrap().entries;
        let whole = events(&entries);
        let mut bytes = Vec::new();
        for line in entries.iter_mut().filter_map(agent_line) {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        let mut lines = split(&bytes, &cuts).into_iter();
        for line in entries.iter_mut().filter_map(agent_line) {
            *line = lines.next().unwrap_or_default();
        }
        prop_assert_eq!(lines.next(), None, "no line too many");
        prop_assert_eq!(events(&entries), whole);
    }
}
