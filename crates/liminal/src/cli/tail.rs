//! `liminal tail`: what was said in a session, and what is being said.

use std::collections::HashSet;

use anyhow::{Context, bail};
use contract::{
    Activity, ClientFrame, ClientMessage, HistoryPage, ItemId, PermissionId, PermissionRequest,
    ServerFrame, ServerMessage, SessionId, SessionStatus, StreamProtocol, TurnEvent, UpsertObject,
};
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use tokio::net::UnixStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::arguments::TailOptions;
use super::client::segment;
use super::{json_line, print, transcript};
use crate::terminal::shown_text;

pub(crate) async fn tail(options: TailOptions) -> anyhow::Result<()> {
    let client = options.place.client()?;
    // Before it is opened, so that an unknown session is told as such.
    let path = format!("/api/session/{}", segment(&options.id));
    let status: SessionStatus = client.get(&format!("{path}/status")).await?;
    let mut socket = client.socket().await?;
    say(
        &mut socket,
        ClientMessage::Hello {
            stream_protocol: Some(StreamProtocol::UpsertV1),
            capabilities: None,
        },
    )
    .await?;
    let session_id = status.session_id.clone();
    let open = ClientMessage::SessionOpen { session_id, after: None, epoch: None };
    say(&mut socket, open).await?;
    let mut tail = Tail::new(status.session_id, options.place.json);
    while let Some(message) = socket.next().await {
        match message? {
            Message::Text(text) => {
                let frame: ServerFrame = serde_json::from_str(text.as_str())
                    .context("the server's message is not understood")?;
                tail.take(frame.message)?;
            }
            Message::Close(_) => break,
            Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
        if options.until_idle && tail.has_settled() {
            return Ok(());
        }
    }
    bail!("the server ended the connection")
}

async fn say(
    socket: &mut WebSocketStream<UnixStream>,
    message: ClientMessage,
) -> anyhow::Result<()> {
    let frame = serde_json::to_string(&ClientFrame { request_id: None, message })?;
    Ok(socket.send(Message::text(frame)).await?)
}

struct Tail {
    session: SessionId,
    json: bool,
    /// What was told already, so that nothing is told twice.
    items: HashSet<ItemId>,
    questions: HashSet<PermissionId>,
    has_history: bool,
    activity: Option<Activity>,
}

impl Tail {
    fn new(session: SessionId, json: bool) -> Self {
        let (items, questions) = (HashSet::new(), HashSet::new());
        Self { session, json, items, questions, has_history: false, activity: None }
    }

    /// The first status comes before the history, and every later one after what it speaks of.
    fn has_settled(&self) -> bool {
        self.has_history && self.activity.is_some_and(|activity| activity != Activity::Running)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what concerns other things is not told")]
    fn take(&mut self, message: ServerMessage) -> anyhow::Result<()> {
        match message {
            ServerMessage::History { session_id, page, .. } if session_id == self.session => {
                self.history(&page)
            }
            ServerMessage::Upsert { session_id, payload, .. } if session_id == self.session => {
                self.item(&payload)
            }
            ServerMessage::Turn { session_id, payload, .. } if session_id == self.session => {
                self.turn(&payload)
            }
            ServerMessage::Status(status) if status.session_id == self.session => {
                self.activity = Some(status.activity);
                Ok(())
            }
            ServerMessage::PermissionRequested(request) if request.session_id == self.session => {
                self.question(&request)
            }
            ServerMessage::SessionError { session_id, message } if session_id == self.session => {
                self.tell("problem", &json!({"message": message}), Some(shown_text(&message)))
            }
            ServerMessage::Error { message, .. } => bail!(shown_text(&message)),
            _ => Ok(()),
        }
    }

    /// Items and the ends of turns in the order in which they came about.
    fn history(&mut self, page: &HistoryPage) -> anyhow::Result<()> {
        self.has_history = true;
        let mut turns = page.turns.iter().peekable();
        for item in &page.entries {
            while let Some(event) = turns.next_if(|event| event.seq < item.position) {
                self.turn(event)?;
            }
            self.item(item)?;
        }
        turns.try_for_each(|event| self.turn(event))
    }

    fn item(&mut self, item: &UpsertObject) -> anyhow::Result<()> {
        let words = transcript::item(item).filter(|_| self.items.insert(item.item_id.clone()));
        self.tell("item", item, words)
    }

    fn turn(&mut self, event: &TurnEvent) -> anyhow::Result<()> {
        self.tell("turn", event, transcript::turn(event))
    }

    fn question(&mut self, request: &PermissionRequest) -> anyhow::Result<()> {
        if !self.questions.insert(request.permission_id.clone()) {
            return Ok(());
        }
        self.tell("permission", request, Some(transcript::asked(request)))
    }

    /// Programs are told every change, people what has come to rest.
    fn tell(
        &self,
        kind: &str,
        payload: &impl serde::Serialize,
        words: Option<String>,
    ) -> anyhow::Result<()> {
        if self.json {
            return print(&json_line(&json!({"kind": kind, "payload": payload}))?);
        }
        words.map_or(Ok(()), |words| print(&words))
    }
}
