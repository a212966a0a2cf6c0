//! A client that follows a session over any number of servers that are killed under it.

use std::collections::HashMap;

use contract::{ServerFrame, ServerMessage, SessionId};
use serde_json::{Value, json};
use testkit::{ClientView, ServerProcess, SocketClient};

pub(crate) struct Follower {
    session: SessionId,
    family: &'static str,
    view: ClientView,
}

impl Follower {
    pub(crate) fn new(session: &SessionId, family: &'static str) -> Self {
        Self { session: session.clone(), family, view: ClientView::new(session) }
    }

    /// Takes what it is told until the connection breaks.
    pub(crate) async fn follow(&mut self, port: u16, token: &str) {
        let Some(mut socket) = self.open(port, token).await else { return };
        while let Some(text) = socket.try_receive().await {
            self.take(&text);
        }
    }

    /// Takes what it is told until it knows the last change.
    pub(crate) async fn catch_up(&mut self, server: &ServerProcess) {
        let head = server.history(&self.session).await["seq"].as_u64().unwrap();
        let mut socket = self.open(server.port(), server.token()).await.unwrap();
        while self.view.place.as_ref().is_none_or(|(_, seq)| seq.0 < head) {
            let text = socket.try_receive().await.expect("a connection that holds");
            self.take(&text);
        }
    }

    /// Goes on from where it was.
    async fn open(&self, port: u16, token: &str) -> Option<SocketClient> {
        let bearer = format!("Bearer {token}");
        let mut socket =
            SocketClient::try_connect(port, false, &[("authorization", &bearer)]).await?;
        let mut open = json!({"type": "session:open", "sessionId": self.session});
        if let Some((epoch, seq)) = &self.view.place {
            (open["epoch"], open["after"]) = (json!(epoch), json!(seq));
        }
        let hello = json!({"type": "session:hello", "streamProtocol": self.family});
        (socket.try_send(&hello).await && socket.try_send(&open).await).then_some(socket)
    }

    fn take(&mut self, text: &str) {
        let frame: ServerFrame = serde_json::from_str(text).unwrap();
        self.was_told_nothing_too_early(&frame.message);
        self.view.apply(frame.message);
        assert!(self.view.mismatches.is_empty(), "{}: {text}", self.family);
    }

    /// What was told before is in the journal of every later server: a number that was told is not given out again.
    fn was_told_nothing_too_early(&self, message: &ServerMessage) {
        let ServerMessage::History { page, .. } = message else { return };
        let Some((epoch, seq)) = &self.view.place else { return };
        assert_eq!(page.epoch, *epoch, "{}: the journal was never lost", self.family);
        assert!(page.seq >= *seq, "{}: {} was told, and is lost", self.family, seq.0);
    }

    /// Fails unless it has what the journal has, each once.
    pub(crate) fn shows(&self, journal: &Value) {
        let entries = journal["entries"].as_array().unwrap();
        let by_id: HashMap<_, _> =
            entries.iter().map(|item| (item["itemId"].as_str().unwrap(), item)).collect();
        let (items, turns) = self.view.shown();
        for item in &items {
            let kept = by_id[item.item_id.as_str()];
            let content = item.content().map(ToString::to_string);
            assert_eq!(kept["content"].as_str().map(str::to_owned), content, "{}", item.item_id);
            assert_eq!(kept["seq"].as_u64(), item.seq.map(|seq| seq.0), "{}", item.item_id);
        }
        if !self.view.more {
            assert_eq!(items.len(), entries.len(), "{}: nothing is missing", self.family);
            assert_eq!(turns.len(), journal["turns"].as_array().unwrap().len());
        }
    }
}
