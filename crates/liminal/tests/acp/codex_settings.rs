//! Codex: modes and models, and the launcher that npm puts before it.

use contract::{ErrorCode, ModeId, ModelId};
use testkit::CodexHome;
use testkit::acp_house::AcpHouse;
use testkit::agents::{codex_acp, codex_acp_launcher};
use testkit::responses_api::{ResponsesApi, ResponsesReply};

use crate::{CodexHouse, completed, failure, guard};

/// A pair of settings that is one of Codex's modes.
async fn house() -> CodexHouse {
    let api =
        ResponsesApi::start(|request| ResponsesReply::text(&format!("I am {}.", request.model())))
            .await;
    let home = CodexHome::with_settings(&api, "on-request", "read-only", 0);
    AcpHouse::codex_with(guard(), api, home, vec![codex_acp().into()]).await
}

async fn mode_of(house: &CodexHouse, session: &contract::SessionId) -> String {
    let mode = house.service.options(session).await.unwrap().current_mode_id;
    mode.map(|mode| mode.as_str().to_owned()).unwrap_or_default()
}

#[tokio::test]
async fn a_mode_is_chosen_and_kept_over_a_resume() {
    let house = house().await;
    let mut session = house.session().await;
    assert_eq!(mode_of(&house, &session.id).await, "read-only");
    house.service.set_mode(&session.id, ModeId::from("auto")).await.unwrap();
    assert_eq!(mode_of(&house, &session.id).await, "auto");
    assert!(completed(&session.turn("hi").await.1));
    assert_eq!(mode_of(&house, &session.id).await, "auto");
    house.service.kill(&session.id).await.unwrap();
    assert!(completed(&session.turn("hi").await.1));
    assert_eq!(mode_of(&house, &session.id).await, "auto");
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_mode_that_never_asks_is_not_kept() {
    let house = house().await;
    let mut session = house.session().await;
    house.service.set_mode(&session.id, ModeId::from("full-access")).await.unwrap();
    assert!(completed(&session.turn("hi").await.1));
    assert_eq!(mode_of(&house, &session.id).await, "full-access");
    house.service.kill(&session.id).await.unwrap();
    assert!(completed(&session.turn("hi").await.1));
    assert_ne!(mode_of(&house, &session.id).await, "full-access");
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_model_is_chosen_and_kept_over_a_resume() {
    let house = house().await;
    let mut session = house.session().await;
    let options = house.service.options(&session.id).await.unwrap();
    let usual = options.current_model_id.expect("the agent tells its model");
    let other = options.models.iter().find(|model| model.model_id != usual).unwrap();
    house.service.set_model(&session.id, other.model_id.clone()).await.unwrap();
    let told = house.service.options(&session.id).await.unwrap().current_model_id;
    assert_eq!(told.as_ref(), Some(&other.model_id));
    let (turn, end) = session.turn("who").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&turn).last().unwrap(), &format!("I am {}.", other.model_id));
    house.service.kill(&session.id).await.unwrap();
    let (turn, end) = session.turn("who").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&turn).last().unwrap(), &format!("I am {}.", other.model_id));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_session_begins_with_the_mode_and_model_that_it_is_made_with() {
    let house = house().await;
    let usual = house.create().await.unwrap();
    let options = house.service.options(&usual).await.unwrap();
    let current = options.current_model_id.unwrap();
    let other = options.models.iter().find(|model| model.model_id != current).unwrap();
    let model = other.model_id.as_str();
    let made = house.create_set_to(Some("auto"), Some(model)).await.unwrap();
    assert_eq!(mode_of(&house, &made).await, "auto");
    let mut session = house.watch(made).await;
    assert!(completed(&session.turn("who").await.1));
    assert_eq!(session.said().last().unwrap(), &format!("I am {model}."));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn an_unknown_mode_or_model_is_refused() {
    let house = house().await;
    let session = house.create().await.unwrap();
    let refused = house.service.set_mode(&session, ModeId::from("yolo")).await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::INVALID_REQUEST);
    let refused = house.service.set_model(&session, ModelId::from("gpt-0")).await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::INVALID_REQUEST);
    let refused = house.create_set_to(Some("yolo"), None).await.unwrap_err();
    assert!(refused.to_string().contains("yolo"), "{refused}");
    assert_eq!(mode_of(&house, &session).await, "read-only");
    house.end().await;
}

/// The launcher, ended, would leave the agent running.
#[tokio::test]
async fn npms_launcher_leads_to_the_agent_itself() {
    let api = ResponsesApi::with_replies([ResponsesReply::text("Hello.")]).await;
    let home = CodexHome::new(&api);
    let command = vec![codex_acp_launcher().into()];
    let house = AcpHouse::codex_with(guard(), api, home, command).await;
    let mut session = house.session().await;
    let programs = house.processes().into_iter().map(|process| {
        let program = std::fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
        program.file_name().unwrap_or_default().to_string_lossy().into_owned()
    });
    let programs: Vec<String> = programs.collect();
    assert!(programs.iter().any(|program| program == "codex-acp"), "{programs:?}");
    assert!(!programs.iter().any(|program| program == "node"), "{programs:?}");
    assert!(completed(&session.turn("hi").await.1));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn an_agent_that_cannot_start_is_told_with_its_own_words() {
    let api = ResponsesApi::with_replies([]).await;
    let home = CodexHome::new(&api);
    let command = vec![codex_acp().into(), "-c".into(), "approval_policy=\"sometimes\"".into()];
    let house = AcpHouse::codex_with(guard(), api, home, command).await;
    let error = house.create().await.unwrap_err().to_string();
    assert!(error.contains("sometimes"), "{error}");
    house.nothing_runs().await;
    house.end().await;
}

/// Codex needs no login for a provider of its own, and says only when it is asked what is missing.
#[tokio::test]
async fn a_key_that_is_missing_is_named() {
    let api = ResponsesApi::with_replies([]).await;
    let home = CodexHome::new(&api).without_key();
    let house = AcpHouse::codex_with(guard(), api, home, vec![codex_acp().into()]).await;
    let mut session = house.session().await;
    let (_, end) = session.turn("hi").await;
    let (code, _, message) = failure(&end);
    assert_eq!(code, "RESPONSE_ERROR");
    assert!(message.contains("MOCK_API_KEY"), "{message}");
    session.judge();
    house.end().await;
}
