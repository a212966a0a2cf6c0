//! The recordings of the tree.

use std::path::{Path, PathBuf};

use claude::Replay;
use recording::{Direction, Entry, Recorded, Recording, ReplayEvent};
use serde_json::Value;

pub(crate) const VERSIONS: [&str; 2] = ["2.1.197", "2.1.325"];

pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) recording: Recording,
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

/// All of them, in the order of their names.
pub(crate) fn all() -> Vec<Sample> {
    let of_version = |version: &&str| {
        let files = std::fs::read_dir(directory().join(version)).unwrap();
        files.map(|file| file.unwrap().path()).collect::<Vec<_>>()
    };
    let mut paths: Vec<PathBuf> = VERSIONS.iter().flat_map(of_version).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(".rec.jsonl"));
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

#[expect(clippy::disallowed_methods, reason = "tests read the recordings")]
fn read(path: &Path) -> Sample {
    let name = path.strip_prefix(directory()).unwrap().to_string_lossy();
    let recording = Recording::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    Sample { name: name.trim_end_matches(".rec.jsonl").to_owned(), recording }
}

pub(crate) fn replay(recording: &Recording) -> Vec<ReplayEvent> {
    let mut replay = Replay::default();
    recording.entries.iter().for_each(|entry| replay.feed(entry));
    replay.finish(recording.entries.last().map_or(0, |entry| entry.ms));
    replay.take_events()
}

pub(crate) fn agent_lines(recording: &Recording) -> Vec<Value> {
    let lines = recording.entries.iter().filter(|entry| entry.from == Direction::Agent);
    let lines = lines.filter_map(|entry| match &entry.what {
        Recorded::Line(line) => serde_json::from_str(line).ok(),
        Recorded::Event(_) => None,
    });
    lines.collect()
}

/// A finished block of the main loop that streamed before.
pub(crate) fn is_main_snapshot(entry: &Entry) -> bool {
    match &entry.what {
        Recorded::Line(line) if entry.from == Direction::Agent => {
            let line: Value = serde_json::from_str(line).unwrap_or_default();
            line["type"] == "assistant" && line["parent_tool_use_id"].is_null()
        }
        _ => false,
    }
}
