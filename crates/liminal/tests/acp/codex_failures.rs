//! Codex: models that fail, and an output with noise in it.

use std::sync::atomic::{AtomicUsize, Ordering};

use contract::ItemStatus;
use testkit::CodexHome;
use testkit::acp_house::AcpHouse;
use testkit::agents::codex_acp;
use testkit::responses_api::{ResponsesApi, ResponsesReply};

use crate::{CodexHouse, codex, completed, failure, guard};

/// "fail" gets the failing answer, everything else a good one.
async fn failing(reply: fn() -> ResponsesReply) -> CodexHouse {
    codex(move |request| match request.last_user_text().as_str() {
        "fail" => reply(),
        said => ResponsesReply::text(&format!("Answer to {said}")),
    })
    .await
}

async fn fails_with(reply: fn() -> ResponsesReply, class: &str) {
    let house = failing(reply).await;
    let mut session = house.session().await;
    let (_, end) = session.turn("fail").await;
    let (code, told, message) = failure(&end);
    assert_eq!((code, told), ("RESPONSE_ERROR", Some(class)), "{message}");
    assert!(message.len() > 10 && message != "Internal error", "{message}");
    let (next, end) = session.turn("next").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&next), ["Answer to next"]);
    assert!(session.status().await.notice.is_none(), "the notice is gone");
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_wrong_key_is_named() {
    let refuse = || ResponsesReply::status(401, "invalid_api_key").error_message("a wrong key");
    fails_with(refuse, "authentication_failed").await;
}

#[tokio::test]
async fn a_rate_limit_is_named() {
    fails_with(|| ResponsesReply::status(429, "rate_limit_exceeded"), "rate_limit").await;
}

#[tokio::test]
async fn a_failing_server_is_named() {
    fails_with(|| ResponsesReply::status(500, "server_error"), "server_error").await;
}

#[tokio::test]
async fn an_answer_that_nobody_can_read_is_a_failure() {
    let house = failing(ResponsesReply::malformed).await;
    let mut session = house.session().await;
    let (_, end) = session.turn("fail").await;
    assert_eq!(failure(&end).0, "RESPONSE_ERROR");
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn text_before_a_failure_is_kept() {
    let house = failing(|| ResponsesReply::words(40).failed_after(5, "server_error", "no")).await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("fail").await;
    assert_eq!(failure(&end).0, "RESPONSE_ERROR");
    let kept = session.items.iter().find(|item| item.status == ItemStatus::Error).unwrap();
    assert_eq!((&kept.turn_id, kept.error_code.as_ref().unwrap().as_str()), (&turn, "INTERRUPTED"));
    assert!(kept.content().unwrap().to_string().starts_with("word1 "), "{kept:?}");
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}

/// Codex never answers a prompt that comes too soon after an error; each one here is sent at once.
#[tokio::test]
async fn a_message_right_behind_an_error_is_answered() {
    let house = failing(|| ResponsesReply::status(400, "invalid_request_error")).await;
    let mut session = house.session().await;
    for round in 0..20 {
        let failing = session.send("fail").await;
        let next = session.send("next").await;
        assert_eq!(failure(&session.end(&failing).await).0, "RESPONSE_ERROR");
        let end = session.end(&next).await;
        assert!(completed(&end), "round {round}: {end:?}");
    }
    assert_eq!(session.said().len(), 20);
    session.judge();
    house.end().await;
}

/// A house whose Codex asks again for a stream that broke, and gets it told from its beginning.
async fn persistent(api: ResponsesApi) -> CodexHouse {
    let home = CodexHome::with_settings(&api, "untrusted", "danger-full-access", 3);
    AcpHouse::codex_with(guard(), api, home, vec![codex_acp().into()]).await
}

#[tokio::test]
async fn a_stream_that_always_breaks_is_a_failure_and_each_try_is_told_apart() {
    let api = ResponsesApi::start(|request| match request.last_user_text().as_str() {
        "cut" => ResponsesReply::words(20).cut_after(3),
        said => ResponsesReply::text(&format!("Answer to {said}")),
    });
    let house = persistent(api.await).await;
    let mut session = house.session().await;
    let (_, end) = session.turn("cut").await;
    assert_eq!(failure(&end).0, "RESPONSE_ERROR");
    let tries = session.items.iter().filter(|item| item.status == ItemStatus::Error);
    let tries: Vec<String> = tries.map(|item| item.content().unwrap().to_string()).collect();
    assert_eq!(tries.len(), 4, "{tries:?}");
    for told in &tries {
        assert_eq!(told.matches("word1 ").count(), 1, "{tries:?}");
    }
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}

/// Codex says on its standard error that it asks again, and the words of both tries on its standard output.
async fn breaks_once(words: usize, cut_after: usize) {
    let asked = AtomicUsize::new(0);
    let api = ResponsesApi::start(move |request| match request.last_user_text().as_str() {
        "cut" if asked.fetch_add(1, Ordering::Relaxed) == 0 => {
            ResponsesReply::words(words).cut_after(cut_after)
        }
        "cut" => ResponsesReply::words(words),
        said => ResponsesReply::text(&format!("Answer to {said}")),
    });
    let house = persistent(api.await).await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("cut").await;
    assert!(completed(&end), "{end:?}");
    let expected: Vec<String> = (1..=words).map(|number| format!("word{number}")).collect();
    let said = session.said_in(&turn);
    assert!(said == [expected.join(" ")], "{} items, {} bytes", said.len(), said.concat().len());
    for item in session.items.iter().filter(|item| item.status == ItemStatus::Error) {
        assert_eq!(item.error_code.as_ref().unwrap().as_str(), "SUPERSEDED");
        assert!(item.content().unwrap().to_string().starts_with("word1 "), "{item:?}");
    }
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_stream_that_breaks_once_loses_and_doubles_nothing() {
    for _ in 0..5 {
        breaks_once(40, 5).await;
    }
}

/// Much of the first try is still to be read when it is known that there will be a second.
#[tokio::test]
async fn a_long_stream_that_breaks_once_loses_and_doubles_nothing() {
    for _ in 0..5 {
        breaks_once(8000, 1900).await;
    }
}

#[tokio::test]
async fn lines_that_are_no_messages_change_nothing() {
    let api = ResponsesApi::start(|request| {
        ResponsesReply::text(&format!("Hi {}", request.last_user_text()))
    })
    .await;
    let home = CodexHome::new(&api);
    // Before every line of the agent's: half a line, something else, messages of unknown kinds, answers that nobody waits
    // for, bytes that are no text.
    let noise = concat!(
        r#"s/^.*$/{"jsonrpc":"2.0","me\n[1,2]\n{"jsonrpc":"2.0","method":"weather","params":{}}\n"#,
        r#"{"jsonrpc":"2.0","method":"session\/update","params":{"update":{"sessionUpdate":"x"}}}\n"#,
        r#"{"jsonrpc":"2.0","id":999,"result":{}}\n\xff\xfe\n\n&/"#
    );
    let command = format!("\"$0\" \"$@\" | sed -u '{noise}'");
    let command = vec!["sh".into(), "-c".into(), command.into(), codex_acp().into()];
    let house = AcpHouse::codex_with(guard(), api, home, command).await;
    let mut session = house.session().await;
    for word in ["one", "two"] {
        let (turn, end) = session.turn(word).await;
        assert!(completed(&end), "{end:?}");
        assert_eq!(session.said_in(&turn), [format!("Hi {word}")]);
    }
    session.judge();
    house.end().await;
}
