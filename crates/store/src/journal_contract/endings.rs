//! How turns ended, and what is known of other things after a restart.

use contract::{ENDED_BY_USER, ErrorCode, TurnEventKind};

use super::{ended, item, session, started, turn_event};
use crate::{AgentChoices, Change, HistoryQuery, Journal, PageLimit, SessionRecord};

pub(super) async fn what_somebody_ended_is_no_failure(journal: &dyn Journal) {
    let id = session(journal, "ended").await;
    let failed = TurnEventKind::TurnError {
        error_code: ErrorCode::PROCESS_CRASH,
        error_message: "gone".into(),
        error_class: None,
    };
    let changes = vec![turn_event(&id, "t0", 1, failed), started(&id, "t1", 2)];
    journal.append(&id, changes).await.unwrap();
    assert!(
        journal.session(&id).await.unwrap().last_failed
            && journal.failed().await.unwrap().contains(&id)
    );
    let ended = TurnEventKind::TurnError {
        error_code: ErrorCode::INTERRUPTED,
        error_message: "the session was ended".into(),
        error_class: Some(ENDED_BY_USER.to_owned()),
    };
    journal.append(&id, vec![turn_event(&id, "t1", 3, ended)]).await.unwrap();
    assert!(
        !journal.session(&id).await.unwrap().last_failed,
        "that somebody ended it is no failure"
    );
    assert!(!journal.failed().await.unwrap().contains(&id));
}

pub(super) async fn a_note_is_kept_until_the_next(journal: &dyn Journal) {
    assert_eq!(journal.noted("n").await.unwrap(), None);
    for value in ["one", "two"] {
        journal.note("n", value).await.unwrap();
        assert_eq!(journal.noted("n").await.unwrap().as_deref(), Some(value));
    }
}

pub(super) async fn what_was_chosen_for_agents_is_kept(journal: &dyn Journal) {
    let id = session(journal, "chosen").await;
    let before = journal.session(&id).await.unwrap();
    assert_eq!(before.record.choices, AgentChoices::default());
    assert!(!before.has_run && before.bytes == 0);
    assert!(journal.session_count().await.unwrap() > 0);
    let choices = AgentChoices {
        model_id: Some("m[1m]".into()),
        mode_id: Some("plan".into()),
        max_thinking_tokens: Some(0),
    };
    let record = SessionRecord { choices: choices.clone(), ..before.record };
    let changes = vec![Change::Record(Box::new(record)), started(&id, "t0", 1)];
    journal.append(&id, changes).await.unwrap();
    let after = journal.session(&id).await.unwrap();
    assert_eq!(after.record.choices, choices);
    assert!(after.has_run);
    assert_eq!(journal.record(&id).await.unwrap().choices, choices);
}

pub(super) async fn marks_stay(journal: &dyn Journal) {
    assert!(!journal.is_marked("moved").await.unwrap());
    for _ in 0..2 {
        journal.mark("moved").await.unwrap();
        assert!(journal.is_marked("moved").await.unwrap());
    }
    assert!(!journal.is_marked("move").await.unwrap());
}

pub(super) async fn turns_in_which_nothing_was_said_are_on_the_page_of_their_time(
    journal: &dyn Journal,
) {
    let id = session(journal, "silent").await;
    let mut changes = vec![started(&id, "t0", 1), ended(&id, "t0", 2)];
    for (turn, first) in [("t1", 3), ("t2", 6), ("t3", 9), ("t4", 12)] {
        changes.push(started(&id, turn, first));
        changes.push(item(&id, turn, turn, first + 1, first + 1));
        changes.push(ended(&id, turn, first + 2));
    }
    journal.append(&id, changes).await.unwrap();
    let limit = PageLimit { entries: 5, bytes: 1 << 20 };
    let page = journal.history(&id, HistoryQuery::Newest { limit }).await.unwrap();
    assert_eq!((page.entries.len(), page.more), (4, false));
    assert_eq!(page.turns.len(), 10, "those of others take nothing away from it: {:?}", page.turns);
}
