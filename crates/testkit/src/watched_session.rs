//! A session of a real agent as a client sees it.

use std::sync::Arc;
use std::time::Duration;

use contract::{
    Activity, Delivery, ItemStatus, MessageOrigin, PermissionAnswer, PermissionRequest, PlanEntry,
    SendRequest, SessionId, SessionStatus, TurnEvent, TurnEventKind, TurnId, UpsertBody,
    UpsertObject,
};
use session::{Publication, SessionService, Subscriber};

/// How long anything may take before a test gives up. Generous: machines are busy, and nothing is measured here.
pub const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct WatchedSession<'a> {
    service: &'a SessionService,
    pub id: SessionId,
    connection: Arc<Subscriber>,
    /// The newest state of every item, in the order of their creation.
    pub items: Vec<Arc<UpsertObject>>,
    pub turns: Vec<Arc<TurnEvent>>,
    pub permissions: Vec<Arc<PermissionRequest>>,
    pub statuses: Vec<Arc<SessionStatus>>,
    /// What the agent means to do, as it told last.
    pub plan: Vec<PlanEntry>,
}

impl<'a> WatchedSession<'a> {
    pub async fn open(service: &'a SessionService, id: SessionId) -> Self {
        let connection = Arc::new(Subscriber::new(64 << 20));
        service.connect(&connection);
        service.subscribe(&id, &connection, None, None).await.unwrap();
        Self {
            service,
            id,
            connection,
            items: Vec::new(),
            turns: Vec::new(),
            permissions: Vec::new(),
            statuses: Vec::new(),
            plan: Vec::new(),
        }
    }

    pub async fn send(&self, content: &str) -> TurnId {
        self.deliver(content, Delivery::Queue).await
    }

    pub async fn deliver(&self, content: &str, delivery: Delivery) -> TurnId {
        let request = SendRequest {
            content: content.to_owned(),
            client_message_id: None,
            delivery: Some(delivery),
            attachments: None,
        };
        let sent = self.service.send(&self.id, request).await.unwrap();
        sent.answer().await.unwrap().turn_id
    }

    /// Takes in what is told until `is_so`.
    pub async fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let seen = async {
            loop {
                self.take_in();
                if is_so(self) {
                    return;
                }
                self.connection.ready().await;
            }
        };
        let seen = tokio::time::timeout(PATIENCE, seen).await.is_ok();
        assert!(seen, "never: {what}\nturns {:#?}\nitems {:#?}", self.turns, self.items);
    }

    fn take_in(&mut self) {
        while let Some(entry) = self.connection.with_outbox(session::Outbox::pop) {
            match entry.publication {
                Publication::Upsert(item) => self.put(item),
                Publication::Turn(event) => self.turns.push(event),
                Publication::PermissionRequested(request) => self.permissions.push(request),
                Publication::PermissionResolved(request) => {
                    self.permissions.retain(|known| known.permission_id != request.permission_id);
                }
                Publication::Status(status) if status.session_id == self.id => {
                    self.statuses.push(status);
                }
                Publication::Plan(plan) => self.plan.clone_from(&plan.entries),
                Publication::Status(_)
                | Publication::Glance(_)
                | Publication::Created(_)
                | Publication::News(_)
                | Publication::Problem(_) => {}
                Publication::History(history) => {
                    for item in &history.page.entries {
                        self.put(Arc::new(item.clone()));
                    }
                }
            }
        }
    }

    fn put(&mut self, item: Arc<UpsertObject>) {
        match self.items.iter_mut().find(|known| known.item_id == item.item_id) {
            Some(known) => *known = item,
            None => self.items.push(item),
        }
    }

    pub fn end_of(&self, turn: &TurnId) -> Option<&TurnEventKind> {
        let events = self.turns.iter().filter(|event| event.turn_id == *turn);
        events.map(|event| &event.kind).find(|kind| kind.is_terminal())
    }

    pub async fn end(&mut self, turn: &TurnId) -> TurnEventKind {
        self.until("the turn ends", |seen| seen.end_of(turn).is_some()).await;
        self.end_of(turn).unwrap().clone()
    }

    /// Sends and waits for the end.
    pub async fn turn(&mut self, content: &str) -> (TurnId, TurnEventKind) {
        let turn = self.send(content).await;
        let end = self.end(&turn).await;
        (turn, end)
    }

    /// Waits until a permission is asked for, and takes it.
    pub async fn asked(&mut self) -> Arc<PermissionRequest> {
        self.until("a permission is asked for", |seen| !seen.permissions.is_empty()).await;
        self.permissions[0].clone()
    }

    pub async fn answer(&self, request: &PermissionRequest, answer: PermissionAnswer) {
        let id = request.permission_id.clone();
        self.service.answer(&self.id, id, answer).await.unwrap();
    }

    pub async fn choose(&self, request: &PermissionRequest, option: &str) {
        let answer =
            PermissionAnswer { option_id: Some(option.into()), ..PermissionAnswer::default() };
        self.answer(request, answer).await;
    }

    pub async fn cancel(&self) -> bool {
        let cancelled = self.service.cancel(&self.id, None).await.unwrap();
        cancelled.answer().await.unwrap().cancelled
    }

    /// Waits until nothing runs.
    pub async fn idle(&mut self) {
        let settled = self.service.wait(&self.id, PATIENCE).await.unwrap();
        assert!(!settled.timed_out, "it never settles: {:#?}", self.turns);
        assert_eq!(settled.activity, Activity::Idle);
        self.take_in();
    }

    pub async fn status(&self) -> Arc<SessionStatus> {
        self.service.status(&self.id).await.unwrap()
    }

    /// What the agent said in a turn, item by item, complete ones only.
    pub fn said_in(&self, turn: &TurnId) -> Vec<String> {
        let of_turn = self.items.iter().filter(|item| item.turn_id == *turn);
        of_turn.filter_map(|item| said(item)).collect()
    }

    /// Everything that the agent said.
    pub fn said(&self) -> Vec<String> {
        self.items.iter().filter_map(|item| said(item)).collect()
    }

    pub fn tools(&self) -> Vec<&contract::ToolCall> {
        let tools = self.items.iter().filter_map(|item| match &item.body {
            UpsertBody::ToolCall(tool) => Some(tool),
            UpsertBody::Message { .. } | UpsertBody::Thinking { .. } => None,
        });
        tools.collect()
    }

    /// Something to show beside the status, as it came.
    pub fn notices(&self) -> Vec<String> {
        let notices = self.statuses.iter().filter_map(|status| status.notice.as_ref());
        notices.map(|notice| format!("{}: {}", notice.kind, notice.text)).collect()
    }

    /// What holds whenever nothing runs: every turn that started ended once, every item is final.
    pub fn judge(&self) {
        for event in &self.turns {
            let same = |other: &&Arc<TurnEvent>| other.turn_id == event.turn_id;
            let ends = self.turns.iter().filter(same).filter(|other| other.kind.is_terminal());
            assert_eq!(ends.count(), 1, "turn {} ends once", event.turn_id);
        }
        for item in &self.items {
            assert!(item.is_final(), "left open: {item:#?}");
        }
    }
}

fn said(item: &UpsertObject) -> Option<String> {
    match &item.body {
        UpsertBody::Message { content, origin: MessageOrigin::Agent }
            if item.status == ItemStatus::Complete =>
        {
            Some(content.to_string())
        }
        UpsertBody::Message { .. } | UpsertBody::Thinking { .. } | UpsertBody::ToolCall(_) => None,
    }
}
