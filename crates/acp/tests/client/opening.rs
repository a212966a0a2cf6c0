//! What is heard before the session is open.

use acp::{OpenWhat, Output, Replayed};
use serde_json::json;

use crate::talk::{SESSION, Talk};

/// Nobody looks at the session yet, and the agent may not go on before it is answered.
#[test]
fn a_permission_that_is_asked_before_the_session_is_open_is_denied_at_once() {
    let options = json!([{ "optionId": "yes", "name": "Yes", "kind": "allow_once" }]);
    let cancelled = json!({ "outcome": { "outcome": "cancelled" } });
    let new = Talk::introduced(OpenWhat::New, "agent");
    let load = Talk::introduced(Talk::existing(Replayed::Told), "agent");
    for (mut talk, method) in [(new, "session/new"), (load, "session/load")] {
        talk.ask("ask", "touch made", &options);
        assert_eq!(talk.answers_to("ask"), [&cancelled], "before {method} is answered");
        let open = talk.written(method);
        talk.answer(&open, &json!({ "sessionId": SESSION }));
        assert_eq!(talk.answers_to("ask").len(), 1, "once");
        assert!(talk.asked().is_empty() && talk.turns().is_empty(), "{:?}", talk.told());
        assert!(talk.told().iter().any(|output| matches!(output, Output::Ready(_))));
    }
}

#[test]
fn a_permission_that_is_asked_by_an_agent_that_was_only_greeted_is_denied() {
    let mut talk = Talk::new(OpenWhat::Nothing);
    talk.ask("ask", "touch made", &json!([{ "optionId": "y", "kind": "allow_once" }]));
    assert_eq!(talk.answers_to("ask").len(), 1);
    assert!(talk.asked().is_empty());
}
