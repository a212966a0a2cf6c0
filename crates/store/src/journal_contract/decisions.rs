//! Permission requests that are over.

use contract::{PermissionOutcome, PermissionRequest, SessionId, Timestamp};

use super::{permission, session};
use crate::{Change, Journal, StoreError};

pub(super) async fn what_was_decided_is_told_the_last_asked_first(journal: &dyn Journal) {
    let (one, two) = (session(journal, "decided").await, session(journal, "decided too").await);
    let asked = |id: &SessionId, name: &str, at: i64, outcome| PermissionRequest {
        asked_at: Timestamp::from_millis(at),
        outcome,
        ..permission(id, name)
    };
    let over = Some(PermissionOutcome::Selected);
    for (id, name, at, outcome) in [
        (&one, "d1", 9001, over),
        (&two, "d2", 9002, over),
        (&one, "d3", 9003, over),
        (&one, "d4", 9004, None),
    ] {
        let change = Change::Permission(Box::new(asked(id, name, at, outcome)));
        journal.append(id, vec![change]).await.unwrap();
    }
    let told = async |session: Option<&SessionId>, limit| {
        let told = journal.decisions(session.cloned(), limit).await.unwrap();
        told.into_iter().map(|request| request.permission_id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(told(Some(&one), 10).await, ["d3", "d1"]);
    assert_eq!(told(Some(&one), 1).await, ["d3"]);
    assert_eq!(told(None, 3).await, ["d3", "d2", "d1"]);
    let unknown = journal.decisions(Some("nobody".into()), 1).await;
    assert!(matches!(unknown, Err(StoreError::UnknownSession(_))));
    let long = serde_json::Map::from_iter([("x".to_owned(), "y".repeat(600_000).into())]);
    for (name, at) in [("d5", 9005), ("d6", 9006), ("d7", 9007)] {
        let tool_arguments = Some(long.clone().into());
        let long = PermissionRequest { tool_arguments, ..asked(&two, name, at, over) };
        journal.append(&two, vec![Change::Permission(Box::new(long))]).await.unwrap();
    }
    assert_eq!(told(Some(&two), 10).await, ["d7", "d6"], "what is long takes room");
}
