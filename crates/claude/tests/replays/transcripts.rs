//! The transcripts that the CLI keeps of its conversations, read as history and compared with what was live.
//!
//! `UPDATE_SNAPSHOTS=1` writes the reviewed readings anew, as for the recordings.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use claude::SubagentTranscript;
use contract::{CallId, ItemId, MessageOrigin, SessionId, TurnEventKind, TurnId, UpsertBody};
use proptest::prelude::*;
use recording::{HistoryEvent, ReplayEvent, ReplayedThing};

use crate::recordings::{self, VERSIONS};
use crate::texts::last_states;

/// Transcripts of conversations that were recorded too.
const RECORDED: &[(&str, &str)] = &[
    ("2.1.197/transcript_chain", "2.1.197/resume_0_create"),
    ("2.1.197/transcript_int_text", "2.1.197/int_text"),
    ("2.1.325/transcript_bg_auto", "2.1.325/bg_basic"),
    ("2.1.325/transcript_bg_fold", "2.1.325/bg_during_tool"),
    ("2.1.325/transcript_err_500", "2.1.325/err_500"),
    ("2.1.325/transcript_int_text", "2.1.325/int_text"),
    ("2.1.325/transcript_int_tool", "2.1.325/int_tool"),
    ("2.1.325/transcript_q_tool_fold", "2.1.325/q_tool"),
];

struct Transcript {
    name: String,
    text: String,
    /// By the calls that run them.
    subagents: Vec<(CallId, String)>,
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

#[expect(clippy::disallowed_methods, reason = "tests read the transcripts")]
fn transcripts() -> Vec<Transcript> {
    let mut transcripts: Vec<Transcript> = Vec::new();
    for version in VERSIONS {
        let files = std::fs::read_dir(directory().join(version)).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.starts_with("transcript_")).collect();
        // A transcript's own file comes before those of its subagents.
        names.sort_by_key(|name| (name.contains(".agent."), name.clone()));
        for name in names {
            let text = std::fs::read_to_string(directory().join(version).join(&name)).unwrap();
            let name = format!("{version}/{}", name.trim_end_matches(".jsonl"));
            match name.split_once(".agent.") {
                Some((main, call)) => {
                    let main = transcripts.iter_mut().find(|transcript| transcript.name == main);
                    main.unwrap().subagents.push((CallId::from(call), text));
                }
                None => transcripts.push(Transcript { name, text, subagents: Vec::new() }),
            }
        }
    }
    transcripts
}

fn read(transcript: &Transcript) -> Vec<HistoryEvent> {
    let history = history(&transcript.text, &transcript.subagents);
    assert_eq!(history.broken_lines, 0, "{}", transcript.name);
    history.events
}

fn history(text: &str, subagents: &[(CallId, String)]) -> claude::History {
    let subagents: Vec<_> = subagents
        .iter()
        .map(|(call_id, text)| SubagentTranscript { call_id: call_id.clone(), text })
        .collect();
    claude::history(&SessionId::from("imported"), &"claude-code".into(), text, &subagents)
}

/// Every turn starts before its items and ends once after them; every item is told once, in a final state.
fn judge(events: &[HistoryEvent]) {
    let mut open: HashSet<&TurnId> = HashSet::new();
    let mut ended: HashSet<&TurnId> = HashSet::new();
    let mut items: HashSet<&ItemId> = HashSet::new();
    for event in events {
        match event {
            HistoryEvent::Upsert(item) => {
                assert!(items.insert(&item.item_id), "{item:?} is told once");
                assert!(item.is_final(), "{item:?} was left open");
                let is_users = item.item_id == format!("{}:0:0", item.turn_id).as_str();
                assert!(is_users || open.contains(&item.turn_id), "{item:?} is of no open turn");
            }
            HistoryEvent::Turn(event) if event.kind.is_terminal() => {
                assert!(open.remove(&event.turn_id), "{event:?} ends what was open");
                assert!(ended.insert(&event.turn_id), "{event:?} ends once");
            }
            HistoryEvent::Turn(event) => {
                assert!(!ended.contains(&event.turn_id), "{event:?} starts again");
                assert!(open.insert(&event.turn_id), "{event:?} starts once");
            }
        }
    }
    assert!(open.is_empty(), "{open:?} never ended");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "snapshots are files")]
