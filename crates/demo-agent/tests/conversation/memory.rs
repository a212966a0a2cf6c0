//! Sessions after the agent has ended.

use agent_client_protocol::v1::schema::{
    ListSessionsRequest, LoadSessionRequest, ResumeSessionRequest, SessionId,
    SetSessionModeRequest, StopReason,
};
use serde_json::Value;

use crate::support::{Place, calls, said, text_of};

/// A session with some history; the agent it ran in is gone.
async fn earlier_session(place: &Place) -> (SessionId, Vec<Value>) {
    let mut earlier = None;
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let mut told = talk.ask(&session, "read README.md").await.1;
        told.extend(talk.ask_and_choose(&session, "write new.md: x", "allow-always").await);
        told.extend(talk.ask(&session, "plan").await.1);
        let mode = SetSessionModeRequest::new(session.clone(), "read-only");
        talk.agent.send_request(mode).block_task().await.unwrap();
        earlier = Some((session, told));
    });
    ended.await.unwrap();
    earlier.unwrap()
}

#[tokio::test]
async fn a_loaded_session_tells_its_history_before_it_answers() {
    let place = Place::new();
    let (session, before) = earlier_session(&place).await;
    let ended = place.talk(async |mut talk| {
        let load = LoadSessionRequest::new(session.clone(), place.project());
        let loaded = talk.agent.send_request(load).block_task().await.unwrap();
        assert_eq!(&*loaded.modes.unwrap().current_mode_id.0, "read-only");
        let told = talk.told();
        assert_eq!(text_of(&told, "user_message_chunk"), "read README.mdwrite new.md: xplan");
        assert_eq!(said(&told), said(&before));
        assert_eq!(text_of(&told, "agent_thought_chunk"), text_of(&before, "agent_thought_chunk"));
        assert_eq!(calls(&told), calls(&before));
        let plans = |told: &[Value]| told.iter().filter(|it| it["sessionUpdate"] == "plan").count();
        assert_eq!(plans(&told), plans(&before));
        let (reason, told) = talk.ask(&session, "write new.md: y").await;
        assert_eq!(reason, StopReason::EndTurn);
        assert!(said(&told).contains("read-only"));
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn what_was_said_before_a_cancel_is_remembered() {
    let mut place = Place::new();
    place.pace = std::time::Duration::from_secs(3600);
    let mut cancelled = None;
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let sent = talk.send(&session, "slow");
        assert_eq!(said(&[talk.update().await]), "This ");
        sent.cancel().unwrap();
        sent.block_task().await.unwrap();
        cancelled = Some(session);
    });
    ended.await.unwrap();
    let ended = place.talk(async |mut talk| {
        let load = LoadSessionRequest::new(cancelled.unwrap(), place.project());
        talk.agent.send_request(load).block_task().await.unwrap();
        assert_eq!(said(&talk.told()), "This ");
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn a_resumed_session_goes_on_without_its_history() {
    let place = Place::new();
    let (session, _) = earlier_session(&place).await;
    let ended = place.talk(async |mut talk| {
        let resume = ResumeSessionRequest::new(session.clone(), place.project());
        let resumed = talk.agent.send_request(resume).block_task().await.unwrap();
        assert_eq!(&*resumed.modes.unwrap().current_mode_id.0, "read-only");
        assert_eq!(talk.update().await["sessionUpdate"], "available_commands_update");
        assert!(talk.told().is_empty());
        let mode = SetSessionModeRequest::new(session.clone(), "ask");
        talk.agent.send_request(mode).block_task().await.unwrap();
        // "Always" was said to a session that has closed.
        talk.ask_and_choose(&session, "write other.md: y", "reject-once").await;
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn sessions_are_listed_by_directory() {
    let place = Place::new();
    let (session, _) = earlier_session(&place).await;
    let ended = place.talk(async |talk| {
        let list = async |request: ListSessionsRequest| {
            talk.agent.send_request(request).block_task().await.unwrap().sessions
        };
        let all = list(ListSessionsRequest::new()).await;
        assert_eq!(all.len(), 1);
        assert_eq!((&all[0].session_id, &all[0].cwd), (&session, &place.project()));
        assert_eq!(all[0].title.as_deref(), Some("read README.md"));
        assert!(all[0].updated_at.is_some());
        assert_eq!(list(ListSessionsRequest::new().cwd(place.project())).await, all);
        assert!(list(ListSessionsRequest::new().cwd(place.project().join("src"))).await.is_empty());
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn only_what_is_known_can_be_loaded_and_not_while_it_works() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let load = async |talk: &crate::support::Talk, id: &str| {
            let load = LoadSessionRequest::new(id.to_owned(), place.project());
            talk.agent.send_request(load).block_task().await
        };
        for id in ["", "unknown", "../../secret", "00000000-0000-0000-0000-000000000000"] {
            let error = load(&talk, id).await.unwrap_err();
            assert_eq!(i32::from(error.code), -32002, "{id}");
        }
        let session = talk.new_session().await;
        let sent = talk.send(&session, "hang");
        talk.update().await;
        let error = load(&talk, &session.0).await.unwrap_err();
        assert_eq!(i32::from(error.code), -32600);
        sent.cancel().unwrap();
        sent.block_task().await.unwrap();
        load(&talk, &session.0).await.unwrap();
    });
    ended.await.unwrap();
}
