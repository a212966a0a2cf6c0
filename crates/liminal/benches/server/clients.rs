//! Clients that read what they are sent and do nothing else with it.

use contract::SessionId;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use testkit::ServerProcess;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

pub(crate) struct Client {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Client {
    pub(crate) async fn connect(server: &ServerProcess, family: &str) -> Self {
        let mut request =
            format!("ws://127.0.0.1:{}/ws", server.port()).into_client_request().unwrap();
        let bearer = format!("Bearer {}", server.token());
        request.headers_mut().insert("Authorization", bearer.parse().unwrap());
        let (stream, _) = tokio_tungstenite::connect_async(request).await.unwrap();
        let mut client = Self { stream };
        client.say(&json!({ "type": "session:hello", "streamProtocol": family })).await;
        client.until("session:hello:ack").await;
        client
    }

    pub(crate) async fn open(&mut self, session: &SessionId) {
        self.say(&json!({ "type": "session:open", "sessionId": session.as_str() })).await;
        self.until("session:history").await;
    }

    pub(crate) async fn say(&mut self, message: &Value) {
        self.try_to_say(message).await.unwrap();
    }

    /// Fails if the server has hung up.
    pub(crate) async fn try_to_say(&mut self, message: &Value) -> Result<(), Error> {
        self.stream.send(Message::text(message.to_string())).await
    }

    /// The next text, as it came.
    pub(crate) async fn next(&mut self) -> String {
        self.try_next().await.unwrap()
    }

    /// Nothing if the server has hung up.
    pub(crate) async fn try_next(&mut self) -> Option<String> {
        loop {
            match self.stream.next().await?.ok()? {
                Message::Text(text) => return Some(text.as_str().to_owned()),
                Message::Ping(_) | Message::Pong(_) => {}
                Message::Binary(_) | Message::Close(_) | Message::Frame(_) => return None,
            }
        }
    }

    pub(crate) async fn until(&mut self, kind: &str) -> Value {
        loop {
            let message: Value = serde_json::from_str(&self.next().await).unwrap();
            if message["type"] == kind {
                return message;
            }
        }
    }
}
