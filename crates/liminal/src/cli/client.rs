//! Speaks HTTP and WebSocket to the server that uses a data directory.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use contract::ErrorBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::net::UnixStream;
use tokio_tungstenite::WebSocketStream;

use crate::local_socket;
use crate::terminal::shown_text;

pub(super) struct Client {
    data_dir: PathBuf,
}

impl Client {
    pub(super) fn of(data_dir: &Path) -> Self {
        Self { data_dir: data_dir.to_owned() }
    }

    /// None if no server uses the directory.
    pub(super) async fn find(self) -> anyhow::Result<Option<Self>> {
        match self.connect().await {
            Ok(_) => Ok(Some(self)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(self.unreachable(error)),
        }
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        let body = self.request(Method::GET, path, None).await?;
        serde_json::from_slice(&body).context("the server's answer is not understood")
    }

    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> anyhow::Result<T> {
        let answer = self.request(Method::POST, path, Some(serde_json::to_vec(body)?)).await?;
        // An answer without a body says nothing, which is `null`.
        let answer = if answer.is_empty() { b"null" } else { &*answer };
        serde_json::from_slice(answer).context("the server's answer is not understood")
    }

    pub(super) async fn socket(&self) -> anyhow::Result<WebSocketStream<UnixStream>> {
        let stream = self.connect().await.map_err(|error| self.unreachable(error))?;
        let (socket, _) = tokio_tungstenite::client_async("ws://localhost/ws", stream).await?;
        Ok(socket)
    }

    /// A text of any length, line by line as it comes.
    pub(super) async fn lines(
        &self,
        path: &str,
        mut take: impl FnMut(&str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.exchange(Method::GET, path, Vec::new(), async |mut body: Incoming| {
            let mut rest = Vec::new();
            while let Some(frame) = body.frame().await {
                let Ok(chunk) = frame?.into_data() else { continue };
                rest.extend_from_slice(&chunk);
                let Some(end) = rest.iter().rposition(|byte| *byte == b'\n') else { continue };
                let unfinished = rest.split_off(end + 1);
                let whole = std::mem::replace(&mut rest, unfinished);
                String::from_utf8_lossy(&whole).lines().try_for_each(&mut take)?;
            }
            if rest.is_empty() { Ok(()) } else { take(&String::from_utf8_lossy(&rest)) }
        })
        .await
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> anyhow::Result<Bytes> {
        let body = body.unwrap_or_default();
        self.exchange(method, path, body, async |body: Incoming| {
            Ok(body.collect().await?.to_bytes())
        })
        .await
    }

    /// Asks, and has an answer that is no refusal read.
    async fn exchange<T>(
        &self,
        method: Method,
        path: &str,
        body: Vec<u8>,
        read: impl AsyncFnOnce(Incoming) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let stream = self.connect().await.map_err(|error| self.unreachable(error))?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("Host", "localhost")
            .header("Content-Type", "application/json")
            .body(Full::new(Bytes::from(body)))?;
        let exchange = async {
            let response = sender.send_request(request).await?;
            let (status, body) = (response.status(), response.into_body());
            if status.is_success() {
                return read(body).await;
            }
            bail!(refusal(status, &body.collect().await?.to_bytes()))
        };
        // The connection does the work; what it ends with is told by the exchange too.
        tokio::select! {
            biased;
            answer = exchange => answer,
            Err(error) = connection => Err(error.into()),
        }
    }

    async fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(local_socket::path_in(&self.data_dir)).await
    }

    fn unreachable(&self, error: io::Error) -> anyhow::Error {
        let place = self.data_dir.display();
        if is_absent(&error) {
            return anyhow!(
                "no Liminal Builder is running with the data directory {place}; start one with `liminal serve`"
            );
        }
        anyhow!(error).context(format!("the server in {place} cannot be reached"))
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}

fn refusal(status: StatusCode, body: &[u8]) -> String {
    match serde_json::from_slice::<ErrorBody>(body) {
        Ok(error) => format!("{} ({})", shown_text(&error.message), error.code),
        Err(_) => format!("the server answered {status}"),
    }
}

/// A part of a path that came from the command line: it names one thing and nothing else.
pub(super) fn segment(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let encoded = text.bytes().map(|byte| {
        if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    });
    encoded.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_stays_one_part_of_the_path() {
        assert_eq!(segment("0b7e-1"), "0b7e-1");
        assert_eq!(segment("../a b?c=1#é"), "..%2Fa%20b%3Fc%3D1%23%C3%A9");
    }
}
