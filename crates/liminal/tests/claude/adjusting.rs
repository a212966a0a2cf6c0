//! Modes, models, commands, images: what an agent is set to and given.

use contract::{
    Attachment, CreateSessionRequest, ErrorCode, ModeId, ModelId, SendRequest, SessionOptions,
};
use serde_json::{Value, json};
use session::provider::CliProvider;
use testkit::agents::{ClaudeVersion, claude};
use testkit::claude_house::ClaudeHouse;
use testkit::model_api::{ModelApi, ModelRequest, Reply};

use crate::conversation::completed;
use crate::sends::last_line;
use crate::{guard, house};

real! {
    an_agent_tells_what_it_can_be_set_to
    a_model_is_chosen_and_kept_over_a_resume
    a_mode_is_chosen_and_kept_over_a_resume
    what_was_chosen_at_the_start_holds_at_once
    a_mode_holds_as_soon_as_it_is_chosen
    a_mode_that_never_asks_is_not_kept
    a_mode_that_never_asks_is_offered_only_where_it_was_chosen
    s_31_settings_do_not_choose_a_mode_that_never_asks
    an_unknown_mode_or_model_is_refused
    an_image_reaches_the_model
    a_file_of_another_kind_is_refused
    a_slash_command_is_answered_without_the_model
    a_plan_that_was_written_to_a_file_is_shown
}

async fn an_agent_tells_what_it_can_be_set_to(version: ClaudeVersion) {
    let house = house(version, |_| Reply::text("Hi.")).await;
    let session = house.session().await;
    let options = house.service.options(&session.id).await.unwrap();
    assert!(!options.models.is_empty());
    assert!(options.commands.iter().any(|command| command.name == "compact"), "{options:?}");
    assert!(options.modes.iter().any(|mode| mode.mode_id == "plan"));
    house.end().await;
}

async fn a_model_is_chosen_and_kept_over_a_resume(version: ClaudeVersion) {
    let house = house(version, |request| Reply::text(&format!("I am {}.", request.model()))).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("who").await.1));
    let usual = session.said().concat();
    let options = house.service.options(&session.id).await.unwrap();
    // Some entry of the list stands for another model than the usual one.
    let mut other = None;
    for model in options.models {
        house.service.set_model(&session.id, model.model_id.clone()).await.unwrap();
        let (turn, end) = session.turn("who").await;
        assert!(completed(&end), "{end:?}");
        let said = session.said_in(&turn).concat();
        if said != usual {
            other = Some(said);
            break;
        }
    }
    let other = other.expect("there is another model");
    house.service.kill(&session.id).await.unwrap();
    let (turn, end) = session.turn("who").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&turn).concat(), other);
    house.end().await;
}

/// The mode that it is in, as the API tells it.
fn current_mode(options: &SessionOptions) -> &str {
    options.current_mode_id.as_ref().map_or("", |mode| mode.as_str())
}

fn create_request(house: &ClaudeHouse, mode: &str) -> CreateSessionRequest {
    CreateSessionRequest {
        cli_type: "claude-code".into(),
        project_dir: house.project().to_str().unwrap().to_owned(),
        title: None,
        model_id: Some("haiku".into()),
        mode_id: Some(mode.into()),
        provider_options: None,
    }
}

async fn what_was_chosen_at_the_start_holds_at_once(version: ClaudeVersion) {
    let house = house(version, |_| Reply::text("Hi.")).await;
    let chosen = house.service.create(create_request(&house, "plan")).await.unwrap().session_id;
    let options = house.service.options(&chosen).await.unwrap();
    assert_eq!(current_mode(&options), "plan");
    assert_eq!(options.current_model_id, Some("haiku".into()));
    let usual = house.create().await.unwrap();
    assert_eq!(current_mode(&house.service.options(&usual).await.unwrap()), "default");
    house.end().await;
}

async fn a_mode_holds_as_soon_as_it_is_chosen(version: ClaudeVersion) {
    let house = house(version, |_| Reply::text("Hi.")).await;
    let mut session = house.session().await;
    for round in 0..2 {
        for mode in ["plan", "acceptEdits", "default"] {
            house.service.set_mode(&session.id, ModeId::from(mode)).await.unwrap();
            let options = house.service.options(&session.id).await.unwrap();
            assert_eq!(current_mode(&options), mode, "round {round}");
        }
        assert!(completed(&session.turn("hi").await.1));
        assert_eq!(mode_of(&house, &session.id), "default", "round {round}");
    }
    house.end().await;
}

