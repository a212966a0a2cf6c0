//! What holds for every conversation, whatever happened in it.

use recording::{Judge, ReplayedThing};

use crate::recordings;

#[test]
fn every_recording_keeps_the_invariants() {
    let samples = recordings::all();
    assert!(samples.len() > 50, "{} recordings", samples.len());
    for sample in samples {
        let events = recordings::replay(&sample.recording);
        assert_eq!(Judge::problems(&events), [""; 0], "in {}", sample.name);
    }
}

#[test]
fn a_replay_is_the_same_every_time() {
    for sample in recordings::all() {
        let once = || serde_json::to_string(&recordings::replay(&sample.recording)).unwrap();
        assert_eq!(once(), once(), "{}", sample.name);
    }
}

/// Once the recording is over the agent is gone, so nothing runs.
#[test]
fn nothing_runs_after_the_end() {
    for sample in recordings::all() {
        let events = recordings::replay(&sample.recording);
        let last = events.iter().rev().find_map(|event| match &event.what {
            ReplayedThing::Status(status) => Some(status.activity),
            _ => None,
        });
        assert!(!matches!(last, Some("running" | "permission")), "{}: {last:?}", sample.name);
    }
}
