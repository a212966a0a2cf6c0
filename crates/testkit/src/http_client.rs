//! A small HTTP client that says exactly what it is told to, sound or not.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};

#[derive(Clone, Debug)]
pub struct HttpClient {
    port: u16,
    host: Option<String>,
    headers: Vec<(String, String)>,
    socket: Option<PathBuf>,
}

#[derive(Debug)]
pub struct HttpResponse {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// A request whose body is still being written.
#[derive(Debug)]
pub struct OpenRequest {
    stream: TcpStream,
}

impl HttpClient {
    pub fn new(port: u16) -> Self {
        let host = Some(format!("127.0.0.1:{port}"));
        Self { port, host, headers: Vec::new(), socket: None }
    }

    /// By a socket of this machine instead of the network.
    #[must_use]
    pub fn by_socket(mut self, path: &Path) -> Self {
        self.socket = Some(path.to_owned());
        self
    }

    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    #[must_use]
    pub fn with_host(mut self, host: Option<&str>) -> Self {
        self.host = host.map(str::to_owned);
        self
    }

    /// The value that a header is sent with.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub async fn get(&self, path: &str) -> HttpResponse {
        self.request("GET", path, b"").await
    }

    pub async fn post(&self, path: &str) -> HttpResponse {
        self.request("POST", path, b"").await
    }

    pub async fn post_json(&self, path: &str, body: &Value) -> HttpResponse {
        let client = self.clone().with_header("Content-Type", "application/json");
        client.request("POST", path, body.to_string().as_bytes()).await
    }

    pub async fn request(&self, method: &str, path: &str, body: &[u8]) -> HttpResponse {
        let head = self.head(method, path, &format!("Content-Length: {}", body.len()));
        match &self.socket {
            Some(socket) => exchange(UnixStream::connect(socket).await.unwrap(), &head, body).await,
            None => {
                let stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
                exchange(stream, &head, body).await
            }
        }
    }

    /// As `request`, of a server that may be gone at any moment: None unless the whole answer came.
    pub async fn try_request(&self, method: &str, path: &str, body: &[u8]) -> Option<HttpResponse> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.ok()?;
        let head = self.head(method, path, &format!("Content-Length: {}", body.len()));
        stream.write_all(head.as_bytes()).await.ok()?;
        stream.write_all(body).await.ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.ok()?;
        let response = parse_response(&answer)?;
        let length: usize = response.header("content-length")?.parse().ok()?;
        (response.body.len() == length).then_some(response)
    }

    /// Begins a request whose body is written piece by piece.
    pub async fn open(&self, method: &str, path: &str) -> OpenRequest {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let head = self.head(method, path, "Transfer-Encoding: chunked");
        stream.write_all(head.as_bytes()).await.unwrap();
        OpenRequest { stream }
    }

    fn head(&self, method: &str, path: &str, framing: &str) -> String {
        let host = self.host.as_ref().map_or(String::new(), |host| format!("Host: {host}\r\n"));
        let headers: String =
            self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        format!("{method} {path} HTTP/1.1\r\n{host}{headers}{framing}\r\nConnection: close\r\n\r\n")
    }
}

impl OpenRequest {
    pub async fn write(&mut self, piece: &[u8]) {
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        self.stream.write_all(&chunk).await.unwrap();
    }

    /// Bytes that need not be a piece of a body.
    pub async fn write_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    pub async fn finish(mut self) -> HttpResponse {
        self.stream.write_all(b"0\r\n\r\n").await.ok();
        read_response(self.stream).await
    }

    /// Waits for an answer without ending the body.
    pub async fn response(self) -> HttpResponse {
        read_response(self.stream).await
    }
}

impl HttpResponse {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Status and stable code of an error.
    pub fn error(&self) -> (u16, String) {
        (self.status, self.json()["code"].as_str().unwrap_or_default().to_owned())
    }
}

async fn exchange(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    head: &str,
    body: &[u8],
) -> HttpResponse {
    stream.write_all(head.as_bytes()).await.unwrap();
    // The server may answer and close before it has read everything.
    stream.write_all(body).await.ok();
    read_response(stream).await
}

async fn read_response(mut stream: impl AsyncRead + Unpin) -> HttpResponse {
    let mut bytes = Vec::new();
    // A reset after the answer is how a server ends a body it does not want.
    stream.read_to_end(&mut bytes).await.ok();
    parse_response(&bytes).expect("a response")
}

fn parse_response(bytes: &[u8]) -> Option<HttpResponse> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let chunked =
        headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = bytes[end + 4..].to_vec();
    Some(HttpResponse { status, headers, body: if chunked { join_chunks(&body) } else { body } })
}

fn join_chunks(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|window| window == b"\r\n") {
        let length =
            usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap().trim(), 16).unwrap();
        if length == 0 {
            break;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + length]);
        rest = &rest[end + 4 + length..];
    }
    body
}
