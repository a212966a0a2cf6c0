//! The rollouts that Codex keeps of its conversations, read as history and compared with what was live.
//!
//! `UPDATE_SNAPSHOTS=1` writes the reviewed readings anew, as for the recordings. A `.rec.jsonl` beside a rollout is the
//! recording of the same conversation.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use acp::rollout::{self, RolloutHistory, RolloutSummary};
use contract::{
    ItemId, MessageOrigin, ProviderId, SessionId, ToolCall, TurnEvent, TurnEventKind, TurnId,
    UpsertBody, UpsertObject,
};
use proptest::prelude::*;
use recording::{HistoryEvent, Recording, ReplayedThing};

use crate::recordings;

/// Rollouts of conversations that were recorded too, in one process or in two.
const RECORDED: &[(&str, &[&str])] = &[
    ("rollout_compacted", &["rollout_compacted"]),
    ("rollout_crashed", &["rollout_crashed", "rollout_crashed_again"]),
    ("rollout_endings", &["rollout_endings"]),
    ("rollout_long_command", &["rollout_long_command"]),
    ("rollout_polled", &["rollout_polled"]),
    ("rollout_tools", &["rollout_tools"]),
];

/// What Codex does not keep: text of an answer that was not finished, a command of the user's, its own advice.
const LIVE_ONLY: &[&str] = &[
    "agent: word1 word2 ",
    "agent: word1 word2 word3 word4 ",
    "user: /compact",
    "agent: Context compacted\nHeads up: Long threads and multiple compactions can cause the model to be less accurate. Start a new thread when possible to keep threads small and targeted.",
];
const ROLLOUT_ONLY: &[&str] = &["agent: Context compacted"];

/// Commands that outlived their call: live, their first output is never told.
const LIVE_MISSES: &[&str] = &["rollout_long_command", "rollout_polled"];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rollouts")
}

#[expect(clippy::disallowed_methods, reason = "tests read the rollouts")]
pub(crate) fn text(name: &str) -> String {
    std::fs::read_to_string(directory().join(format!("{name}.jsonl"))).unwrap()
}