/// The superuser may run without questions only where the agent is told that nothing can be broken.
async fn a_mode_that_never_asks_is_offered_only_where_it_was_chosen(version: ClaudeVersion) {
    let api = ModelApi::start(|_| Reply::text("Hi.")).await;
    let command = vec![claude(version).into()];
    let house = ClaudeHouse::start_with(guard(), api, command, &[("IS_SANDBOX", "1")]).await;
    let never_asks = ModeId::from("bypassPermissions");
    let offers = |options: &SessionOptions| {
        options.modes.iter().any(|mode| mode.mode_id == "bypassPermissions")
    };
    let usual = house.create().await.unwrap();
    assert!(!offers(&house.service.options(&usual).await.unwrap()));
    let refused = house.service.set_mode(&usual, never_asks.clone()).await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::INVALID_REQUEST);
    let request = create_request(&house, "bypassPermissions");
    let created = house.service.create(request).await.unwrap().session_id;
    let options = house.service.options(&created).await.unwrap();
    assert!(offers(&options));
    assert_eq!(options.current_mode_id, Some(never_asks));
    let mut session = house.watch(created.clone()).await;
    assert!(completed(&session.turn("hi").await.1));
    assert_eq!(mode_of(&house, &created), "bypassPermissions");
    house.service.kill(&created).await.unwrap();
    house.service.load(&created).await.unwrap();
    let options = house.service.options(&created).await.unwrap();
    assert!(!offers(&options), "nothing is approved because it once was");
    assert_eq!(current_mode(&options), "default");
    house.end().await;
}

fn mode_of(house: &ClaudeHouse, session: &contract::SessionId) -> String {
    let mode = house.provider.options(session).unwrap().current_mode_id;
    mode.map(|mode| mode.as_str().to_owned()).unwrap_or_default()
}

async fn a_mode_is_chosen_and_kept_over_a_resume(version: ClaudeVersion) {
    let house = house(version, |_| Reply::text("Hi.")).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("hi").await.1));
    assert_eq!(mode_of(&house, &session.id), "default");
    house.service.set_mode(&session.id, ModeId::from("acceptEdits")).await.unwrap();
    assert!(completed(&session.turn("hi").await.1));
    assert_eq!(mode_of(&house, &session.id), "acceptEdits");
    house.service.kill(&session.id).await.unwrap();
    assert!(completed(&session.turn("hi").await.1));
    assert_eq!(mode_of(&house, &session.id), "acceptEdits");
    house.end().await;
}

/// Nothing is approved by default, not even because it once was.
async fn a_mode_that_never_asks_is_not_kept(version: ClaudeVersion) {
    let house = house(version, |_| Reply::text("Hi.")).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("hi").await.1));
    // The agent may refuse it, as it does for the superuser; what counts is what a resume makes of it.
    house.service.set_mode(&session.id, ModeId::from("bypassPermissions")).await.ok();
    house.service.kill(&session.id).await.unwrap();
    assert!(completed(&session.turn("hi").await.1));
    assert_eq!(mode_of(&house, &session.id), "default");
    house.end().await;
}

/// Neither the user's settings nor a repository's; what else they choose is the agent's mode, as it is without us.
async fn s_31_settings_do_not_choose_a_mode_that_never_asks(version: ClaudeVersion) {
    let api = ModelApi::start(|_| Reply::text("Hi.")).await;
    // Without it the agent would not run so for the superuser, whom a test may run as.
    let sandboxed = [("IS_SANDBOX", "1")];
    let house =
        ClaudeHouse::start_with(guard(), api, vec![claude(version).into()], &sandboxed).await;
    for (mode, expected) in [("bypassPermissions", "default"), ("acceptEdits", "acceptEdits")] {
        for place in [house.home(), house.project()] {
            let settings = json!({ "permissions": { "defaultMode": mode } });
            std::fs::create_dir_all(place.join(".claude")).unwrap();
            std::fs::write(place.join(".claude/settings.json"), settings.to_string()).unwrap();
        }
        let mut session = house.session().await;
        assert!(completed(&session.turn("hi").await.1));
        assert_eq!(mode_of(&house, &session.id), expected);
        house.service.kill(&session.id).await.unwrap();
        assert!(completed(&session.turn("hi").await.1));
        assert_eq!(mode_of(&house, &session.id), expected, "also when it goes on");
    }
    house.end().await;
}

