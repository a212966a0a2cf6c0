//! The promise every journal keeps. Each implementation runs it, so the one in memory stays an honest stand-in.

mod decisions;
mod endings;
mod projects;

use std::sync::Arc;

use contract::{
    Delivery, ErrorCode, HistoryPage, ItemStatus, MessageOrigin, ModelId, PermissionOutcome,
    PermissionRequest, ProviderId, QueuedTurn, SendState, Seq, SessionId, SessionSent,
    SessionSource, Timestamp, TurnEvent, TurnEventKind, TurnStatus, UpsertBody, UpsertObject,
};

use crate::{
    AgentChoices, Change, HistoryQuery, Journal, MemoryJournal, PageLimit, SessionRecord,
    SqliteJournal, StoreError, TurnProgress, Wanted,
};

#[tokio::test]
async fn the_journal_in_memory_keeps_the_contract() {
    journal_contract(&MemoryJournal::default()).await;
}

#[tokio::test]
async fn the_journal_on_disk_keeps_the_contract() {
    let directory = tempfile::tempdir().unwrap();
    journal_contract(&SqliteJournal::open(&directory.path().join("journal.db")).unwrap()).await;
}

async fn journal_contract(journal: &dyn Journal) {
    numbering_has_no_gap_and_no_repeat(journal).await;
    an_append_is_all_or_nothing(journal).await;
    items_keep_their_place_while_they_change(journal).await;
    history_pages_cover_everything_once(journal).await;
    resuming_gets_everything_newer_exactly_once(journal).await;
    the_timeline_is_read_from_its_beginning_by_pages(journal).await;
    an_owner_can_take_a_session_up_again(journal).await;
    retries_are_answered_alike(journal).await;
    decisions::what_was_decided_is_told_the_last_asked_first(journal).await;
    endings::what_somebody_ended_is_no_failure(journal).await;
    endings::a_note_is_kept_until_the_next(journal).await;
    sessions_are_kept_apart(journal).await;
    endings::marks_stay(journal).await;
    endings::turns_in_which_nothing_was_said_are_on_the_page_of_their_time(journal).await;
    endings::what_was_chosen_for_agents_is_kept(journal).await;
    projects::a_path_is_one_project(journal).await;
    projects::items_of_removed_projects_are_not_found(journal).await;
    pages_are_bounded_in_bytes_and_never_empty(journal).await;
    texts_grow_shrink_and_end(journal).await;
    attachments_stay_as_long_as_their_turn_waits(journal).await;
    what_was_left_in_the_middle_is_known(journal).await;
    items_that_ended_are_found_by_their_words(journal).await;
    what_is_newer_elsewhere_does_not_hide_what_a_session_has(journal).await;
}

async fn texts_grow_shrink_and_end(journal: &dyn Journal) {
    let id = session(journal, "growing").await;
    let texts = ["", "one", "one two", "one two", "uno", "uno due", "uno due tre"];
    for (text, seq) in texts.iter().zip(1..) {
        journal
            .append(&id, vec![said(&id, ("a", text), (1, seq), ItemStatus::Update)])
            .await
            .unwrap();
        let item = journal.item(&id, &"a".into()).await.unwrap().unwrap();
        assert_eq!((item.content().unwrap(), item.seq), (&(*text).into(), Some(Seq(seq))));
    }
    assert_eq!(names(&newest(journal, &id, 1).await), ["uno due tre"]);
    let last = said(&id, ("a", "uno due tre."), (1, 8), ItemStatus::Complete);
    journal.append(&id, vec![last.clone()]).await.unwrap();
    let Change::Upsert(expected) = last else { unreachable!() };
    assert_eq!(journal.item(&id, &"a".into()).await.unwrap().unwrap(), expected);
}

