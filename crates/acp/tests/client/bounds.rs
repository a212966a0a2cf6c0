//! What an agent may say at length is cut where it only describes, and it can be seen.

use acp::{OpenWhat, Output};
use contract::{SessionOptions, TurnEventKind, UpsertBody};
use serde_json::{Value, json};

use crate::talk::{SESSION, Talk};

const MEGABYTE: usize = 1 << 20;

fn long() -> String {
    "ä".repeat(MEGABYTE / 2)
}

fn is_cut(text: &str) -> bool {
    text.len() < 64 * 1024 && text.ends_with('…')
}

#[test]
fn a_plan_has_a_bound_and_says_what_it_leaves_out() {
    let mut talk = Talk::open();
    talk.prompt("one");
    let entry =
        |content: &str| json!({ "content": content, "priority": "high", "status": "pending" });
    let mut entries = vec![entry(&long())];
    entries.extend((0..5_000).map(|number| entry(&format!("step {number}"))));
    talk.update(&json!({ "sessionUpdate": "plan", "entries": entries }));
    let mut plans = talk.told().iter().filter_map(|output| match output {
        Output::Plan(entries) => Some(entries),
        _ => None,
    });
    let plan = plans.next_back().unwrap();
    assert!(plan.len() < 1_000, "{}", plan.len());
    assert!(is_cut(&plan[0].content));
    let left = 5_001 - (plan.len() - 1);
    assert_eq!(plan.last().unwrap().content, format!("… and {left} more"));
}

#[test]
fn a_notice_a_title_and_an_error_have_bounds() {
    let mut talk = Talk::open();
    let prompt = talk.prompt("one");
    talk.update(&json!({ "sessionUpdate": "notice", "severity": "info", "title": long() }));
    let notice = talk.told().iter().find_map(|output| match output {
        Output::Notice(Some(notice)) => Some(notice.text.clone()),
        _ => None,
    });
    assert!(is_cut(&notice.unwrap()));
    let call = json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": long() });
    talk.update(&call);
    let names = talk.told().iter().filter_map(|output| match output {
        Output::Upsert(item) => match &item.body {
            UpsertBody::ToolCall(tool) => Some(tool.tool_name.clone()),
            _ => None,
        },
        _ => None,
    });
    assert!(names.clone().count() == 1 && names.into_iter().all(|name| is_cut(&name)));
    talk.update(&call);
    let shown = talk.told().iter().filter(|output| matches!(output, Output::Upsert(_))).count();
    assert_eq!(shown, 1, "the same title is nothing new");
    talk.refuse(&prompt, &long());
    let failed = talk.told().iter().find_map(|output| match output {
        Output::Turn(event) => match &event.kind {
            TurnEventKind::TurnError { error_message, .. } => Some(error_message.clone()),
            _ => None,
        },
        _ => None,
    });
    assert!(is_cut(&failed.unwrap()));
}

#[test]
fn what_a_permission_offers_has_a_bound_and_ids_are_never_cut() {
    let mut talk = Talk::open();
    talk.prompt("one");
    let option =
        |id: &str, name: &str| json!({ "optionId": id, "name": name, "kind": "allow_once" });
    let mut options = vec![option("no", &long()), option(&long(), "too long to be one")];
    options.extend((0..1_000).map(|number| option(&number.to_string(), "more")));
    talk.ask("ask", &long(), &Value::from(options));
    let asked = talk.asked();
    let request = asked.first().unwrap();
    assert!(is_cut(&request.title) && is_cut(request.tool_name.as_deref().unwrap()));
    assert!(is_cut(&request.options[0].name));
    assert!(request.options.len() <= 64, "{}", request.options.len());
    assert!(request.options.iter().all(|option| option.option_id.as_str().len() < 8));
}

#[test]
fn settings_and_commands_have_bounds() {
    let mut talk = Talk::introduced(OpenWhat::New, "agent");
    let mut modes = vec![json!({ "id": "a", "name": long(), "description": long() })];
    modes.push(json!({ "id": long(), "name": "no id" }));
    modes.extend((0..20_000).map(|number| json!({ "id": number.to_string(), "name": "more" })));
    let new = talk.written("session/new");
    let modes = json!({ "currentModeId": "a", "availableModes": modes });
    talk.answer(&new, &json!({ "sessionId": SESSION, "modes": modes }));
    let mut commands = vec![json!({ "name": "c", "description": long() })];
    let more = |number: i32| json!({ "name": number.to_string(), "description": "more" });
    commands.extend((0..20_000).map(more));
    talk.update(
        &json!({ "sessionUpdate": "available_commands_update", "availableCommands": commands }),
    );
    let options = talk.told().iter().rev().find_map(|output| match output {
        Output::Options(options) => Some((**options).clone()),
        _ => None,
    });
    let SessionOptions { modes, commands, .. } = options.unwrap();
    assert!(modes.len() <= 2_000 && commands.len() <= 2_000);
    assert!(is_cut(&modes[0].name) && is_cut(modes[0].description.as_deref().unwrap()));
    assert!(modes.iter().all(|mode| mode.mode_id.as_str().len() < 8));
    assert!(is_cut(&commands[0].description));
}

#[test]
fn a_message_without_end_goes_on_in_another_item() {
    let mut talk = Talk::open();
    let prompt = talk.prompt("one");
    for name in [None, Some("m")] {
        for _ in 0..6 {
            talk.chunk("agent_message", &long(), name);
        }
    }
    talk.answer(&prompt, &json!({ "stopReason": "end_turn" }));
    let ended = talk.told().iter().filter_map(|output| match output {
        Output::Upsert(item) if item.is_final() => item.content().map(contract::Text::len),
        _ => None,
    });
    let lengths: Vec<_> = ended.map(|length| length / MEGABYTE).collect();
    assert_eq!(lengths, [1; 12], "nothing is lost, and no item is longer");
}