async fn an_unknown_mode_or_model_is_refused(version: ClaudeVersion) {
    let house = house(version, |_| Reply::text("Hi.")).await;
    let session = house.session().await;
    let mode = house.service.set_mode(&session.id, ModeId::from("no-such-mode")).await;
    assert!(mode.unwrap_err().to_string().contains("no-such-mode"));
    let model = house.service.set_model(&session.id, ModelId::from("no-such-model")).await;
    assert!(model.unwrap_err().to_string().contains("no-such-model"));
    house.end().await;
}

fn with_file(mime_type: &str, data: &str) -> SendRequest {
    let file = Attachment { name: "file".into(), mime_type: mime_type.into(), data: data.into() };
    SendRequest {
        content: "look at this".to_owned(),
        client_message_id: None,
        delivery: None,
        attachments: Some(vec![file]),
    }
}

/// One black pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

async fn an_image_reaches_the_model(version: ClaudeVersion) {
    let house = house(version, |request| {
        let blocks = request
            .messages()
            .iter()
            .flat_map(|message| message["content"].as_array().cloned().unwrap_or_default());
        let images = blocks.filter(|block| block["type"] == "image").count();
        Reply::text(&format!("I see {images}."))
    })
    .await;
    let mut session = house.session().await;
    let sent = house.service.send(&session.id, with_file("image/png", PNG)).await.unwrap();
    let turn = sent.answer().await.unwrap().turn_id;
    assert!(completed(&session.end(&turn).await));
    assert_eq!(session.said_in(&turn), ["I see 1."]);
    house.end().await;
}

async fn a_file_of_another_kind_is_refused(version: ClaudeVersion) {
    let house = house(version, |_| Reply::text("Hi.")).await;
    let mut session = house.session().await;
    for kind in ["video/mp4", "text/plain"] {
        let refused = house.service.send(&session.id, with_file(kind, "AAAA")).await.unwrap_err();
        assert_eq!(refused.code(), ErrorCode::INVALID_REQUEST);
        assert!(refused.to_string().contains(kind), "{refused}");
    }
    assert!(session.items.is_empty(), "nothing was written: {:?}", session.items);
    assert!(completed(&session.turn("hi").await.1), "the next turn works");
    house.end().await;
}

async fn a_slash_command_is_answered_without_the_model(version: ClaudeVersion) {
    let house = house(version, |_| Reply::text("Hi.")).await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("/context").await;
    assert!(completed(&end), "{end:?}");
    assert!(session.said_in(&turn).concat().contains("Context"), "{:?}", session.said());
    assert!(house.api.conversation().is_empty());
    session.judge();
    house.end().await;
}

/// The place that the agent names for its plan.
fn plan_file(request: &ModelRequest) -> Option<String> {
    let all = format!("{}{:?}", request.system_text(), request.messages());
    let place = all.find("/plans/")?;
    let end = place + all[place..].find(".md")? + ".md".len();
    let start = all[..place].rfind(char::is_whitespace)? + 1;
    Some(all[start..end].to_owned())
}

async fn a_plan_that_was_written_to_a_file_is_shown(version: ClaudeVersion) {
    let house = house(version, |request| {
        let results = request.last_tool_results();
        let said: Value = json!(results.iter().map(|(_, output)| output).collect::<Vec<_>>());
        match (last_line(request).as_str(), results.as_slice(), plan_file(request)) {
            ("plan it", [], Some(file)) => {
                Reply::tool("Write", json!({ "file_path": file, "content": "# The plan\nDo it." }))
            }
            ("plan it", [], None) => {
                Reply::tool("ExitPlanMode", json!({ "plan": "# The plan\nDo it." }))
            }
            _ if said.to_string().contains("approved") => Reply::text("Off we go."),
            _ => Reply::tool("ExitPlanMode", json!({})),
        }
    })
    .await;
    let mut session = house.session().await;
    house.service.set_mode(&session.id, ModeId::from("plan")).await.unwrap();
    let turn = session.send("plan it").await;
    let request = session.asked().await;
    assert_eq!(request.tool_name.as_deref(), Some("ExitPlanMode"), "{request:?}");
    assert_eq!(request.plan.as_deref(), Some("# The plan\nDo it."));
    session.choose(&request, "allow").await;
    assert!(completed(&session.end(&turn).await));
    session.judge();
    house.end().await;
}
