//! The real server on a free port, with a scripted agent behind it.

use std::ops::Deref;

use contract::SessionId;
use serde_json::json;
use server::Limits;

use crate::edge::Edge;
use crate::http_client::HttpClient;
use crate::socket_client::SocketClient;
use crate::test_service::TestService;

#[derive(Debug)]
pub struct TestServer {
    pub parts: TestService,
    edge: Edge,
}

impl Deref for TestServer {
    type Target = Edge;

    fn deref(&self) -> &Edge {
        &self.edge
    }
}

impl TestServer {
    pub async fn start() -> Self {
        Self::with(true, Limits::default()).await
    }

    pub async fn with_limits(limits: Limits) -> Self {
        Self::with(true, limits).await
    }

    /// With the compatibility window open or closed.
    pub async fn with_window(legacy_window: bool) -> Self {
        Self::with(legacy_window, Limits::default()).await
    }

    async fn with(legacy_window: bool, limits: Limits) -> Self {
        Self::around(TestService::start().await, legacy_window, limits).await
    }

    /// In front of a service that was prepared.
    pub async fn of(parts: TestService) -> Self {
        Self::around(parts, true, Limits::default()).await
    }

    async fn around(parts: TestService, legacy_window: bool, limits: Limits) -> Self {
        let (service, stop) = (parts.service.clone(), parts.stop.clone());
        let edge = Edge::with_limits(service, legacy_window, limits, stop, &parts.tasks).await;
        Self { parts, edge }
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

    /// A connection that has not said anything, by a client that is slow to take what it is sent.
    pub async fn narrow_socket(&self) -> SocketClient {
        let bearer = self.bearer();
        SocketClient::connect_narrow(self.port, &[("Authorization", &bearer)]).await.unwrap()
    }

    /// A connection that has chosen `upsert-v1`.
    pub async fn greeted_socket(&self) -> SocketClient {
        self.socket_of("upsert-v1").await
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