fn the_transcripts_read_as_reviewed() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let update = std::env::var("UPDATE_SNAPSHOTS").as_deref() == Ok("1");
    let transcripts = transcripts();
    assert!(transcripts.len() > 12, "{} transcripts", transcripts.len());
    for transcript in transcripts {
        let text: String =
            read(&transcript).iter().map(|event| format!("{} {event}\n", time(event))).collect();
        let path = directory.join(format!("{}.txt", transcript.name));
        if update {
            std::fs::write(&path, &text).unwrap();
        }
        let reviewed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(reviewed == text, "{} reads otherwise:\n{text}", transcript.name);
    }
}

/// The time of day; the day is the same in all of a transcript.
fn time(event: &HistoryEvent) -> String {
    let time = match event {
        HistoryEvent::Upsert(item) => item.source_timestamp,
        HistoryEvent::Turn(event) => event.at.unwrap(),
    };
    time.to_string()[11..23].to_owned()
}

#[test]
fn every_transcript_keeps_the_invariants() {
    for transcript in transcripts() {
        let events = read(&transcript);
        let judged = std::panic::catch_unwind(|| judge(&events));
        assert!(judged.is_ok(), "in {}", transcript.name);
    }
}

/// Replays name turns that nobody asked for, and those of messages without an id, in their own way.
fn pair_turns(live: &[ReplayEvent], read: &[HistoryEvent]) -> HashMap<TurnId, TurnId> {
    let live = live.iter().filter_map(|event| match &event.what {
        ReplayedThing::Turn(turn) => started(turn),
        _ => None,
    });
    let read = read.iter().filter_map(|event| match event {
        HistoryEvent::Turn(turn) => started(turn),
        HistoryEvent::Upsert(_) => None,
    });
    let (live, read): (Vec<_>, Vec<_>) = (live.collect(), read.collect());
    assert_eq!(live.len(), read.len(), "{live:?} {read:?}");
    for (live, read) in live.iter().zip(&read) {
        let is_named = !live.as_str().starts_with("auto-") && !live.as_str().starts_with("turn-");
        assert!(!is_named || live == read, "{live} and {read} are one turn");
    }
    live.into_iter().zip(read).collect()
}

fn started(event: &contract::TurnEvent) -> Option<TurnId> {
    let is_start = matches!(event.kind, TurnEventKind::TurnStarted { .. });
    is_start.then(|| event.turn_id.clone())
}

/// The words of an item, or what its tool was given and gave.
fn said(body: &UpsertBody) -> String {
    match body {
        UpsertBody::Message { content, origin: MessageOrigin::User } => format!("user {content}"),
        UpsertBody::Message { content, .. } => format!("agent {content}"),
        UpsertBody::Thinking { content, .. } => format!("thinking {content}"),
        UpsertBody::ToolCall(tool) => {
            format!("{} {:?} {:?}", tool.tool_name, tool.tool_arguments, tool.tool_output)
        }
    }
}

