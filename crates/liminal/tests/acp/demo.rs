//! The demo agent: everything that a newcomer may ask of it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use contract::{
    ErrorCode, ItemStatus, ModeId, SessionId, SessionState, ToolKind, UpsertBody, UpsertObject,
};
use testkit::acp_house::AcpHouse;
use testkit::watched_session::WatchedSession;

use crate::heard::Heard;
use crate::{cancelled, completed, failure, guard};

async fn house() -> AcpHouse<()> {
    furnished(AcpHouse::demo(guard(), Path::new(env!("CARGO_BIN_EXE_liminal"))).await)
}

/// Its words take so many milliseconds each.
async fn paced_house(pace: u32) -> AcpHouse<()> {
    furnished(AcpHouse::paced_demo(guard(), Path::new(env!("CARGO_BIN_EXE_liminal")), pace).await)
}

fn furnished(house: AcpHouse<()>) -> AcpHouse<()> {
    fs::write(house.project().join("notes.md"), "one fish\ntwo fish\n").unwrap();
    house
}

/// Says something that ends well, and gives what was answered.
async fn ask(session: &mut WatchedSession<'_>, prompt: &str) -> String {
    let (turn, end) = session.turn(prompt).await;
    assert!(completed(&end), "{prompt}: {end:?}");
    session.said_in(&turn).concat()
}

