//! A history that an agent tells when it loads a session.

use acp::Replayed;
use serde_json::json;

use crate::talk::Talk;

fn told_by(agent: &str, chunks: &[(&str, &str, Option<&str>)]) -> Talk {
    let mut talk = Talk::introduced(Talk::existing(Replayed::Told), agent);
    for (kind, text, message) in chunks {
        talk.chunk(kind, text, *message);
    }
    let load = talk.written("session/load");
    talk.answer(&load, &json!({}));
    talk
}

fn texts(talk: &Talk) -> Vec<String> {
    talk.messages().into_iter().map(|(_, text)| text).collect()
}

/// Each is a turn of its own, also one that the agent never answered.
#[test]
fn messages_that_the_agent_names_do_not_run_together() {
    let talk = told_by(
        "agent",
        &[
            ("user_message", "first", Some("a")),
            ("user_message", "sec", Some("b")),
            ("user_message", "ond", Some("b")),
            ("agent_message", "answer", Some("c")),
        ],
    );
    assert_eq!(texts(&talk), ["first", "second", "answer"]);
    let turns = ["own-1 started", "own-1 Completed", "own-2 started", "own-2 Completed"];
    assert_eq!(talk.turns(), turns);
    assert_eq!(talk.messages()[0].0, "own-1");
    assert_eq!(talk.messages()[1].0, talk.messages()[2].0, "the answer is the second one's");
}

/// Codex names no messages, and tells each in one piece.
#[test]
fn messages_of_codex_do_not_run_together() {
    let talk =
        told_by("codex-acp", &[("user_message", "first", None), ("user_message", "second", None)]);
    assert_eq!(texts(&talk), ["first", "second"]);
    assert_eq!(talk.turns().len(), 4, "{:?}", talk.turns());
}

/// They may be parts of one message: nobody can tell. They can be told apart all the same.
#[test]
fn parts_without_names_are_lines_of_one_message() {
    let talk = told_by("agent", &[("user_message", "look", None), ("user_message", "here", None)]);
    assert_eq!(texts(&talk), ["look\nhere"]);
}
