//! The real server on a free port, with a scripted agent behind it.

use std::sync::Arc;

use contract::SessionId;
use serde_json::json;
use server::{Credentials, Drain, Limits, Secret, Server};
use tokio::net::TcpListener;

use crate::http_client::HttpClient;
use crate::socket_client::SocketClient;
use crate::test_service::TestService;

#[derive(Debug)]
pub struct TestServer {
    pub parts: TestService,
    pub port: u16,
    pub token: String,
    pub credentials: Arc<Credentials>,
    pub drain: Arc<Drain>,
}

impl TestServer {
    pub async fn start() -> Self {
        Self::with_limits(Limits::default()).await
    }

    pub async fn with_limits(limits: Limits) -> Self {
        let parts = TestService::start().await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let token = Secret::random().unwrap();
        let credentials = Arc::new(Credentials::new(&token));
        let drain = Arc::new(Drain::default());
        let server = Server {
            service: parts.service.clone(),
            credentials: credentials.clone(),
            local: None,
            limits,
            drain: drain.clone(),
            stop: parts.stop.clone(),
        };
        parts.tasks.spawn(server.run(vec![listener]));
        Self { parts, port, token: token.reveal().to_owned(), credentials, drain }
    }

    /// A client that brings the token.
    pub fn client(&self) -> HttpClient {
        self.stranger().with_header("Authorization", &format!("Bearer {}", self.token))
    }

    /// A client without a credential.
    pub fn stranger(&self) -> HttpClient {
        HttpClient::new(self.port)
    }

    /// A client as a page of ours in a browser that logged in.
    pub async fn browser(&self) -> HttpClient {
        let code = self.credentials.login_code().unwrap();
        let login = self.stranger().post_json("/api/login", &json!({"code": code.reveal()})).await;
        assert_eq!(login.status, 200, "{}", login.text());
        let cookie = login.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let page_key = login.json()["pageKey"].as_str().unwrap().to_owned();
        self.stranger().with_header("Cookie", &cookie).with_header("Liminal-Page-Key", &page_key)
    }

    /// A connection that our page opens in that browser.
    pub async fn browser_socket(&self, browser: &HttpClient) -> SocketClient {
        let (origin, cookie) = (self.origin(), browser.header("Cookie").unwrap_or_default());
        let page_key = browser.header("Liminal-Page-Key").unwrap_or_default();
        let protocols = format!("liminal, liminal.page-key.{page_key}");
        let head = [
            ("Cookie", cookie),
            ("Origin", origin.as_str()),
            ("Sec-WebSocket-Protocol", protocols.as_str()),
        ];
        SocketClient::connect(self.port, &head).await.unwrap()
    }

    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// A connection that brings the token and has not said anything.
    pub async fn socket(&self) -> SocketClient {
        let token = format!("Bearer {}", self.token);
        SocketClient::connect(self.port, &[("Authorization", &token)]).await.unwrap()
    }

    /// A connection that has chosen `upsert-v1`.
    pub async fn greeted_socket(&self) -> SocketClient {
        let mut socket = self.socket().await;
        socket.send(&json!({"type": "session:hello", "streamProtocol": "upsert-v1"})).await;
        let ack = socket.receive().await;
        assert_eq!(ack, json!({"type": "session:hello:ack", "selectedFamily": "upsert-v1"}));
        socket
    }

    pub async fn create_session(&self, cli_type: &str) -> SessionId {
        let request = self.parts.create_request(cli_type);
        let created = self
            .client()
            .post_json("/api/session/create", &serde_json::to_value(request).unwrap())
            .await;
        assert_eq!(created.status, 201, "{}", created.text());
        created.json()["sessionId"].as_str().unwrap().into()
    }
}
