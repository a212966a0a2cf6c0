//! Area 2 of the acceptance list: the provider interface and its registry.

use std::sync::Arc;
use std::sync::Mutex;

use contract::{CliType, ErrorCode, ItemStatus, TurnEvent, UpsertObject};
use session::provider::{
    CliProvider, CreateSession, LoadSession, OutgoingMessage, ProviderErrorCode, ProviderRegistry,
    Sink,
};
use testkit::{Sample, ScriptedProvider};

/// A sink that notes what it gets.
fn noting<T: Send + 'static>() -> (Sink<T>, Arc<Mutex<Vec<T>>>) {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let written = notes.clone();
    let sink = Sink::new(move |value| {
        written.lock().unwrap().push(value);
        std::future::ready(())
    });
    (sink, notes)
}

#[tokio::test]
async fn tc_2_1a_each_emission_reaches_each_sink_of_its_session_once_and_in_order() {
    let agent = ScriptedProvider::default();
    let provider: &dyn CliProvider = &agent;
    let options =
        |id: &str| CreateSession { session_id: Some(id.into()), ..CreateSession::default() };
    let session = provider.create_session(options("one")).await.unwrap().session_id;
    let other = provider.create_session(options("two")).await.unwrap().session_id;
    let (first, first_notes) = noting::<UpsertObject>();
    let (second, second_notes) = noting::<UpsertObject>();
    let (turns, turn_notes) = noting::<TurnEvent>();
    provider.on_upsert(&session, first);
    provider.on_upsert(&session, second);
    provider.on_turn(&session, turns);

    let sample = Sample::new(&session, "turn-1");
    agent.emit_turn(sample.started()).await;
    for text in ["a", "a b", "a b c"] {
        agent.emit(sample.message("m", ItemStatus::Update, text)).await;
    }
    agent.emit(Sample::new(&other, "turn-1").message("m", ItemStatus::Update, "not mine")).await;
    agent.emit_turn(sample.completed()).await;

    for notes in [first_notes, second_notes] {
        let texts: Vec<_> = notes
            .lock()
            .unwrap()
            .iter()
            .map(|upsert| upsert.content().unwrap().to_string())
            .collect();
        assert_eq!(texts, ["a", "a b", "a b c"]);
    }
    assert_eq!(*turn_notes.lock().unwrap(), [sample.started(), sample.completed()]);

    assert_eq!(*provider.cli_type(), "scripted");
    let message = OutgoingMessage { turn_id: Some("turn-2".into()), ..OutgoingMessage::default() };
    assert_eq!(provider.send_message(&session, message).await.unwrap(), "turn-2");
    provider.cancel_turn(&session, None).await.unwrap();
    assert!(provider.is_alive(&session));
    provider.kill_session(&session).await.unwrap();
    assert!(!provider.is_alive(&session) && provider.is_alive(&other));
    provider.load_session(&session, LoadSession::default()).await.unwrap();
    assert!(provider.is_alive(&session));
}

#[test]
fn tc_2_2a_the_registry_returns_the_instance_that_was_registered() {
    let provider: Arc<dyn CliProvider> = Arc::new(ScriptedProvider::default());
    let mut registry = ProviderRegistry::default();
    registry.register(provider.clone());
    let found = registry.resolve(&CliType::from("scripted")).unwrap();
    assert!(Arc::ptr_eq(&found, &provider));
}

#[test]
fn tc_2_2b_an_unregistered_type_is_not_supported() {
    let error = ProviderRegistry::default().resolve(&CliType::from("gemini")).err().unwrap();
    assert_eq!(error.code, ProviderErrorCode::UnsupportedCliType);
    assert_eq!(error.code.as_code(), ErrorCode::UNSUPPORTED_CLI_TYPE);
}

#[test]
fn the_cause_of_a_providers_failure_stays_inside_it() {
    let cause = std::io::Error::other("pipe");
    let error =
        session::provider::ProviderError::new(ProviderErrorCode::ProcessCrash, "the agent is gone")
            .caused_by(cause);
    assert_eq!(error.to_string(), "the agent is gone");
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "pipe");
}
