//! Why an agent ended, as a recording tells it.

use claude::Replay;
use contract::TurnEventKind;
use recording::{Direction, Entry, Recorded, ReplayEvent, ReplayedThing};
use serde_json::json;

fn line(from: Direction, line: &str) -> Entry {
    Entry { ms: 1, from, what: Recorded::Line(line.to_owned()) }
}

fn agent_event(event: &str) -> Entry {
    Entry { ms: 2, from: Direction::Agent, what: Recorded::Event(event.to_owned()) }
}

/// A turn that has begun.
fn begun() -> Vec<Entry> {
    let message = json!({ "role": "user", "content": "go" });
    let host = json!({ "type": "user", "uuid": "t", "message": message });
    let init = json!({
        "type": "system", "subtype": "init", "session_id": "s", "model": "m", "permissionMode": "default",
        "capabilities": ["msg_lifecycle_v1"], "user_message_uuids": ["t"],
    });
    vec![line(Direction::Host, &host.to_string()), line(Direction::Agent, &init.to_string())]
}

fn replay(entries: impl IntoIterator<Item = Entry>) -> Vec<ReplayEvent> {
    let mut replay = Replay::default();
    entries.into_iter().for_each(|entry| replay.feed(&entry));
    replay.finish(3);
    replay.take_events()
}

/// How the turn of `begun` failed after that.
fn failure(rest: impl IntoIterator<Item = Entry>) -> (String, String) {
    let failures: Vec<_> = replay(begun().into_iter().chain(rest))
        .into_iter()
        .filter_map(|event| match event.what {
            ReplayedThing::Turn(event) => match event.kind {
                TurnEventKind::TurnError { error_code, error_message, .. } => {
                    Some((error_code.to_string(), error_message))
                }
                _ => None,
            },
            _ => None,
        })
        .collect();
    let [failure] = failures.as_slice() else { panic!("{failures:?}") };
    failure.clone()
}

fn crashed(message: &str) -> (String, String) {
    ("PROCESS_CRASH".to_owned(), message.to_owned())
}

#[test]
fn a_crash_is_told_in_the_words_of_the_live_session() {
    let eof = || agent_event("eof");
    assert_eq!(
        failure([agent_event("signal 9"), eof()]),
        crashed("Claude Code was ended by signal 9")
    );
    let words = ["Error: out of luck", "  at once"].map(|words| line(Direction::Stderr, words));
    assert_eq!(
        failure(words.into_iter().chain([agent_event("exit 1"), eof()])),
        crashed("Claude Code exited with code 1: Error: out of luck\n  at once")
    );
    assert_eq!(failure([eof()]), crashed("the agent's output ended"));
    assert_eq!(failure([]), crashed("the agent's output ended"), "a recording may break off");
}

#[test]
fn an_agent_that_was_told_to_end_did_not_crash() {
    let request = json!({ "type": "control_request", "request_id": "end", "request": { "subtype": "end_session" } });
    let rest =
        [line(Direction::Host, &request.to_string()), agent_event("signal 15"), agent_event("eof")];
    assert_eq!(failure(rest), ("INTERRUPTED".to_owned(), "the session was ended".to_owned()));
}

#[test]
fn an_agent_that_never_began_is_told_with_the_reason() {
    let told = replay([agent_event("failed the program claude was not found")]);
    let told: Vec<_> = told.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["      2 status error (failed: the program claude was not found)"]);
}
