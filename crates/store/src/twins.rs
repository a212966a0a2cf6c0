//! Whatever happens to a session, the journal on disk and its twin in memory tell the same, also after the file was closed.

use std::path::Path;
use std::sync::Arc;

use contract::{
    CallId, ErrorCode, ItemStatus, MessageOrigin, ModelId, PermissionOutcome, PermissionRequest,
    ProviderId, Seq, SessionId, SessionSource, Timestamp, ToolCall, TurnEvent, TurnEventKind,
    TurnStatus, UpsertBody, UpsertObject,
};
use proptest::prelude::*;

use crate::{
    AgentChoices, Change, HistoryQuery, Journal, MemoryJournal, PageLimit, SessionRecord,
    SqliteJournal, Wanted,
};

/// One thing that happens.
#[derive(Clone, Debug)]
enum Step {
    /// An item, by its number, gets this text: appended to what it has, or instead of it.
    Say {
        item: u8,
        text: String,
        appended: bool,
        status: u8,
    },
    /// A call, by its number.
    Call {
        item: u8,
        output: Option<String>,
        status: u8,
    },
    Begin(u8),
    End(u8),
    Fail(u8),
    Ask(u8),
    Answer(u8),
    Rename(String),
    /// The file is closed and opened again.
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    // Some are so long that they are kept in pieces.
    let text = || prop_oneof![4 => "[a-cé 😀]{0,12}", 1 => "[a-cé 😀]{200,500}"];
    prop_oneof![
        8 => (0..4_u8, text(), any::<bool>(), 0..4_u8)
            .prop_map(|(item, text, appended, status)| Step::Say { item, text, appended, status }),
        3 => (4..6_u8, proptest::option::of(text()), 0..4_u8)
            .prop_map(|(item, output, status)| Step::Call { item, output, status }),
        1 => (0..3_u8).prop_map(Step::Begin),
        1 => (0..3_u8).prop_map(Step::End),
        1 => (0..3_u8).prop_map(Step::Fail),
        1 => (0..3_u8).prop_map(Step::Ask),
        1 => (0..3_u8).prop_map(Step::Answer),
        1 => "[a-c]{1,4}".prop_map(Step::Rename),
        1 => Just(Step::Reopen),
    ]
}

/// What the owner of a session keeps, to make changes of steps.
struct Owner {
    record: SessionRecord,
    head: Seq,
    items: std::collections::HashMap<u8, UpsertObject>,
}

impl Owner {
    fn new() -> Self {
        let record = SessionRecord {
            session_id: "s".into(),
            project_id: "p".into(),
            project_dir: "/p".into(),
            cli_type: "external".into(),
            agent_session: None,
            choices: AgentChoices::default(),
            epoch: "e".into(),
            title: "New Session".into(),
            created_at: Timestamp::from_millis(1),
            last_active_at: Timestamp::from_millis(2),
            archived: false,
            dead: false,
            source: SessionSource::Imported,
        };
        Self { record, head: Seq(0), items: std::collections::HashMap::new() }
    }

    fn next(&mut self) -> Seq {
        self.head = self.head.next();
        self.head
    }

    fn change(&mut self, step: Step) -> Option<Change> {
        Some(match step {
            Step::Say { item, text, appended, status } => {
                let before = self.items.get(&item).filter(|_| appended);
                let mut content =
                    before.and_then(|item| item.content()).cloned().unwrap_or_default();
                content.push_str(&text);
                self.put(
                    item,
                    UpsertBody::Message { content, origin: MessageOrigin::Agent },
                    status,
                )
            }
            Step::Call { item, output, status } => {
                let call = ToolCall {
                    tool_name: "Bash".into(),
                    tool_arguments: contract::ToolArguments::default(),
                    call_id: CallId::from(format!("c{item}")),
                    tool_output: output.map(Into::into),
                    tool_output_is_error: (status == 3).then_some(true),
                    kind: None,
                    locations: None,
                    diff: None,
                };
                self.put(item, UpsertBody::ToolCall(call), status)
            }
            Step::Begin(turn) => {
                let (model_id, provider_id) = (ModelId::from("m"), ProviderId::from("p"));
                let (origin, joined_turn_id) = (None, None);
                self.turn(
                    turn,
                    TurnEventKind::TurnStarted { model_id, provider_id, origin, joined_turn_id },
                )
            }
            Step::Fail(turn) => {
                let (error_code, error_class) = (ErrorCode::PROCESS_CRASH, None);
                let error_message = "gone".to_owned();
                self.turn(turn, TurnEventKind::TurnError { error_code, error_message, error_class })
            }
            Step::End(turn) => {
                let kind =
                    TurnEventKind::TurnComplete { status: TurnStatus::Completed, usage: None };
                self.turn(turn, kind)
            }
            Step::Ask(id) => Change::Permission(Box::new(permission(id))),
            Step::Answer(id) => Change::Permission(Box::new(PermissionRequest {
                outcome: Some(PermissionOutcome::Selected),
                ..permission(id)
            })),
            Step::Rename(title) => {
                self.record.title = title;
                Change::Record(Box::new(self.record.clone()))
            }
            Step::Reopen => return None,
        })
    }

