//! A WebSocket client for tests.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

/// How long a test waits for a message that must come: generous, since it only matters when a test fails.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub struct SocketClient {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl SocketClient {
    /// The status of the refusal, if the server refuses.
    pub async fn connect(port: u16, headers: &[(&'static str, &str)]) -> Result<Self, u16> {
        let mut request = format!("ws://127.0.0.1:{port}/ws").into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        match tokio_tungstenite::connect_async(request).await {
            Ok((stream, _)) => Ok(Self { stream }),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("the server cannot be reached: {error}"),
        }
    }

    pub async fn send(&mut self, message: &Value) {
        self.send_text(message.to_string()).await;
    }

    pub async fn send_text(&mut self, text: String) {
        self.stream.send(Message::text(text)).await.unwrap();
    }

    pub async fn send_binary(&mut self, bytes: Vec<u8>) {
        self.stream.send(Message::binary(bytes)).await.unwrap();
    }

    /// Whether the server still takes a ping.
    pub async fn ping(&mut self) -> bool {
        self.stream.send(Message::Ping(Vec::new().into())).await.is_ok()
    }

    /// The next message.
    pub async fn receive(&mut self) -> Value {
        loop {
            let message = tokio::time::timeout(PATIENCE, self.stream.next())
                .await
                .expect("a message in time");
            match message.expect("an open connection").unwrap() {
                Message::Text(text) => return serde_json::from_str(text.as_str()).unwrap(),
                Message::Ping(_) | Message::Pong(_) => {}
                other @ (Message::Binary(_) | Message::Close(_) | Message::Frame(_)) => {
                    panic!("a text message: {other:?}")
                }
            }
        }
    }

    /// The next message of this type; others are passed over.
    pub async fn receive_type(&mut self, kind: &str) -> Value {
        loop {
            let message = self.receive().await;
            if message["type"] == kind {
                return message;
            }
        }
    }

    /// The code with which the server closes the connection; messages before it are passed over.
    pub async fn close_code(&mut self) -> Option<u16> {
        loop {
            match tokio::time::timeout(PATIENCE, self.stream.next()).await.expect("an end in time")
            {
                Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }
}
