//! How turns end: cancelled, failed, refused; and how the agent does.

use std::time::Duration;

use agent_client_protocol::v1::schema::{
    CancelNotification, CloseSessionRequest, SessionId, StopReason,
};
use demo_agent::{RunError, serve};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::support::{Place, calls, said};

/// A pace at which no answer ends while a test looks.
const NEVER: Duration = Duration::from_secs(3600);

fn cancel(talk: &crate::support::Talk, session: &SessionId) {
    talk.agent.send_notification(CancelNotification::new(session.clone())).unwrap();
}

#[tokio::test]
async fn a_cancel_cuts_a_text_short() {
    let mut place = Place::new();
    place.pace = NEVER;
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        for prompt in ["slow", "hello", "think", "plan", "hang", "read README.md"] {
            let sent = talk.send(&session, prompt);
            talk.update().await;
            cancel(&talk, &session);
            let answer = sent.block_task().await.unwrap();
            assert_eq!(answer.stop_reason, StopReason::Cancelled, "{prompt}");
            talk.told();
        }
        // Nothing runs any more, so there is nothing to cancel.
        cancel(&talk, &session);
        cancel(&talk, &SessionId::new("unknown"));
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn a_cancel_withdraws_a_question_and_closes_its_call() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let sent = talk.send(&session, "write new.md: x");
        let (_, responder) = talk.question().await;
        cancel(&talk, &session);
        let answer = sent.block_task().await.unwrap();
        assert_eq!(answer.stop_reason, StopReason::Cancelled);
        assert_eq!(calls(&talk.told()), ["edit: pending failed"]);
        responder.cancellation().cancelled().await;
        // Too late, and it must not count for the next question either.
        crate::support::choose(responder, "allow-always");
        talk.ask_and_choose(&session, "write new.md: x", "reject-once").await;
    });
    ended.await.unwrap();
    assert_eq!(place.text("new.md"), None);
}

/// The cancel may come before, during or after the write; what is told fits what was done.
#[tokio::test]
async fn a_cancel_never_hides_what_was_written() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        for number in 0..20 {
            let session = talk.new_session().await;
            let name = format!("{number}.md");
            let sent = talk.send(&session, &format!("write {name}: x"));
            let (_, responder) = talk.question().await;
            crate::support::choose(responder, "allow-once");
            let mut told = vec![talk.update().await];
            while told[told.len() - 1]["status"] != "in_progress" {
                told.push(talk.update().await);
            }
            cancel(&talk, &session);
            sent.block_task().await.unwrap();
            told.extend(talk.told());
            let is_written = place.text(&name).is_some();
            let expected = if is_written { "completed" } else { "failed" };
            assert_eq!(calls(&told), [format!("edit: pending in_progress {expected}")]);
        }
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn a_withdrawn_request_is_a_cancel_too() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let sent = talk.send(&session, "hang");
        talk.update().await;
        sent.cancel().unwrap();
        assert_eq!(sent.block_task().await.unwrap().stop_reason, StopReason::Cancelled);
        let (reason, _) = talk.ask(&session, "hello").await;
        assert_eq!(reason, StopReason::EndTurn);
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn closing_a_session_ends_its_turn_and_forgets_it() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let sent = talk.send(&session, "hang");
        talk.update().await;
        let close = CloseSessionRequest::new(session.clone());
        talk.agent.send_request(close.clone()).block_task().await.unwrap();
        assert_eq!(sent.block_task().await.unwrap().stop_reason, StopReason::Cancelled);
        let error = talk.send(&session, "hello").block_task().await.unwrap_err();
        assert_eq!(i32::from(error.code), -32002);
        assert_eq!(error.data, Some(json!({ "sessionId": session })));
        assert!(talk.agent.send_request(close).block_task().await.is_err());
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn a_busy_session_says_so_and_another_one_is_free() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let (busy, free) = (talk.new_session().await, talk.new_session().await);
        let sent = talk.send(&busy, "hang");
        talk.update().await;
        let error = talk.send(&busy, "hello").block_task().await.unwrap_err();
        assert_eq!(i32::from(error.code), -32600);
        assert!(error.message.contains("already running"), "{}", error.message);
        let (reason, _) = talk.ask(&free, "hello").await;
        assert_eq!(reason, StopReason::EndTurn);
        cancel(&talk, &busy);
        assert_eq!(sent.block_task().await.unwrap().stop_reason, StopReason::Cancelled);
        let (reason, _) = talk.ask(&busy, "hello").await;
        assert_eq!(reason, StopReason::EndTurn);
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn it_fails_on_request_and_goes_on() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let error = talk.send(&session, "fail").block_task().await.unwrap_err();
        assert_eq!(error.message, "the demo agent failed because a prompt asked it to");
        assert!(said(&talk.told()).contains("about to fail"));
        let (reason, _) = talk.ask(&session, "hello").await;
        assert_eq!(reason, StopReason::EndTurn);
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn a_crash_ends_it_after_its_last_words() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let answer = talk.send(&session, "crash").block_task().await;
        assert!(answer.is_err());
        assert_eq!(said(&talk.told()), "I am about to crash, as you asked.\n");
    });
    assert!(matches!(ended.await, Err(RunError::Crashed)));
}

#[tokio::test]
async fn a_flood_arrives_whole_and_in_order() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let (_, told) = talk.ask(&session, "flood 5000").await;
        assert_eq!(told.len(), 5000);
        let expected: String = (1..=5000).map(|number| format!("{number} ")).collect();
        assert_eq!(said(&told), expected);
    });
    ended.await.unwrap();
}

/// What a reader does not read is not produced: neither memory nor a cancel depends on it.
#[tokio::test]
async fn a_client_that_does_not_read_stops_the_flood() {
    let place = Place::new();
    let (ours, theirs) = tokio::io::duplex(4096);
    let (input, output) = tokio::io::split(theirs);
    let (reader, mut writer) = tokio::io::split(ours);
    let mut lines = BufReader::new(reader).lines();
    let client = async {
        let mut id = 0;
        let mut request = |method: &str, params: Value| {
            id += 1;
            format!(
                "{}\n",
                json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
            )
        };
        writer
            .write_all(request("initialize", json!({ "protocolVersion": 1 })).as_bytes())
            .await
            .unwrap();
        lines.next_line().await.unwrap();
        let params = json!({ "cwd": place.project(), "mcpServers": [] });
        writer.write_all(request("session/new", params).as_bytes()).await.unwrap();
        let answer: Value =
            serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        let session = &answer["result"]["sessionId"];
        lines.next_line().await.unwrap();
        let prompt = json!([{ "type": "text", "text": "flood 100000" }]);
        let params = json!({ "sessionId": session, "prompt": prompt });
        writer.write_all(request("session/prompt", params).as_bytes()).await.unwrap();
        lines.next_line().await.unwrap();
        // The agent gets every chance to go on while nobody reads.
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
        let cancel = json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } });
        writer.write_all(format!("{cancel}\n").as_bytes()).await.unwrap();
        let mut pieces = 1;
        loop {
            let line: Value =
                serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
            if line["id"] == 3 {
                assert_eq!(line["result"]["stopReason"], "cancelled");
                break;
            }
            pieces += 1;
        }
        writer.shutdown().await.unwrap();
        drop(lines);
        pieces
    };
    let (ended, pieces) = tokio::join!(serve(place.settings(), input, output), client);
    ended.unwrap();
    assert!(pieces < 1000, "{pieces}");
}