    fn turn(&mut self, turn: u8, kind: TurnEventKind) -> Change {
        let (seq, at) = (Some(self.next()), Some(Timestamp::from_millis(3)));
        let turn_id = format!("t{turn}").into();
        Change::Turn(Arc::new(TurnEvent { turn_id, session_id: "s".into(), seq, at, kind }))
    }

    fn put(&mut self, item: u8, body: UpsertBody, status: u8) -> Change {
        let seq = self.next();
        let before = self.items.get(&item);
        let all = [ItemStatus::Create, ItemStatus::Update, ItemStatus::Complete, ItemStatus::Error];
        let status = all[usize::from(status)];
        let upsert = UpsertObject {
            status,
            seq: Some(seq),
            position: before.and_then(|before| before.position).or(Some(seq)),
            started_at: Some(Timestamp::from_millis(4)),
            emitted_at: Timestamp::from_millis(5),
            source_timestamp: Timestamp::from_millis(i64::from(item)),
            error_code: (status == ItemStatus::Error).then_some(ErrorCode::CANCELLED),
            ..UpsertObject::new(
                format!("t{}", item % 3).into(),
                "s".into(),
                format!("i{item}").into(),
                body,
            )
        };
        self.items.insert(item, upsert.clone());
        Change::Upsert(Arc::new(upsert))
    }
}

fn permission(id: u8) -> PermissionRequest {
    crate::journal_contract::permission(&"s".into(), &format!("p{id}"))
}

/// Everything that can be asked of a journal about its session, as it prints.
async fn told(journal: &dyn Journal, head: Seq) -> Vec<String> {
    let id = SessionId::from("s");
    let mut told = Vec::new();
    let mut saved = journal.session(&id).await.unwrap();
    saved.started.sort();
    told.push(format!("{saved:?}"));
    told.push(format!(
        "{:?} {:?}",
        journal.sessions().await.unwrap(),
        (journal.unsettled().await.unwrap(), journal.failed().await.unwrap())
    ));
    for entries in [1, 3, 100] {
        for bytes in [0, 1100, 1 << 20] {
            let limit = PageLimit { entries, bytes };
            let mut queries = vec![HistoryQuery::Newest { limit }];
            let all = (0..=head.0 + 1).map(Seq);
            queries.extend(all.clone().map(|position| HistoryQuery::Before { position, limit }));
            queries.extend(all.clone().map(|position| HistoryQuery::From { position, limit }));
            queries.extend(all.map(|seq| HistoryQuery::After { seq, limit }));
            for query in queries {
                told.push(format!("{query:?} {:?}", journal.history(&id, query).await.unwrap()));
            }
        }
    }
    for item in 0..6 {
        told.push(format!("{:?}", journal.item(&id, &format!("i{item}").into()).await.unwrap()));
        told.push(format!("{:?}", journal.turn(&id, &format!("t{item}").into()).await.unwrap()));
    }
    let hits = journal.search(Wanted::parse("a").unwrap(), 10).await.unwrap();
    told.push(format!("{hits:?}"));
    told
}

async fn compare(path: &Path, steps: Vec<Vec<Step>>) {
    let mut owner = Owner::new();
    let memory = MemoryJournal::default();
    let mut disk = SqliteJournal::open(path).unwrap();
    memory.create_session(owner.record.clone()).await.unwrap();
    disk.create_session(owner.record.clone()).await.unwrap();
    for steps in steps {
        if matches!(steps.first(), Some(Step::Reopen)) {
            drop(disk);
            disk = SqliteJournal::open(path).unwrap();
        }
        let changes: Vec<_> = steps.into_iter().filter_map(|step| owner.change(step)).collect();
        memory.append(&"s".into(), changes.clone()).await.unwrap();
        disk.append(&"s".into(), changes).await.unwrap();
    }
    let (memory, disk) = (told(&memory, owner.head).await, told(&disk, owner.head).await);
    for (memory, disk) in memory.iter().zip(&disk) {
        assert_eq!(memory, disk);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn the_journal_on_disk_tells_what_its_twin_tells(
        steps in proptest::collection::vec(proptest::collection::vec(step(), 1..6), 1..12),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(compare(&directory.path().join("journal.db"), steps));
    }
}