async fn attachments_stay_as_long_as_their_turn_waits(journal: &dyn Journal) {
    let id = session(journal, "attached").await;
    let picture = |name: &str| contract::Attachment {
        name: name.into(),
        mime_type: "image/png".into(),
        data: "eA==".into(),
    };
    let sent = Arc::new(vec![picture("a"), picture("b")]);
    let changes = vec![
        Change::Attachments("q1".into(), sent.clone()),
        Change::Queue(vec![queued("q1")]),
        Change::Attachments("q2".into(), Arc::new(vec![picture("c")])),
        Change::Queue(vec![queued("q1"), queued("q2")]),
        Change::Queue(vec![queued("q1")]),
    ];
    journal.append(&id, changes).await.unwrap();
    let saved = journal.session(&id).await.unwrap();
    assert_eq!(saved.attachments, [("q1".into(), (*sent).clone())].into());
    journal.append(&id, vec![Change::Queue(Vec::new())]).await.unwrap();
    assert_eq!(journal.session(&id).await.unwrap().attachments, [].into());
}

async fn what_was_left_in_the_middle_is_known(journal: &dyn Journal) {
    let is_unsettled = async |id: &SessionId| journal.unsettled().await.unwrap().contains(id);
    let id = session(journal, "unsettled").await;
    assert!(!is_unsettled(&id).await);
    let steps = [
        (vec![started(&id, "t", 1)], true),
        (vec![ended(&id, "t", 2)], false),
        (vec![said(&id, ("a", "x"), (3, 3), ItemStatus::Update)], true),
        (vec![said(&id, ("a", "x"), (3, 4), ItemStatus::Complete)], false),
        (vec![Change::Queue(vec![queued("q")])], true),
        (vec![Change::Queue(Vec::new())], false),
        (vec![Change::Permission(Box::new(permission(&id, "p")))], true),
    ];
    for (changes, expected) in steps {
        journal.append(&id, changes).await.unwrap();
        assert_eq!(is_unsettled(&id).await, expected);
    }
}