#[test]
fn a_transcript_tells_the_same_items_as_the_recording_of_its_conversation() {
    let transcripts = transcripts();
    let recordings = recordings::all();
    for (transcript, recording) in RECORDED {
        let name = *transcript;
        let transcript = transcripts.iter().find(|transcript| transcript.name == name).unwrap();
        let recording = recordings.iter().find(|sample| sample.name == *recording).unwrap();
        let live = recordings::replay(&recording.recording);
        let read = read(transcript);
        let turns = pair_turns(&live, &read);
        let live: HashMap<ItemId, _> = last_states(&live)
            .values()
            .map(|item| {
                let (live, read) = (item.turn_id.as_str(), turns[&item.turn_id].as_str());
                let id = ItemId::from(item.item_id.as_str().replacen(live, read, 1));
                (id, (said(&item.body), item.status, item.error_code.clone()))
            })
            .collect();
        let read: HashMap<ItemId, _> = read
            .iter()
            .filter_map(|event| match event {
                HistoryEvent::Upsert(item) => {
                    let told = (said(&item.body), item.status, item.error_code.clone());
                    Some((item.item_id.clone(), told))
                }
                HistoryEvent::Turn(_) => None,
            })
            .collect();
        assert_eq!(live, read, "{name}");
    }
}

#[test]
fn a_transcript_tells_the_same_ends_as_the_recording_of_its_conversation() {
    let transcripts = transcripts();
    let recordings = recordings::all();
    for (transcript, recording) in RECORDED {
        let name = *transcript;
        let transcript = transcripts.iter().find(|transcript| transcript.name == name).unwrap();
        let recording = recordings.iter().find(|sample| sample.name == *recording).unwrap();
        let live = recordings::replay(&recording.recording);
        let live = live.iter().filter_map(|event| match &event.what {
            ReplayedThing::Turn(event) => ended(event),
            _ => None,
        });
        let read = read(transcript);
        let read = read.iter().filter_map(|event| match event {
            HistoryEvent::Turn(event) => ended(event),
            HistoryEvent::Upsert(_) => None,
        });
        assert_eq!(live.collect::<Vec<_>>(), read.collect::<Vec<_>>(), "{name}");
    }
}

fn ended(event: &contract::TurnEvent) -> Option<String> {
    match &event.kind {
        TurnEventKind::TurnStarted { .. } => None,
        TurnEventKind::TurnComplete { status, .. } => Some(format!("{status:?}")),
        TurnEventKind::TurnError { error_code, error_message, error_class } => {
            Some(format!("{error_code} {error_class:?} {error_message}"))
        }
    }
}

#[test]
fn a_summary_tells_what_a_list_shows() {
    let transcripts = transcripts();
    let of = |name: &str| {
        let transcript = transcripts.iter().find(|transcript| transcript.name == name).unwrap();
        claude::summarise(transcript.text.lines())
    };
    let summary = of("2.1.325/transcript_int_tool");
    assert_eq!((summary.title.as_str(), summary.prompts), ("KSLEEPTOOL please", 2));
    assert_eq!(summary.cwd.as_deref(), Some("/home/dev/project"));
    assert!(summary.first < summary.last);
    assert_eq!(summary.session_id.len(), 36);
    // What the CLI says for itself is no prompt.
    let summary = of("2.1.325/transcript_compact");
    assert_eq!((summary.title.as_str(), summary.prompts), ("please fix the login", 2));
    assert_eq!(claude::summarise([]), claude::TranscriptSummary::default());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_missing_from_a_transcript_the_rest_keeps_the_invariants(
        which in any::<prop::sample::Index>(),
        removed in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        repeated in prop::option::of(any::<prop::sample::Index>()),
        cut in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>())),
    ) {
        let transcripts = transcripts();
        let transcript = which.get(&transcripts);
        let mut lines: Vec<&str> = transcript.text.lines().collect();
        for index in removed {
            if !lines.is_empty() {
                lines.remove(index.index(lines.len()));
            }
        }
        if let Some(index) = repeated {
            lines.push(lines[index.index(lines.len())]);
        }
        if let Some((line, at)) = cut {
            let index = line.index(lines.len());
            let at = lines[index].floor_char_boundary(at.index(lines[index].len()));
            lines[index] = &lines[index][..at];
        }
        let history = history(&lines.join("\n"), &transcript.subagents);
        prop_assert!(history.broken_lines <= 1);
        judge(&history.events);
        claude::summarise(lines);
    }
}
