//! What holds for every conversation, whatever happened in it.

use contract::TurnEventKind;
use recording::{Judge, ReplayedThing};

use crate::recordings;

#[test]
fn every_recording_keeps_the_invariants() {
    let samples = recordings::all();
    assert!(samples.len() > 300, "{} recordings", samples.len());
    for sample in samples {
        let events = recordings::replay(&sample.recording);
        assert_eq!(Judge::problems(&events), [""; 0], "in {}", sample.name);
    }
}

#[test]
fn a_replay_is_the_same_every_time() {
    for sample in recordings::all().iter().step_by(10) {
        let once = || serde_json::to_string(&recordings::replay(&sample.recording)).unwrap();
        assert_eq!(once(), once(), "{}", sample.name);
    }
}

/// Once the recording is over the agent is gone, so nothing runs.
#[test]
fn nothing_runs_after_the_end() {
    let mut bad = Vec::new();
    for sample in recordings::all() {
        let events = recordings::replay(&sample.recording);
        let last = events.iter().rev().find_map(|event| match &event.what {
            ReplayedThing::Status(status) => Some(status.activity),
            _ => None,
        });
        if matches!(last, Some("running" | "permission")) {
            bad.push(sample.name.clone());
        }
    }
    assert!(bad.is_empty(), "{bad:?}");
}

/// Every failure that the agent announced as overloaded is named so at its end.
#[test]
fn an_overloaded_api_is_named() {
    for sample in recordings::all() {
        if !sample.name.ends_with("err_529") {
            continue;
        }
        let events = recordings::replay(&sample.recording);
        let classes: Vec<_> = events
            .iter()
            .filter_map(|event| match &event.what {
                ReplayedThing::Turn(event) => match &event.kind {
                    TurnEventKind::TurnError { error_class, .. } => error_class.clone(),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        assert_eq!(classes, ["overloaded"], "{}", sample.name);
    }
}

/// Process death tells the last stderr lines, in a replay as live.
#[test]
fn a_crash_tells_the_last_words() {
    let mut bad = Vec::new();
    for sample in recordings::all() {
        if !sample.name.ends_with("malformed_midturn") {
            continue;
        }
        for event in recordings::replay(&sample.recording) {
            if let ReplayedThing::Turn(event) = event.what
                && let TurnEventKind::TurnError { error_message, .. } = event.kind
                && !error_message.contains("Error parsing streaming input line")
            {
                bad.push((sample.name.clone(), error_message));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:?}");
}

/// A line that is not JSON is kept too, not only counted.
#[test]
fn a_line_that_is_not_json_is_kept() {
    let text = "{\"recording\":1,\"cli\":\"claude-code\"}\n{\"ms\":1,\"from\":\"agent\",\"line\":\"panic: oops\"}\n";
    let recording = recording::Recording::parse(text).unwrap();
    let events = recordings::replay(&recording);
    assert!(events.iter().any(|event| matches!(event.what, ReplayedThing::Unknown(_))));
}

/// The format's version is part of it.
#[test]
fn a_recording_of_a_later_format_is_none_of_ours() {
    assert!(recording::Recording::parse("{\"recording\":2,\"cli\":\"claude-code\"}\n").is_err());
}
