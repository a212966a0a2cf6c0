//! A session as a provider tells it, without the service: what is loaded, and who allowed what.

use contract::{
    ItemStatus, PermissionAnswer, PermissionOptionKind, SessionId, TurnEvent, TurnEventKind,
    TurnId, UpsertBody, UpsertObject,
};
use session::provider::{
    CliProvider, CreateSession, LoadSession, OutgoingMessage, PermissionDecision, ProviderError,
    ProviderNotice, Sink,
};
use testkit::acp_house::AcpHouse;
use testkit::watched_session::PATIENCE;
use tokio::sync::mpsc;

enum Told {
    Item(UpsertObject),
    Turn(TurnEvent),
    Notice(ProviderNotice),
}

pub(crate) struct Heard<'a, Api> {
    house: &'a AcpHouse<Api>,
    pub(crate) id: SessionId,
    told: mpsc::Receiver<Told>,
    /// The newest state of every item, in the order of their creation.
    pub(crate) items: Vec<UpsertObject>,
    pub(crate) turns: Vec<(TurnId, TurnEventKind)>,
    /// What the agent calls the session.
    pub(crate) agent_session: Option<String>,
}

impl<'a, Api> Heard<'a, Api> {
    /// Listens; there need not be such a session yet.
    pub(crate) fn new(house: &'a AcpHouse<Api>) -> Self {
        let id = SessionId::from("ours");
        let (sender, told) = mpsc::channel(100_000);
        let provider = &house.provider;
        provider.on_upsert(&id, Sink::channel(sender.clone(), Told::Item));
        provider.on_turn(&id, Sink::channel(sender.clone(), Told::Turn));
        provider.on_notice(&id, Sink::channel(sender, Told::Notice));
        Self { house, id, told, items: Vec::new(), turns: Vec::new(), agent_session: None }
    }

    pub(crate) async fn create(&mut self) {
        let options = CreateSession {
            session_id: Some(self.id.clone()),
            project_dir: self.project(),
            ..CreateSession::default()
        };
        self.house.provider.create_session(options).await.unwrap();
        self.take_in();
    }

    pub(crate) async fn load(
        &mut self,
        agent_session: &str,
        holds_history: bool,
    ) -> Result<(), ProviderError> {
        let options = LoadSession {
            project_dir: Some(self.project()),
            agent_session: Some(agent_session.to_owned()),
            holds_history,
            ..LoadSession::default()
        };
        self.house.provider.load_session(&self.id, options).await?;
        self.take_in();
        Ok(())
    }

    /// Sends, allows what is asked for, and gives what was said until the turn ended well.
    pub(crate) async fn turn(&mut self, content: &str) -> String {
        let message = OutgoingMessage { content: content.to_owned(), ..OutgoingMessage::default() };
        let turn = self.house.provider.send_message(&self.id, message).await.unwrap();
        let is_end = |(ended, kind): &(TurnId, TurnEventKind)| *ended == turn && kind.is_terminal();
        while !self.turns.iter().any(is_end) {
            let told = tokio::time::timeout(PATIENCE, self.told.recv()).await;
            self.take(told.expect("it goes on in time").unwrap());
        }
        let end = self.turns.iter().find(|event| is_end(event)).unwrap();
        assert!(crate::completed(&end.1), "{end:?}");
        let said = self.items.iter().filter(|item| item.turn_id == turn);
        let said = said.filter(|item| item.status == ItemStatus::Complete);
        said.filter_map(|item| item.content().map(ToString::to_string)).collect()
    }

    /// Ends the agent; nobody else knows of it.
    pub(crate) async fn kill(self) {
        self.house.provider.kill_session(&self.id).await.unwrap();
    }

    /// Each item in a few words.
    pub(crate) fn summary(&self) -> Vec<String> {
        let words = self.items.iter().map(|item| match &item.body {
            UpsertBody::Message { content, .. } => content.to_string(),
            UpsertBody::Thinking { content, .. } => format!("thought {content}"),
            UpsertBody::ToolCall(tool) => {
                let output = tool.tool_output.as_ref().map(ToString::to_string).unwrap_or_default();
                let is_said = if output.contains("hi") { "said hi" } else { &output };
                format!("tool {is_said}")
            }
        });
        words.collect()
    }

    fn project(&self) -> String {
        self.house.project().to_str().unwrap().to_owned()
    }

    fn take_in(&mut self) {
        while let Ok(told) = self.told.try_recv() {
            self.take(told);
        }
    }

    fn take(&mut self, told: Told) {
        match told {
            Told::Item(item) => {
                match self.items.iter_mut().find(|known| known.item_id == item.item_id) {
                    Some(known) => *known = item,
                    None => self.items.push(item),
                }
            }
            Told::Turn(event) => self.turns.push((event.turn_id, event.kind)),
            Told::Notice(ProviderNotice::AgentSession(id)) => self.agent_session = Some(id),
            Told::Notice(ProviderNotice::PermissionAsked { request, answer }) => {
                let mut options = request.options.iter();
                let once = options.find(|option| option.kind == PermissionOptionKind::AllowOnce);
                let option_id = Some(once.unwrap().option_id.clone());
                let allowed = PermissionAnswer { option_id, ..PermissionAnswer::default() };
                answer.send(PermissionDecision::Selected(Box::new(allowed))).ok();
            }
            Told::Notice(_) => {}
        }
    }
}
