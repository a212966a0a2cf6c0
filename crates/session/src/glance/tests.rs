use contract::{ErrorCode, ItemStatus, Text, TurnStatus};

use super::*;

fn at(millis: u64) -> Now {
    let wall = Timestamp::from_millis(i64::try_from(millis).unwrap());
    Now { moment: Moment::from_millis(millis), wall }
}

fn item(id: &str, body: UpsertBody, status: ItemStatus) -> Change {
    let item = UpsertObject::new("t".into(), "s".into(), id.into(), body);
    Change::Upsert(Arc::new(UpsertObject { status, ..item }))
}

fn said(text: &str) -> Change {
    let body = UpsertBody::Message { content: text.into(), origin: MessageOrigin::Agent };
    item("m", body, ItemStatus::Update)
}

fn call(id: &str, name: &str, arguments: &serde_json::Value, output: Option<&str>) -> Change {
    let tool = ToolCall {
        tool_name: name.to_owned(),
        tool_arguments: arguments.as_object().unwrap().clone().into(),
        call_id: id.into(),
        tool_output: output.map(Text::from),
        tool_output_is_error: None,
        kind: None,
        locations: None,
        diff: None,
    };
    item(id, UpsertBody::ToolCall(tool), ItemStatus::Complete)
}

fn turn(kind: TurnEventKind, millis: i64) -> Change {
    let event = TurnEvent {
        turn_id: "t".into(),
        session_id: "s".into(),
        seq: None,
        at: Some(Timestamp::from_millis(millis)),
        kind,
    };
    Change::Turn(Arc::new(event))
}

fn started(millis: i64) -> Change {
    let kind = TurnEventKind::TurnStarted {
        model_id: "m".into(),
        provider_id: "p".into(),
        origin: None,
        joined_turn_id: None,
    };
    turn(kind, millis)
}

fn ended() -> Change {
    turn(TurnEventKind::TurnComplete { status: TurnStatus::Completed, usage: None }, 0)
}

fn taken(glance: &mut Glance, millis: u64) -> Option<SessionGlance> {
    glance.take(&"s".into(), at(millis))
}

#[test]
fn nothing_is_told_of_a_session_that_does_nothing() {
    let mut glance = Glance::default();
    assert_eq!((glance.deadline(), taken(&mut glance, 5000)), (None, None));
}

#[test]
fn it_is_told_once_a_second_and_then_as_it_is() {
    let mut glance = Glance::default();
    glance.hear(at(10));
    glance.note(&said("one"));
    assert_eq!(taken(&mut glance, 10).unwrap().line.as_deref(), Some("one"));
    for (text, millis) in [("one two", 200), ("one two three", 900)] {
        glance.hear(at(millis));
        glance.note(&said(text));
        assert_eq!(taken(&mut glance, millis), None, "too soon");
    }
    assert_eq!(glance.deadline(), Some(Moment::from_millis(1010)));
    let told = taken(&mut glance, 1010).unwrap();
    assert_eq!(told.line.as_deref(), Some("one two three"));
    assert_eq!(told.at, Timestamp::from_millis(900));
    assert_eq!(taken(&mut glance, 9000), None, "nothing is new");
}

#[test]
fn a_turn_is_told_from_its_start_to_its_end() {
    let mut glance = Glance::default();
    glance.note(&started(70));
    let told = taken(&mut glance, 100).unwrap();
    assert_eq!(
        (told.turn_started_at, told.at),
        (Some(Timestamp::from_millis(70)), Timestamp::from_millis(70))
    );
    glance.note(&call("c", "Bash", &serde_json::json!({"command": "make"}), None));
    glance.note(&ended());
    let told = taken(&mut glance, 2000).unwrap();
    assert_eq!((told.turn_started_at, told.tool), (None, None));
}

#[test]
fn a_failure_is_told_in_its_own_words() {
    let mut glance = Glance::default();
    glance.note(&said("half an ans"));
    let error_code = ErrorCode::PROCESS_CRASH;
    let error_message = "the agent died\n".to_owned();
    glance
        .note(&turn(TurnEventKind::TurnError { error_code, error_message, error_class: None }, 0));
    assert_eq!(taken(&mut glance, 0).unwrap().line.as_deref(), Some("the agent died"));
}

#[test]
fn the_tool_that_runs_is_the_last_that_began_and_has_not_ended() {
    let mut glance = Glance::default();
    let (read, make) =
        (serde_json::json!({"file_path": "a.rs"}), serde_json::json!({"command": "make\n  all"}));
    glance.note(&call("a", "Read", &read, None));
    glance.note(&call("b", "Bash", &make, None));
    assert_eq!(taken(&mut glance, 0).unwrap().tool.as_deref(), Some("Bash: make all"));
    glance.note(&call("b", "Bash", &make, Some("done")));
    assert_eq!(taken(&mut glance, 1000).unwrap().tool.as_deref(), Some("Read: a.rs"));
    glance.note(&call("a", "Read", &read, Some("")));
    assert_eq!(taken(&mut glance, 2000).unwrap().tool, None);
}

#[test]
fn what_people_write_is_not_what_the_agent_says() {
    let mut glance = Glance::default();
    let body = UpsertBody::Message { content: "please".into(), origin: MessageOrigin::User };
    glance.note(&item("u", body, ItemStatus::Complete));
    assert_eq!(taken(&mut glance, 0), None);
}

#[test]
fn long_lines_and_many_calls_are_bounded() {
    let mut glance = Glance::default();
    let long = "ä".repeat(100_000);
    glance.note(&said(&format!("first\n\n{long}\n  \n")));
    for n in 0..1000 {
        let arguments = serde_json::json!({ "command": long });
        glance.note(&call(&format!("c{n}"), &long, &arguments, None));
    }
    assert_eq!(glance.tools.len(), REMEMBERED);
    let told = taken(&mut glance, 0).unwrap();
    assert!(told.line.is_some_and(|line| line.starts_with('…') && line.chars().count() == LONGEST));
    assert!(told.tool.is_some_and(|tool| tool.chars().count() <= LONGEST));
    assert!(glance.said.is_none(), "a text is let go");
}
