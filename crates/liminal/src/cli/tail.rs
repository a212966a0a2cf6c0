//! `liminal tail`: what was said in a session, and what is being said.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::{Context, bail};
use contract::{
    Activity, ClientFrame, ClientMessage, Epoch, HistoryMode, HistoryPage, ItemId, PermissionId,
    PermissionRequest, Seq, ServerFrame, ServerMessage, SessionId, SessionStatus, StreamProtocol,
    TurnEvent, UpsertObject,
};
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use tokio::net::UnixStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::arguments::TailOptions;
use super::client::{Client, segment};
use super::{json_line, print, transcript};
use crate::terminal::shown_text;

/// How long a server that went away is waited for: long enough for one that is started anew.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked for meanwhile.
const LOOK: Duration = Duration::from_millis(200);

pub(crate) async fn tail(options: TailOptions) -> anyhow::Result<()> {
    let client = options.place.client()?;
    let mut tail = Tail::new(SessionId::from(options.id.as_str()), options.place.json);
    let mut socket = connect(&client, &tail).await?;
    loop {
        if follow(&client, &mut socket, &mut tail, options.until_idle).await? == Followed::ToRest {
            return Ok(());
        }
        socket = connect_again(&client, &tail).await?;
    }
}

#[derive(PartialEq, Eq)]
enum Followed {
    /// Nothing runs, and that is what was waited for.
    ToRest,
    /// The connection is gone.
    Lost,
}

/// Opens the session, from where it was told to.
async fn connect(client: &Client, tail: &Tail) -> anyhow::Result<WebSocketStream<UnixStream>> {
    // Before it is opened, so that an unknown session is told as such.
    let path = format!("/api/session/{}/status", segment(tail.session.as_str()));
    client.get::<SessionStatus>(&path).await?;
    let mut socket = client.socket().await?;
    let stream_protocol = Some(StreamProtocol::UpsertV1);
    say(&mut socket, ClientMessage::Hello { stream_protocol, capabilities: None }).await?;
    let (epoch, after) = tail.place.clone().unzip();
    let session_id = tail.session.clone();
    say(&mut socket, ClientMessage::SessionOpen { session_id, after, epoch }).await?;
    Ok(socket)
}

/// A server that is started anew is followed on, and nothing is told twice.
async fn connect_again(
    client: &Client,
    tail: &Tail,
) -> anyhow::Result<WebSocketStream<UnixStream>> {
    let trying = async {
        loop {
            tokio::time::sleep(LOOK).await;
            if let Ok(socket) = connect(client, tail).await {
                return socket;
            }
        }
    };
    tokio::time::timeout(PATIENCE, trying).await.context("the server ended the connection")
}

async fn follow(
    client: &Client,
    socket: &mut WebSocketStream<UnixStream>,
    tail: &mut Tail,
    until_idle: bool,
) -> anyhow::Result<Followed> {
    while let Some(Ok(message)) = socket.next().await {
        match message {
            Message::Text(text) => {
                let frame: ServerFrame = serde_json::from_str(text.as_str())
                    .context("the server's message is not understood")?;
                if tail.has_missed(&frame.message) {
                    catch_up(client, tail).await?;
                }
                tail.take(frame.message)?;
            }
            Message::Close(_) => break,
            Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
        if until_idle && tail.has_settled() {
            return Ok(Followed::ToRest);
        }
    }
    // What was known of what runs is old from here on.
    (tail.has_history, tail.activity) = (false, None);
    Ok(Followed::Lost)
}

/// More was missed than a history tells at once: what lies between is fetched, so that nothing is left out.
async fn catch_up(client: &Client, tail: &mut Tail) -> anyhow::Result<()> {
    while let Some((_, Seq(told))) = &tail.place {
        let session = segment(tail.session.as_str());
        let path = format!("/api/session/{session}/history?after={told}");
        let page: HistoryPage = client.get(&path).await?;
        tail.history(&page)?;
        if !page.more {
            break;
        }
    }
    Ok(())
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
    /// How far the session was told; what a history tells again up to there is passed over.
    place: Option<(Epoch, Seq)>,
    /// What was told already, so that nothing is told twice.
    items: HashSet<ItemId>,
    questions: HashSet<PermissionId>,
    has_history: bool,
    activity: Option<Activity>,
}

impl Tail {
    fn new(session: SessionId, json: bool) -> Self {
        let (items, questions) = (HashSet::new(), HashSet::new());
        Self { session, json, place: None, items, questions, has_history: false, activity: None }
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
            ServerMessage::Upsert { session_id, seq, payload } if session_id == self.session => {
                if self.advance(seq) {
                    self.item(&payload)
                } else {
                    Ok(())
                }
            }
            ServerMessage::Turn { session_id, seq, payload } if session_id == self.session => {
                if self.advance(seq) {
                    self.turn(&payload)
                } else {
                    Ok(())
                }
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

    /// Whether this begins a history behind a gap: of the same numbering, but not from where the session was told to.
    fn has_missed(&self, message: &ServerMessage) -> bool {
        let ServerMessage::History { session_id, mode: HistoryMode::Reset, page, .. } = message
        else {
            return false;
        };
        let told = self.place.as_ref();
        *session_id == self.session && told.is_some_and(|(epoch, _)| *epoch == page.epoch)
    }

    /// Whether it was not told yet: what was fetched may come once more.
    fn advance(&mut self, to: Seq) -> bool {
        let Some((_, told)) = &mut self.place else { return true };
        let is_new = to > *told;
        *told = (*told).max(to);
        is_new
    }

    /// Items and the ends of turns in the order in which they came about, as far as they are new.
    fn history(&mut self, page: &HistoryPage) -> anyhow::Result<()> {
        self.has_history = true;
        let known = self.place.take().filter(|(epoch, _)| *epoch == page.epoch).map(|(_, seq)| seq);
        self.place = Some((page.epoch.clone(), known.map_or(page.seq, |seq| seq.max(page.seq))));
        let mut turns = page.turns.iter().filter(|event| event.seq > known).peekable();
        for item in page.entries.iter().filter(|item| item.seq > known) {
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
