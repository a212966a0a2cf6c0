//! A WebSocket client for tests.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use futures_util::{FutureExt, SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};

/// How long a test waits for a message that must come: generous, since it only matters when a test fails.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub struct SocketClient {
    stream: WebSocketStream<TcpStream>,
}

impl SocketClient {
    /// The status of the refusal, if the server refuses.
    pub async fn connect(port: u16, headers: &[(&'static str, &str)]) -> Result<Self, u16> {
        let socket = TcpSocket::new_v4().unwrap();
        Self::connect_by(socket, port, headers).await
    }

    /// A client whose system keeps little for it: while it does not read, the server soon has to wait.
    pub async fn connect_narrow(port: u16, headers: &[(&'static str, &str)]) -> Result<Self, u16> {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(64 << 10).unwrap();
        Self::connect_by(socket, port, headers).await
    }

    /// Over a connection that may break at any byte: nothing if it does before the upgrade. As narrow as asked for.
    pub async fn try_connect(
        port: u16,
        is_narrow: bool,
        headers: &[(&'static str, &str)],
    ) -> Option<Self> {
        let socket = TcpSocket::new_v4().unwrap();
        if is_narrow {
            socket.set_recv_buffer_size(64 << 10).unwrap();
        }
        Self::upgrade(socket, port, headers).await.ok()
    }

    async fn connect_by(
        socket: TcpSocket,
        port: u16,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, u16> {
        match Self::upgrade(socket, port, headers).await {
            Ok(client) => Ok(client),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("the server cannot be reached: {error}"),
        }
    }

    async fn upgrade(
        socket: TcpSocket,
        port: u16,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, Error> {
        let mut request = format!("ws://127.0.0.1:{port}/ws").into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let stream = socket.connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
        stream.set_nodelay(true)?;
        let (stream, _) = tokio_tungstenite::client_async(request, stream).await?;
        Ok(Self { stream })
    }

    /// Whether it could be said; not over a connection that broke.
    pub async fn try_send(&mut self, message: &Value) -> bool {
        self.stream.send(Message::text(message.to_string())).await.is_ok()
    }

    /// The next message; nothing once the connection broke.
    pub async fn try_receive(&mut self) -> Option<String> {
        loop {
            let next = tokio::time::timeout(PATIENCE, self.stream.next());
            match next.await.expect("a message in time")? {
                Ok(message @ (Message::Text(_) | Message::Ping(_) | Message::Pong(_))) => {
                    if let Some(text) = text_of(message) {
                        return Some(text);
                    }
                }
                Ok(Message::Binary(_) | Message::Close(_) | Message::Frame(_)) | Err(_) => {
                    return None;
                }
            }
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

    /// The next message.
    pub async fn receive(&mut self) -> Value {
        serde_json::from_str(&self.receive_text().await).unwrap()
    }

    /// The next message as it came.
    pub async fn receive_text(&mut self) -> String {
        loop {
            let message = tokio::time::timeout(PATIENCE, self.stream.next())
                .await
                .expect("a message in time");
            if let Some(text) = text_of(message.expect("an open connection").unwrap()) {
                return text;
            }
        }
    }

    /// A message that is there already, or that the connection broke.
    pub fn received(&mut self) -> Option<Option<String>> {
        self.try_receive().now_or_never()
    }

    /// Says nothing any more, not even to pings, until the server closes the connection; tells how many pings came.
    pub async fn silence(&mut self) -> usize {
        const PING: u8 = 0x89;
        let (mut pings, mut buffer) = (0, [0; 1024]);
        loop {
            let read = self.stream.get_mut().read(&mut buffer).await.unwrap_or(0);
            if read == 0 {
                return pings;
            }
            pings += buffer[..read].iter().filter(|byte| **byte == PING).count();
        }
    }

    /// Takes what is sent a piece at a time, and says nothing meanwhile, until that is enough or the connection ends.
    pub async fn take_slowly(
        &mut self,
        piece: usize,
        pause: Duration,
        is_enough: impl Fn(&[u8]) -> bool,
    ) -> Vec<u8> {
        let (mut taken, mut buffer) = (Vec::new(), vec![0; piece]);
        while !is_enough(&taken) {
            tokio::time::sleep(pause).await;
            match self.stream.get_mut().read(&mut buffer).await {
                Ok(read @ 1..) => taken.extend_from_slice(&buffer[..read]),
                Ok(0) | Err(_) => break,
            }
        }
        taken
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

    /// The next message of this type, if it is the only one: none follows until a ping is answered.
    pub async fn receive_only(&mut self, kind: &str) -> Value {
        let only = self.receive_type(kind).await;
        self.send(&json!({"type": "ping"})).await;
        loop {
            let message = self.receive().await;
            assert_ne!(message["type"], kind, "a second one: {message}");
            if message["type"] == "pong" {
                return only;
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

/// Nothing for pings and pongs.
fn text_of(message: Message) -> Option<String> {
    match message {
        Message::Text(text) => Some(text.as_str().to_owned()),
        Message::Ping(_) | Message::Pong(_) => None,
        other @ (Message::Binary(_) | Message::Close(_) | Message::Frame(_)) => {
            panic!("a text message: {other:?}")
        }
    }
}
