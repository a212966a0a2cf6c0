//! What those without a credential may take up.

use std::time::Duration;

use server::Limits;
use testkit::TestServer;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};

/// Long enough for any machine, since it only matters when a test fails.
const PATIENCE: Duration = Duration::from_secs(20);

async fn stranger(server: &TestServer, first_words: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    stream.write_all(first_words.as_bytes()).await.unwrap();
    stream
}

/// Whether the server has ended the connection, answered or not.
async fn ended(stream: &mut (impl AsyncRead + Unpin)) -> bool {
    let mut rest = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
    // A reset is an end too.
    read.is_ok()
}

#[tokio::test]
async fn s_33_thousands_of_slow_strangers_hold_nobody_up_and_few_descriptors() {
    let count = strangers_at_once();
    let server = TestServer::start().await;
    let before = open_sockets();
    let mut slow = Vec::new();
    for _ in 0..count {
        slow.push(stranger(&server, "GET / HTTP/1.1\r\nHost: ").await);
    }
    // Those who have a credential are served meanwhile, on connections of their own.
    let known = server.client();
    for _ in 0..50 {
        let served = tokio::time::timeout(PATIENCE, known.get("/api/projects"));
        assert_eq!(served.await.expect("an answer in time").status, 200);
    }
    // Ours and the server's ends are both in this process: all of ours, and few of the server's.
    let held = open_sockets() - before - slow.len();
    assert!(held <= 64 + 8, "the server holds {held}");
    assert!(ended(&mut slow[0]).await, "the oldest made room for others");
}

/// A client that is slow to speak, for want of processor time perhaps, is not taken for one of those who stopped in the middle.
#[tokio::test]
async fn s_33_strangers_who_stop_in_the_middle_of_a_head_push_out_nobody_who_has_not_spoken() {
    let server = TestServer::start().await;
    let mut known = stranger(&server, "").await;
    let mut slow = Vec::new();
    for _ in 0..400 {
        slow.push(stranger(&server, "GET / HTTP/1.1\r\nHost: ").await);
    }
    assert!(ended(&mut slow[0]).await, "there were more than may be");
    let request = format!(
        "GET /api/projects HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: {}\r\nConnection: close\r\n\r\n",
        server.port,
        server.bearer()
    );
    known.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    known.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// Ten thousand, or as many as this process may have files open; the server needs some too.
fn strangers_at_once() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
    let most = maximum.map_or(10_000, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let count = most.saturating_sub(1_000).clamp(400, 10_000);
    if count < 10_000 {
        eprintln!("only {count} strangers: no more files may be open here");
    }
    count
}

fn open_sockets() -> usize {
    let links = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    let links = links.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    links.filter(|link| link.to_string_lossy().starts_with("socket:")).count()
}

#[tokio::test]
async fn s_33_a_stranger_has_its_time_for_a_head_and_for_a_credential() {
    let limits = Limits {
        first_head: Duration::from_millis(200),
        credential: Duration::from_millis(600),
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    assert!(ended(&mut stranger(&server, "").await).await, "who says nothing");
    assert!(ended(&mut stranger(&server, "GET / HT").await).await, "who says half");
    let host = format!("Host: 127.0.0.1:{}\r\n", server.port);
    let whole = format!("GET /healthz HTTP/1.1\r\n{host}\r\n");
    let mut polite = stranger(&server, &whole).await;
    assert!(ended(&mut polite).await, "who asks for nothing that needs a credential");

    let known =
        format!("GET /readyz HTTP/1.1\r\n{host}Authorization: Bearer {}\r\n\r\n", server.token);
    let mut known_client = stranger(&server, &known).await;
    let mut answer = [0; 4096];
    let read = known_client.read(&mut answer).await.unwrap();
    assert!(answer[..read].starts_with(b"HTTP/1.1 200"));
    let late = tokio::time::timeout(limits.credential * 2, known_client.read(&mut answer)).await;
    assert!(late.is_err(), "a connection that showed one may wait: {late:?}");
    known_client.write_all(known.as_bytes()).await.unwrap();
    assert!(known_client.read(&mut answer).await.unwrap() > 0, "and go on");
}

#[tokio::test]
async fn s_33_a_head_has_at_most_16_kib() {
    let server = TestServer::start().await;
    let head = |length: usize| {
        let start = format!("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", server.port);
        let end = "Connection: close\r\n\r\n";
        let filler = length - start.len() - end.len() - "X: \r\n".len();
        format!("{start}X: {}\r\n{end}", "x".repeat(filler))
    };
    for (length, status) in [(16 << 10, "HTTP/1.1 200"), ((16 << 10) + 1, "HTTP/1.1 431")] {
        let mut stream = stranger(&server, &head(length)).await;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.ok();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.starts_with(status), "{length}: {answer}");
    }
}

/// The system takes in only so many before the server does.
async fn by_the_local_socket(server: &TestServer) -> UnixStream {
    loop {
        match UnixStream::connect(server.local_socket()).await {
            Ok(stream) => return stream,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                tokio::task::yield_now().await;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn s_33_what_agents_started_takes_up_no_more_than_a_stranger() {
    let server = TestServer::start().await;
    server.take_local_for_agents();
    let before = open_sockets();
    let mut silent = Vec::new();
    for _ in 0..300 {
        silent.push(by_the_local_socket(&server).await);
    }
    assert!(ended(&mut silent[300 - 64 - 1]).await, "the older ones made room");
    let held = open_sockets() - before - silent.len();
    assert!(held <= 64 + 8, "the server holds {held}");
    let refused = server.local_client().get("/api/projects").await;
    assert_eq!(refused.error(), (403, "FORBIDDEN_PEER".to_owned()));

    let first_head = Duration::from_millis(200);
    let server = TestServer::with_limits(Limits { first_head, ..Limits::default() }).await;
    server.take_local_for_agents();
    assert!(ended(&mut by_the_local_socket(&server).await).await, "who says nothing");
}

#[test]
fn s_33_strangers_have_5_s_for_a_head_and_10_s_for_a_credential() {
    let limits = Limits::default();
    assert_eq!(limits.strangers, 64);
    assert_eq!(limits.first_head, Duration::from_secs(5));
    assert_eq!(limits.credential, Duration::from_secs(10));
}
