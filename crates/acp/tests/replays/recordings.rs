//! The recordings of the tree.

use std::path::{Path, PathBuf};

use acp::Replay;
use recording::{Recording, ReplayEvent};

pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) recording: Recording,
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

/// All of them, in the order of their names.
pub(crate) fn all() -> Vec<Sample> {
    let agents = std::fs::read_dir(directory()).unwrap();
    let files = agents.flat_map(|agent| std::fs::read_dir(agent.unwrap().path()).unwrap());
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
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
    let mut replay = Replay::new(&recording.header.cli);
    recording.entries.iter().for_each(|entry| replay.feed(entry));
    replay.finish(recording.entries.last().map_or(0, |entry| entry.ms));
    replay.take_events()
}