#[tokio::test]
async fn it_looks_around_when_it_is_asked() {
    let house = house().await;
    let mut session = house.session().await;
    assert!(ask(&mut session, "hello").await.contains("list"), "it says what to try");
    assert!(ask(&mut session, "what is the meaning of life").await.contains("list"));
    assert!(ask(&mut session, "list files").await.contains("notes.md"));
    assert!(ask(&mut session, "read notes.md").await.contains("two fish"));
    assert!(ask(&mut session, "search for two").await.contains("line 2"));
    let kinds: Vec<_> = session.tools().iter().filter_map(|tool| tool.kind).collect();
    assert!(kinds.contains(&ToolKind::Read) && kinds.contains(&ToolKind::Search), "{kinds:?}");
    ask(&mut session, "read nothing.md").await;
    let failed = session.tools().iter().any(|tool| tool.tool_output_is_error == Some(true));
    assert!(failed, "a file that is not there is told: {:#?}", session.tools());
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn it_thinks_and_plans_aloud() {
    let house = house().await;
    let mut session = house.session().await;
    assert!(ask(&mut session, "think about cats").await.contains("cats"));
    let thought = session.items.iter().any(|item| match &item.body {
        UpsertBody::Thinking { content, .. } => content.to_string().contains("cats"),
        _ => false,
    });
    assert!(thought, "{:#?}", session.items);
    assert!(ask(&mut session, "plan a party").await.contains("complete"));
    assert_eq!(session.plan.len(), 4);
    assert!(session.plan.iter().all(|step| step.status == "completed"), "{:?}", session.plan);
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn an_edit_is_shown_asked_for_and_made() {
    let house = house().await;
    let notes = house.project().join("notes.md");
    let mut session = house.session().await;
    let turn = session.send("edit notes.md: replace two with three").await;
    let request = session.asked().await;
    let diff = session.tools()[0].diff.clone().expect("the diff is there to decide by");
    assert_eq!(diff[0].hunks[0].lines, [" one fish", "-two fish", "+three fish"]);
    assert_eq!(fs::read_to_string(&notes).unwrap(), "one fish\ntwo fish\n");
    session.choose(&request, "allow-once").await;
    assert!(completed(&session.end(&turn).await));
    assert_eq!(fs::read_to_string(&notes).unwrap(), "one fish\nthree fish\n");
    assert_eq!(session.tools()[0].diff.as_ref(), Some(&diff), "the diff stays");
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn an_edit_that_is_rejected_is_not_made_and_the_turn_goes_on() {
    let house = house().await;
    let mut session = house.session().await;
    let turn = session.send("write new.md: text").await;
    let request = session.asked().await;
    session.choose(&request, "reject-once").await;
    assert!(completed(&session.end(&turn).await));
    assert!(session.said_in(&turn).concat().contains("You said no"));
    assert!(!house.project().join("new.md").exists());
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn edits_that_are_always_allowed_are_asked_for_once() {
    let house = house().await;
    let mut session = house.session().await;
    let turn = session.send("write a.md: one").await;
    let request = session.asked().await;
    session.choose(&request, "allow-always").await;
    assert!(completed(&session.end(&turn).await));
    ask(&mut session, "write b.md: two").await;
    assert_eq!(fs::read_to_string(house.project().join("b.md")).unwrap(), "two\n");
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_mode_decides_what_an_edit_needs() {
    let house = house().await;
    let mut session = house.session().await;
    let options = house.service.options(&session.id).await.unwrap();
    let modes: Vec<&str> = options.modes.iter().map(|mode| mode.mode_id.as_str()).collect();
    let set = async |mode: &str, session: &SessionId| {
        let known = modes.iter().find(|known| known.contains(mode)).unwrap();
        house.service.set_mode(session, ModeId::from(*known)).await.unwrap();
    };
    set("read", &session.id).await;
    assert!(ask(&mut session, "write a.md: one").await.contains("read-only"));
    assert!(!house.project().join("a.md").exists());
    set("auto", &session.id).await;
    ask(&mut session, "write a.md: one").await;
    assert!(house.project().join("a.md").exists());
    session.judge();
    house.end().await;
}

/// The tour asks before it edits.
#[tokio::test]
async fn the_tour_shows_everything_once() {
    let house = house().await;
    let mut session = house.session().await;
    let turn = session.send("demo").await;
    let request = session.asked().await;
    let before = session.tools().len();
    assert!(session.tools()[before - 1].diff.is_some(), "there is something to decide by");
    session.choose(&request, "allow-once").await;
    assert!(completed(&session.end(&turn).await));
    let kinds: Vec<_> = session.tools().iter().filter_map(|tool| tool.kind).collect();
    let expected = [ToolKind::Search, ToolKind::Read, ToolKind::Search, ToolKind::Edit];
    assert_eq!(kinds, expected, "it lists, reads, searches and edits, once each");
    let read = session.tools()[1].tool_output.as_ref().unwrap().to_string();
    assert!(read.contains("two fish"), "it really reads: {read}");
    let is_thought = |item: &&Arc<UpsertObject>| matches!(item.body, UpsertBody::Thinking { .. });
    let thoughts = session.items.iter().filter(is_thought);
    assert_eq!(thoughts.count(), 1);
    let statuses: Vec<_> = session.plan.iter().map(|step| step.status.as_str()).collect();
    assert_eq!(statuses, ["completed"; 5], "the plan is kept to its end");
    let said = session.said_in(&turn);
    let sums = said.iter().filter(|text| text.contains("That was the tour")).count();
    assert!(sums == 1 && said.last().unwrap().contains("That was the tour"), "{said:?}");
    assert!(house.project().join("liminal-demo.md").exists(), "what was allowed is done");
    assert!(session.permissions.is_empty(), "and asked for once");
    session.judge();
    house.end().await;
}

/// The most memory that this process ever held, in kilobytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Every state that is shown holds the whole text so far, several a second: all of them together would be far more.
#[tokio::test]
async fn a_flood_arrives_in_full_and_is_not_kept_many_times() {
    let house = house().await;
    let mut session = house.session().await;
    ask(&mut session, "flood 100").await;
    let before = peak();
    let (turn, end) = session.turn("flood 50000").await;
    assert!(completed(&end), "{end:?}");
    let grown = peak() - before;
    let said = session.said_in(&turn);
    let text = u64::try_from(said.concat().len() / 1024).unwrap();
    assert!(grown < 10 * text, "{grown} kB for a text of {text} kB");
    let expected = (1..=50_000).map(|number| format!("{number} ")).collect::<Vec<_>>().concat();
    assert!(said.len() > 1, "it goes on in another item before the stream would shorten it");
    assert!(said.concat() == expected, "{} bytes of {}", said.concat().len(), expected.len());
    assert!(session.items.iter().all(|item| item.truncated.is_none()));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_slow_answer_is_cancelled_and_what_was_said_stays() {
    let house = paced_house(20).await;
    let mut session = house.session().await;
    let turn = session.send("slow").await;
    let shown = |item: &UpsertObject| item.content().map(ToString::to_string).unwrap_or_default();
    session
        .until("some of it is shown", |seen| {
            seen.items.iter().any(|item| shown(item).starts_with("This answer takes"))
        })
        .await;
    let seen = shown(session.items.last().unwrap());
    assert!(session.cancel().await);
    assert!(cancelled(&session.end(&turn).await));
    let last = session.items.last().unwrap().clone();
    assert_eq!((&last.turn_id, last.status), (&turn, ItemStatus::Error));
    assert_eq!(last.error_code, Some(ErrorCode::CANCELLED));
    let said = shown(&last);
    assert!(said.starts_with(&seen), "what was seen of {said:?} stays: {seen:?}");
    assert!(!said.contains("stays"), "it was not waited for: {said:?}");
    assert!(ask(&mut session, "list").await.contains("notes.md"), "and it goes on");
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn an_answer_that_hangs_is_cancelled_and_the_next_one_is_not() {
    let house = house().await;
    let mut session = house.session().await;
    let turn = session.send("hang").await;
    session.until("it says that it waits", |seen| seen.items.len() > 1).await;
    assert!(session.cancel().await);
    assert!(cancelled(&session.end(&turn).await));
    assert!(ask(&mut session, "slow").await.contains("what I said so far stays"));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_failure_is_told_and_the_next_turn_works() {
    let house = house().await;
    let mut session = house.session().await;
    let (_, end) = session.turn("fail").await;
    let (code, _, message) = failure(&end);
    assert_eq!(code, "RESPONSE_ERROR");
    assert!(message.contains("because a prompt asked it to"), "{message}");
    assert!(ask(&mut session, "list").await.contains("notes.md"));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_crash_is_told_once_and_the_session_goes_on() {
    let house = house().await;
    let mut session = house.session().await;
    ask(&mut session, "list").await;
    let (turn, end) = session.turn("crash").await;
    assert_eq!(failure(&end).0, "PROCESS_CRASH");
    let last = session.items.iter().rfind(|item| item.turn_id == turn).unwrap();
    assert_eq!(last.status, ItemStatus::Error);
    assert!(last.content().unwrap().to_string().contains("about to crash"), "{last:?}");
    house.nothing_runs().await;
    assert!(ask(&mut session, "read notes.md").await.contains("two fish"));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_killed_session_is_loaded_and_goes_on() {
    let house = house().await;
    let mut session = house.session().await;
    ask(&mut session, "list").await;
    house.service.kill(&session.id).await.unwrap();
    house.nothing_runs().await;
    assert_eq!(session.status().await.state, SessionState::Dead);
    let items = session.items.len();
    house.service.load(&session.id).await.unwrap();
    assert!(!ask(&mut session, "hello").await.is_empty());
    assert_eq!(session.items.len(), items + 2, "nothing is told twice: {:#?}", session.items);
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_session_that_nobody_here_knows_is_told_as_items_and_turns() {
    let house = house().await;
    let mut session = Heard::new(&house);
    session.create().await;
    session.turn("think about cats").await;
    session.turn("write hi.md: two").await;
    let (live, agent_session) = (session.summary(), session.agent_session.clone().unwrap());
    session.kill().await;
    let house = house.rebuilt().await;
    let mut session = Heard::new(&house);
    session.load(&agent_session, false).await.unwrap();
    assert!(session.items.iter().all(UpsertObject::is_final), "{:#?}", session.items);
    let told = session.summary();
    let live: Vec<_> = [vec!["think about cats".to_owned()], live].concat();
    let agents: Vec<_> = told.iter().filter(|told| *told != "write hi.md: two").cloned().collect();
    assert_eq!(agents, live, "what was live is told again");
    assert_eq!(session.turns.len(), 4, "{:?}", session.turns);
    assert!(session.turn("list").await.contains("hi.md"));
    session.kill().await;
    house.end().await;
}
