//! The timeline keeps its promises whatever a provider says.

use contract::{ErrorCode, ItemStatus, Seq, UpsertObject};
use store::{HistoryQuery, PageLimit};

use crate::support::Watched;

#[tokio::test]
async fn items_keep_their_place_and_beginning_while_they_change() {
    let run = Watched::start().await;
    let turn = run.sample("t");
    for (item, text) in [("a", "1"), ("b", "2"), ("a", "1 2")] {
        run.test.agent.emit(turn.message(item, ItemStatus::Update, text)).await;
    }
    run.settle().await;
    let item = run.test.service.item(&run.session, &"a".into()).await.unwrap();
    assert_eq!((item.position, item.seq), (Some(Seq(1)), Some(Seq(3))));
    assert!(item.started_at.is_some());
    let page = run
        .test
        .service
        .history(
            &run.session,
            HistoryQuery::Newest { limit: PageLimit { entries: 10, bytes: 1 << 20 } },
        )
        .await
        .unwrap();
    let ids: Vec<_> = page.entries.iter().map(|entry| entry.item_id.to_string()).collect();
    assert_eq!(ids, ["a", "b"]);
    let missing = run.test.service.item(&run.session, &"c".into()).await;
    assert_eq!(missing.unwrap_err().code(), ErrorCode::ITEM_NOT_FOUND);
}

#[tokio::test]
async fn what_has_ended_stays_ended() {
    let run = Watched::start().await;
    let turn = run.sample("t");
    run.test.agent.emit_turn(turn.started()).await;
    run.test.agent.emit(turn.message("done", ItemStatus::Complete, "final")).await;
    run.test.agent.emit(turn.message("done", ItemStatus::Update, "more")).await;
    run.test.agent.emit(turn.message("broken", ItemStatus::Error, "half")).await;
    run.test.agent.emit(turn.message("broken", ItemStatus::Complete, "whole")).await;
    run.test.agent.emit(run.sample("other").message("done", ItemStatus::Complete, "stolen")).await;
    run.test.agent.emit_turn(turn.started()).await;
    run.test.agent.emit_turn(turn.completed()).await;
    run.test.agent.emit_turn(turn.failed(ErrorCode::RESPONSE_ERROR)).await;
    run.test.agent.emit(turn.message("late", ItemStatus::Complete, "after the end")).await;
    let expected = [
        "1 t started",
        "2 done Complete \"final\"",
        "3 broken Error INTERRUPTED \"half\"",
        "4 t Completed",
    ];
    assert_eq!(run.story().await, expected);
}

#[tokio::test]
async fn work_that_outlives_its_turn_may_still_report() {
    let run = Watched::start().await;
    let turn = run.sample("t");
    run.test.agent.emit_turn(turn.started()).await;
    run.test
        .agent
        .emit(turn.tool("tool", ItemStatus::Complete, Some("started in the background")))
        .await;
    run.test.agent.emit_turn(turn.completed()).await;
    run.settle().await;
    run.test.agent.emit(turn.tool("tool", ItemStatus::Complete, Some("done"))).await;
    let child = UpsertObject {
        parent_item_id: Some("tool".into()),
        ..turn.message("child", ItemStatus::Complete, "from a subagent")
    };
    run.test.agent.emit(child).await;
    let story = run.story().await;
    assert_eq!(story[2..], ["4 tool Complete", "5 child Complete \"from a subagent\""]);
}

#[tokio::test]
async fn an_item_of_no_known_turn_shows_up() {
    let run = Watched::start().await;
    run.test.agent.emit(run.sample("nobody").message("stray", ItemStatus::Complete, "hello")).await;
    assert_eq!(run.story().await, ["1 stray Complete \"hello\""]);
}

#[tokio::test]
async fn text_that_a_provider_left_open_ends_with_its_turn() {
    let run = Watched::start().await;
    for (turn, item) in [("done", "a"), ("stopped", "b"), ("failed", "c")] {
        let turn = run.sample(turn);
        run.test.agent.emit_turn(turn.started()).await;
        run.test.agent.emit(turn.message(item, ItemStatus::Create, "half")).await;
        run.test.agent.emit(turn.tool(&format!("{item}-tool"), ItemStatus::Complete, None)).await;
    }
    run.settle().await;
    run.story().await;
    run.test.agent.emit_turn(run.sample("done").completed()).await;
    run.test.agent.emit_turn(run.sample("stopped").cancelled()).await;
    run.test.agent.emit_turn(run.sample("failed").failed(ErrorCode::RESPONSE_ERROR)).await;
    run.test.agent.emit(run.sample("done").message("a", ItemStatus::Update, "half and more")).await;
    let expected = [
        "10 a Complete \"half\"",
        "11 done Completed",
        "12 b Error CANCELLED \"half\"",
        "13 stopped Cancelled",
        "14 c Error INTERRUPTED \"half\"",
        "15 failed failed RESPONSE_ERROR",
    ];
    assert_eq!(run.story().await, expected);
}