fn names() -> Vec<String> {
    let files = std::fs::read_dir(directory()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names
        .filter(|name| !name.ends_with(".rec.jsonl"))
        .map(|name| name.trim_end_matches(".jsonl").to_owned())
        .collect();
    names.sort();
    names
}

pub(crate) fn history(text: &str) -> RolloutHistory {
    rollout::history(&SessionId::from("imported"), &ProviderId::from("codex"), text)
}

fn read(name: &str) -> Vec<HistoryEvent> {
    let history = history(&text(name));
    assert_eq!((history.broken_lines, history.unknown_lines), (0, 0), "{name}");
    history.events
}

/// Every turn starts before its items and ends once after them; every item is told once, in a final state.
pub(crate) fn judge(events: &[HistoryEvent]) {
    let mut open: HashSet<&TurnId> = HashSet::new();
    let mut ended: HashSet<&TurnId> = HashSet::new();
    let mut items: HashSet<&ItemId> = HashSet::new();
    for event in events {
        match event {
            HistoryEvent::Upsert(item) => {
                assert!(items.insert(&item.item_id), "{item:?} is told once");
                assert!(item.is_final(), "{item:?} was left open");
                assert!(item.started_at <= Some(item.source_timestamp), "{item:?}");
                let is_users = item.item_id == ItemId::of_user_message(&item.turn_id);
                assert!(is_users || open.contains(&item.turn_id), "{item:?} is of no open turn");
                assert!(!ended.contains(&item.turn_id), "{item:?} comes after its turn");
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
fn the_rollouts_read_as_reviewed() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/rollouts");
    let update = std::env::var("UPDATE_SNAPSHOTS").as_deref() == Ok("1");
    let names = names();
    assert!(names.len() > 6, "{names:?}");
    for name in names {
        let text = readable(&read(&name));
        let path = directory.join(format!("{name}.txt"));
        if update {
            std::fs::create_dir_all(&directory).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let reviewed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(reviewed == text, "{name} reads otherwise:\n{text}");
    }
}

/// With the time of day; the day is the same in all of a rollout. The ends of Codex's ids tell them apart.
pub(crate) fn readable(events: &[HistoryEvent]) -> String {
    let line = |event: &HistoryEvent| {
        let (time, turn) = match event {
            HistoryEvent::Upsert(item) => (item.source_timestamp, &item.turn_id),
            HistoryEvent::Turn(event) => (event.at.unwrap(), &event.turn_id),
        };
        let short: String = turn.as_str().chars().take(8).collect();
        let end = turn.as_str().rsplit('-').next().unwrap();
        format!("{} {}\n", &time.to_string()[11..23], event.to_string().replacen(&short, end, 1))
    };
    events.iter().map(line).collect()
}

#[test]
fn every_rollout_keeps_the_invariants() {
    for name in names() {
        judge(&read(&name));
    }
}

/// Live items in their last states, in the order in which they began, and the turns' events.
fn live(recordings: &[&str]) -> (Vec<UpsertObject>, Vec<TurnEvent>) {
    let (mut items, mut turns) = (Vec::new(), Vec::new());
    for name in recordings {
        let recording = Recording::parse(&text(&format!("{name}.rec"))).unwrap();
        let mut order: Vec<ItemId> = Vec::new();
        let mut last = BTreeMap::new();
        for event in recordings::replay(&recording) {
            match event.what {
                // What a load tells of before is not live.
                ReplayedThing::Upsert(item) if item.turn_id.as_str().starts_with("turn-") => {
                    if !last.contains_key(&item.item_id) {
                        order.push(item.item_id.clone());
                    }
                    last.insert(item.item_id.clone(), *item);
                }
                ReplayedThing::Turn(event) if event.turn_id.as_str().starts_with("turn-") => {
                    turns.push(*event);
                }
                _ => {}
            }
        }
        items.extend(order.iter().map(|id| last[id].clone()));
    }
    (items, turns)
}

fn split(events: &[HistoryEvent]) -> (Vec<UpsertObject>, Vec<TurnEvent>) {
    let (mut items, mut turns) = (Vec::new(), Vec::new());
    for event in events {
        match event {
            HistoryEvent::Upsert(item) => items.push((**item).clone()),
            HistoryEvent::Turn(event) => turns.push((**event).clone()),
        }
    }
    (items, turns)
}

fn said(items: &[UpsertObject], besides: &[&str]) -> Vec<String> {
    let said = items.iter().filter_map(|item| match &item.body {
        UpsertBody::Message { content, origin: MessageOrigin::User } => {
            Some(format!("user: {content}"))
        }
        UpsertBody::Message { content, .. } => Some(format!("agent: {content}")),
        UpsertBody::Thinking { content, .. } => Some(format!("thought: {content}")),
        UpsertBody::ToolCall(_) => None,
    });
    said.filter(|said| !besides.contains(&said.as_str())).collect()
}

fn tools(items: &[UpsertObject]) -> BTreeMap<String, (&UpsertObject, &ToolCall)> {
    let tools = items.iter().filter_map(|item| match &item.body {
        UpsertBody::ToolCall(tool) => Some((tool.call_id.to_string(), (item, tool))),
        _ => None,
    });
    tools.collect()
}

#[test]
fn a_rollout_tells_the_words_that_were_live() {
    for (name, recordings) in RECORDED {
        let (live, _) = live(recordings);
        let (read, _) = split(&read(name));
        assert_eq!(said(&read, ROLLOUT_ONLY), said(&live, LIVE_ONLY), "{name}");
    }
}

#[test]
fn a_rollout_tells_the_tools_that_were_live() {
    for (name, recordings) in RECORDED {
        let (live, _) = live(recordings);
        let (read, _) = split(&read(name));
        let (live, read) = (tools(&live), tools(&read));
        for (call, (live_item, live)) in live {
            let (read_item, read) = read[&call];
            let state = |item: &UpsertObject| (item.status, item.error_code.clone());
            assert_eq!(state(read_item), state(live_item), "{name} {call}");
            assert_eq!(read.tool_output_is_error, live.tool_output_is_error, "{name} {call}");
            let changed = |tool: &ToolCall| {
                let files = tool.diff.clone().unwrap_or_default().into_iter();
                let lines = |file: contract::FileDiff| {
                    (file.path, file.hunks.into_iter().flat_map(|hunk| hunk.lines).collect())
                };
                files.map(lines).collect::<BTreeMap<String, Vec<String>>>()
            };
            assert_eq!(changed(read), changed(live), "{name} {call}");
            let output = |tool: &ToolCall| tool.tool_output.as_ref().map(ToString::to_string);
            match LIVE_MISSES.contains(name) {
                true => {
                    let (read, live) = (output(read).unwrap(), output(live).unwrap());
                    assert!(read.ends_with(&live), "{name} {call}: {read:?} {live:?}");
                }
                false => assert_eq!(output(read), output(live), "{name} {call}"),
            }
        }
    }
}

#[test]
fn a_rollout_tells_the_ends_that_were_live() {
    let ends = |turns: Vec<TurnEvent>| -> Vec<String> {
        let ends = turns.into_iter().filter_map(|event| match event.kind {
            TurnEventKind::TurnStarted { .. } => None,
            TurnEventKind::TurnComplete { status, .. } => Some(format!("{status:?}")),
            // Why is not kept.
            TurnEventKind::TurnError { error_code, .. } => Some(error_code.to_string()),
        });
        ends.collect()
    };
    for (name, recordings) in RECORDED {
        assert_eq!(ends(split(&read(name)).1), ends(live(recordings).1), "{name}");
    }
}

#[test]
fn a_summary_tells_what_a_list_shows() {
    let of = |name: &str| rollout::summarise(text(name).lines());
    let summary = of("rollout_endings");
    assert_eq!((summary.title.as_str(), summary.prompts), ("Begin.", 9));
    assert_eq!(summary.cwd.as_deref(), Some("/home/dev/project"));
    assert_eq!(summary.session_id, "01a1e273-afbc-70c3-9873-746c52ccd873");
    assert!(summary.first < summary.last && !summary.is_of_agent);
    // Neither a command nor what Codex tells its model is a prompt.
    assert_eq!(of("rollout_compacted").prompts, 2);
    assert_eq!(of("rollout_two_prompts_tool").title, "KCHAIN first");
    assert_eq!(rollout::summarise([]), RolloutSummary::default());
}

#[test]
fn no_line_is_missed_so_much_that_the_rest_breaks() {
    for name in names() {
        let text = text(&name);
        let lines: Vec<&str> = text.lines().collect();
        for missing in 0..lines.len() {
            let rest: Vec<&str> =
                (0..lines.len()).filter(|line| *line != missing).map(|line| lines[line]).collect();
            judge(&history(&rest.join("\n")).events);
            rollout::summarise(rest);
        }
    }
}

#[test]
fn a_rollout_that_ends_anywhere_is_read_to_there() {
    let text = text("rollout_tools");
    let whole = split(&history(&text).events).0.len();
    let ends = (0..text.len()).filter(|end| text.is_char_boundary(*end));
    // Every byte around the ends of lines, and some within them.
    let near = |end: &usize| {
        end.is_multiple_of(97)
            || text[text.floor_char_boundary(end.saturating_sub(3))..*end].contains('\n')
    };
    let mut most = 0;
    for end in ends.filter(near) {
        let cut = &text[..end];
        let history = history(cut);
        judge(&history.events);
        assert!(history.broken_lines <= 1, "at {end}");
        most = most.max(split(&history.events).0.len());
        rollout::summarise(cut.lines());
    }
    assert_eq!(most, whole);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_to_a_rollout_the_rest_keeps_the_invariants(
        which in any::<prop::sample::Index>(),
        removed in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        repeated in prop::option::of(any::<prop::sample::Index>()),
        swapped in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>())),
        cut in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>())),
    ) {
        let names = names();
        let text = text(&names[which.index(names.len())]);
        let mut lines: Vec<&str> = text.lines().collect();
        for index in removed {
            lines.remove(index.index(lines.len()));
        }
        if let Some(index) = repeated {
            lines.push(lines[index.index(lines.len())]);
        }
        if let Some((one, other)) = swapped {
            let (one, other) = (one.index(lines.len()), other.index(lines.len()));
            lines.swap(one, other);
        }
        if let Some((line, at)) = cut {
            let index = line.index(lines.len());
            let at = lines[index].floor_char_boundary(at.index(lines[index].len()));
            lines[index] = &lines[index][..at];
        }
        let history = history(&lines.join("\n"));
        prop_assert!(history.broken_lines <= 1);
        judge(&history.events);
        rollout::summarise(lines);
    }
}