async fn items_that_ended_are_found_by_their_words(journal: &dyn Journal) {
    let id = session(journal, "searched").await;
    let words = "The Zugspitze (2962 m) is\nGermany's highest \"peak\".";
    let changes = vec![
        said(&id, ("a", words), (1, 1), ItemStatus::Complete),
        said(&id, ("b", "zugspitze, still being told"), (2, 2), ItemStatus::Update),
        said(&id, ("c", "The Zugspitze again"), (3, 3), ItemStatus::Complete),
    ];
    journal.append(&id, changes).await.unwrap();
    let found = async |query: &str| {
        let hits = journal.search(Wanted::parse(query).unwrap(), 10).await.unwrap();
        hits.iter().map(|hit| hit.item_id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found("ZUGSPITZE").await, ["c", "a"], "the newest first");
    assert_eq!(found("zugsp high").await, ["a"], "words may go on, in any order");
    assert_eq!(found("\"peak\" OR (").await, [""; 0], "no word means anything else");
    assert_eq!(found("germany's").await, ["a"]);
    assert!(Wanted::parse(" *\"( ").is_none());
    let hits = journal.search(Wanted::parse("highest").unwrap(), 1).await.unwrap();
    assert_eq!((hits[0].session_id.clone(), hits.len()), (id, 1));
    assert_eq!(hits[0].snippet, "The Zugspitze (2962 m) is Germany's highest \"peak\".");
}

async fn what_is_newer_elsewhere_does_not_hide_what_a_session_has(journal: &dyn Journal) {
    let id = session(journal, "searched-alone").await;
    let other = session(journal, "searched-besides").await;
    let word = |session, name: &str, at| {
        said(session, (name, "Watzmannhaus"), (at, at), ItemStatus::Complete)
    };
    journal.append(&id, vec![word(&id, "first", 1)]).await.unwrap();
    for at in 1..=60 {
        journal.append(&other, vec![word(&other, &format!("other{at}"), at)]).await.unwrap();
    }
    let found = async |within: Option<&SessionId>| {
        let wanted = Wanted::parse("watzmannhaus").unwrap().within(within.cloned());
        let hits = journal.search(wanted, 50).await.unwrap();
        hits.into_iter().map(|hit| hit.session_id).collect::<Vec<_>>()
    };
    assert_eq!(found(Some(&id)).await, std::slice::from_ref(&id));
    assert_eq!(found(Some(&other)).await.len(), 50);
    assert_eq!(found(None).await.len(), 50);
    assert!(found(Some(&SessionId::from("nobody"))).await.is_empty());
}

/// What the agent said in an item that began with its first state.
fn said(
    session: &SessionId,
    (name, text): (&str, &str),
    (position, seq): (u64, u64),
    status: ItemStatus,
) -> Change {
    let body = UpsertBody::Message { content: text.into(), origin: MessageOrigin::Agent };
    Change::Upsert(Arc::new(UpsertObject {
        status,
        source_timestamp: Timestamp::from_millis(7),
        emitted_at: Timestamp::from_millis(8),
        seq: Some(Seq(seq)),
        position: Some(Seq(position)),
        started_at: Some(Timestamp::default()),
        ..UpsertObject::new("t".into(), session.clone(), name.into(), body)
    }))
}

async fn pages_are_bounded_in_bytes_and_never_empty(journal: &dyn Journal) {
    let id = session(journal, "bytes").await;
    let changes = (1..=4).map(|seq| item(&id, "t", &format!("i{seq}"), seq, seq)).collect();
    journal.append(&id, changes).await.unwrap();
    let size = journal.item(&id, &"i1".into()).await.unwrap().unwrap().approximate_size();
    for (bytes, count) in [(0, 1), (size, 1), (2 * size, 2), (3 * size + 1, 3), (4 * size, 4)] {
        let limit = PageLimit { entries: 10, bytes };
        let newest = journal.history(&id, HistoryQuery::Newest { limit }).await.unwrap();
        assert_eq!((newest.entries.len(), newest.more), (count, count < 4), "{bytes} bytes");
        assert_eq!(newest.entries.last().unwrap().item_id, "i4");
        let after = journal.history(&id, HistoryQuery::After { seq: Seq(0), limit }).await.unwrap();
        assert_eq!((after.entries.len(), after.more), (count, count < 4), "{bytes} bytes");
        assert_eq!(after.seq, Seq(count as u64));
    }
}

async fn session(journal: &dyn Journal, name: &str) -> SessionId {
    let id = SessionId::from(name);
    journal.create_session(record(&id)).await.unwrap();
    id
}

fn record(id: &SessionId) -> SessionRecord {
    SessionRecord {
        session_id: id.clone(),
        project_id: "project".into(),
        project_dir: "/project".into(),
        cli_type: "external".into(),
        agent_session: None,
        choices: AgentChoices::default(),
        epoch: "epoch".into(),
        title: "New Session".into(),
        created_at: Timestamp::from_millis(1),
        last_active_at: Timestamp::from_millis(1),
        archived: false,
        dead: false,
        source: SessionSource::Created,
    }
}

/// An item at `seq`, created at `position`.
fn item(session: &SessionId, turn: &str, name: &str, position: u64, seq: u64) -> Change {
    let body = UpsertBody::Message {
        content: format!("{name}@{seq}").into(),
        origin: MessageOrigin::Agent,
    };
    Change::Upsert(Arc::new(UpsertObject {
        status: ItemStatus::Update,
        seq: Some(Seq(seq)),
        position: Some(Seq(position)),
        started_at: Some(Timestamp::default()),
        ..UpsertObject::new(turn.into(), session.clone(), name.into(), body)
    }))
}

fn started(session: &SessionId, turn: &str, seq: u64) -> Change {
    let (model_id, provider_id) = (ModelId::from("m"), ProviderId::from("p"));
    turn_event(
        session,
        turn,
        seq,
        TurnEventKind::TurnStarted { model_id, provider_id, origin: None, joined_turn_id: None },
    )
}

fn ended(session: &SessionId, turn: &str, seq: u64) -> Change {
    turn_event(
        session,
        turn,
        seq,
        TurnEventKind::TurnComplete { status: TurnStatus::Completed, usage: None },
    )
}

fn turn_event(session: &SessionId, turn: &str, seq: u64, kind: TurnEventKind) -> Change {
    let at = Some(Timestamp::default());
    Change::Turn(Arc::new(TurnEvent {
        turn_id: turn.into(),
        session_id: session.clone(),
        seq: Some(Seq(seq)),
        at,
        kind,
    }))
}

fn names(page: &HistoryPage) -> Vec<String> {
    page.entries.iter().map(|entry| entry.content().unwrap().to_string()).collect()
}

fn turn_seqs(page: &HistoryPage) -> Vec<u64> {
    page.turns.iter().map(|event| event.seq.unwrap().0).collect()
}

async fn newest(journal: &dyn Journal, session: &SessionId, entries: usize) -> HistoryPage {
    let limit = page_of(entries);
    journal.history(session, HistoryQuery::Newest { limit }).await.unwrap()
}

async fn numbering_has_no_gap_and_no_repeat(journal: &dyn Journal) {
    let id = session(journal, "numbering").await;
    journal.append(&id, vec![started(&id, "t", 1), item(&id, "t", "a", 2, 2)]).await.unwrap();
    for wrong in [0, 1, 2, 4] {
        let result = journal.append(&id, vec![item(&id, "t", "b", wrong, wrong)]).await;
        assert!(matches!(result, Err(StoreError::OutOfOrder { .. })), "{wrong}");
    }
    journal.append(&id, vec![ended(&id, "t", 3)]).await.unwrap();
    assert_eq!(journal.session(&id).await.unwrap().head, Seq(3));
    assert_eq!(journal.record(&id).await.unwrap(), record(&id));
    assert!(matches!(
        journal.create_session(record(&id)).await,
        Err(StoreError::DuplicateSession(_))
    ));
    let nobody = SessionId::from("nobody");
    assert!(matches!(journal.record(&nobody).await, Err(StoreError::UnknownSession(_))));
    assert!(matches!(
        journal.append(&nobody, Vec::new()).await,
        Err(StoreError::UnknownSession(_))
    ));
}

async fn an_append_is_all_or_nothing(journal: &dyn Journal) {
    let id = session(journal, "atomic").await;
    let half = vec![
        item(&id, "t", "a", 1, 1),
        Change::Queue(vec![queued("q")]),
        item(&id, "t", "b", 9, 9),
    ];
    assert!(journal.append(&id, half).await.is_err());
    let saved = journal.session(&id).await.unwrap();
    assert_eq!((saved.head, saved.queue.len()), (Seq(0), 0));
    assert_eq!(names(&newest(journal, &id, 10).await), [""; 0]);
}

async fn items_keep_their_place_while_they_change(journal: &dyn Journal) {
    let id = session(journal, "places").await;
    let changes =
        vec![item(&id, "t", "a", 1, 1), item(&id, "t", "b", 2, 2), item(&id, "t", "a", 1, 3)];
    journal.append(&id, changes).await.unwrap();
    assert_eq!(names(&newest(journal, &id, 10).await), ["a@3", "b@2"]);
    let whole = journal.item(&id, &"a".into()).await.unwrap().unwrap();
    assert_eq!((whole.seq, whole.position), (Some(Seq(3)), Some(Seq(1))));
    assert!(journal.item(&id, &"c".into()).await.unwrap().is_none());
}

async fn history_pages_cover_everything_once(journal: &dyn Journal) {
    let id = session(journal, "pages").await;
    let mut changes = vec![started(&id, "t1", 1)];
    changes.extend((2..=6).map(|seq| item(&id, "t1", &format!("i{seq}"), seq, seq)));
    changes.extend([
        ended(&id, "t1", 7),
        started(&id, "t2", 8),
        item(&id, "t2", "i9", 9, 9),
        ended(&id, "t2", 10),
    ]);
    journal.append(&id, changes).await.unwrap();
    let first = newest(journal, &id, 3).await;
    assert_eq!(
        (names(&first), first.more, first.seq),
        (vec!["i5@5".into(), "i6@6".into(), "i9@9".into()], true, Seq(10))
    );
    assert_eq!(turn_seqs(&first), [1, 7, 8, 10], "with the events of the turns that show up");
    let position = first.entries[0].position.unwrap();
    let second =
        journal.history(&id, HistoryQuery::Before { position, limit: page_of(3) }).await.unwrap();
    assert_eq!(
        (names(&second), second.more),
        (vec!["i2@2".into(), "i3@3".into(), "i4@4".into()], false)
    );
    assert_eq!(turn_seqs(&second), [1, 7]);
}

async fn the_timeline_is_read_from_its_beginning_by_pages(journal: &dyn Journal) {
    let id = session(journal, "onward").await;
    let changes = vec![
        item(&id, "t1", "a", 1, 1),
        started(&id, "t1", 2),
        item(&id, "t1", "b", 3, 3),
        ended(&id, "t1", 4),
        started(&id, "t2", 5),
        item(&id, "t1", "a", 1, 6),
        ended(&id, "t2", 7),
    ];
    journal.append(&id, changes).await.unwrap();
    let (mut position, mut told, mut pages) = (Seq(0), Vec::new(), 0);
    loop {
        let limit = page_of(2);
        let page = journal.history(&id, HistoryQuery::From { position, limit }).await.unwrap();
        assert!(page.entries.len() + page.turns.len() <= 2);
        let items = page.entries.iter().map(|item| item.position.unwrap().0);
        let mut places: Vec<_> = items.chain(turn_seqs(&page)).collect();
        places.sort_unstable();
        told.extend(places);
        pages += 1;
        position = page.seq.next();
        if !page.more {
            assert_eq!(page.seq, Seq(7));
            break;
        }
    }
    assert_eq!((told, pages), (vec![1, 2, 3, 4, 5, 7], 3), "an item stands where it began");
    let limit = page_of(10);
    let past = HistoryQuery::From { position: Seq(99), limit };
    let past = journal.history(&id, past).await.unwrap();
    assert!(past.entries.is_empty() && past.turns.is_empty() && !past.more);
}

async fn resuming_gets_everything_newer_exactly_once(journal: &dyn Journal) {
    let id = session(journal, "resuming").await;
    let changes = vec![started(&id, "t", 1), item(&id, "t", "a", 2, 2), item(&id, "t", "b", 3, 3)];
    journal.append(&id, changes).await.unwrap();
    journal.append(&id, vec![item(&id, "t", "a", 2, 4), ended(&id, "t", 5)]).await.unwrap();
    let after = |seq, entries| {
        let limit = page_of(entries);
        journal.history(&id, HistoryQuery::After { seq: Seq(seq), limit })
    };
    let page = after(3, 10).await.unwrap();
    assert_eq!(
        (names(&page), turn_seqs(&page), page.seq, page.more),
        (vec!["a@4".into()], vec![5], Seq(5), false)
    );
    let page = after(5, 10).await.unwrap();
    assert_eq!((names(&page), turn_seqs(&page), page.seq), (vec![], vec![], Seq(5)));
    let page = after(0, 2).await.unwrap();
    assert_eq!(
        (names(&page), turn_seqs(&page), page.seq, page.more),
        (vec!["b@3".into()], vec![1], Seq(3), true)
    );
    let page = after(page.seq.0, 2).await.unwrap();
    assert_eq!((names(&page), turn_seqs(&page), page.more), (vec!["a@4".into()], vec![5], false));
}

fn page_of(entries: usize) -> PageLimit {
    PageLimit { entries, bytes: 1 << 20 }
}

fn queued(turn: &str) -> QueuedTurn {
    let (content, delivery, queued_at) = ("hi".to_owned(), Delivery::Queue, Timestamp::default());
    QueuedTurn { turn_id: turn.into(), content, delivery, queued_at, paused: false }
}

pub(crate) fn permission(session: &SessionId, name: &str) -> PermissionRequest {
    PermissionRequest {
        permission_id: name.into(),
        session_id: session.clone(),
        turn_id: None,
        item_id: None,
        call_id: None,
        title: "Run a command".into(),
        tool_name: None,
        tool_arguments: None,
        options: Vec::new(),
        plan: None,
        questions: None,
        asked_at: Timestamp::default(),
        resolved_at: None,
        outcome: None,
        option_id: None,
        answer: None,
        diff: None,
    }
}

async fn an_owner_can_take_a_session_up_again(journal: &dyn Journal) {
    let id = session(journal, "owner").await;
    let answered =
        PermissionRequest { outcome: Some(PermissionOutcome::Selected), ..permission(&id, "p1") };
    let mut changed = record(&id);
    changed.title = "A title".into();
    let failed = TurnEventKind::TurnError {
        error_code: ErrorCode::PROCESS_CRASH,
        error_message: "gone".into(),
        error_class: None,
    };
    let changes = vec![
        started(&id, "t1", 1),
        item(&id, "t1", "a", 2, 2),
        Change::Queue(vec![queued("q1"), queued("q2")]),
        Change::Permission(Box::new(permission(&id, "p1"))),
        Change::Permission(Box::new(permission(&id, "p2"))),
        Change::Permission(Box::new(answered)),
        turn_event(&id, "t0", 3, failed),
        Change::Record(Box::new(changed.clone())),
    ];
    journal.append(&id, changes).await.unwrap();
    let saved = journal.session(&id).await.unwrap();
    assert_eq!((&saved.record, saved.head), (&changed, Seq(3)));
    assert_eq!(
        saved.queue.iter().map(|turn| turn.turn_id.as_str()).collect::<Vec<_>>(),
        ["q1", "q2"]
    );
    assert_eq!(saved.waiting, [permission(&id, "p2")]);
    assert_eq!(saved.started, ["t1"]);
    assert_eq!(saved.unfinished.len(), 1);
    assert_eq!(journal.turn(&id, &"t1".into()).await.unwrap(), Some(TurnProgress::Started));
    assert_eq!(journal.turn(&id, &"t0".into()).await.unwrap(), Some(TurnProgress::Ended));
    assert_eq!(journal.turn(&id, &"t9".into()).await.unwrap(), None);
    let answered = journal.permission(&id, &"p1".into()).await.unwrap().unwrap();
    assert_eq!(answered.outcome, Some(PermissionOutcome::Selected));
    assert_eq!(journal.permission(&id, &"p9".into()).await.unwrap(), None);
}

async fn retries_are_answered_alike(journal: &dyn Journal) {
    let id = session(journal, "retries").await;
    let answer = SessionSent { turn_id: "t".into(), state: SendState::Queued };
    journal.append(&id, vec![Change::Sent("m".into(), answer.clone())]).await.unwrap();
    assert_eq!(journal.sent(&id, &"m".into()).await.unwrap(), Some(answer));
    assert_eq!(journal.sent(&id, &"n".into()).await.unwrap(), None);
}

async fn sessions_are_kept_apart(journal: &dyn Journal) {
    let (one, two) = (session(journal, "one").await, session(journal, "two").await);
    journal.append(&one, vec![item(&one, "t", "a", 1, 1)]).await.unwrap();
    assert_eq!(journal.session(&two).await.unwrap().head, Seq(0));
    assert!(journal.item(&two, &"a".into()).await.unwrap().is_none());
    assert!(journal.sessions().await.unwrap().len() >= 2);
}
