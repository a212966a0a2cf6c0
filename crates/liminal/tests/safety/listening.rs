//! Where the server listens, and whom it talks to by itself.

use std::path::Path;

use serde_json::json;
use testkit::ServerPlace;

use crate::LIMINAL;
use crate::server::{Server, liminal};

fn place() -> ServerPlace {
    ServerPlace::new(Path::new(LIMINAL), "")
}

/// The sockets of a process by kind: their local and remote addresses, as the system's tables tell them.
#[cfg(target_os = "linux")]
fn sockets(pid: u32, table: &str) -> Vec<(String, String, String)> {
    let links = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let own: Vec<String> = links
        .filter_map(|entry| std::fs::read_link(entry.path()).ok())
        .filter_map(|link| {
            Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
        })
        .collect();
    let text = std::fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
    let rows = text.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.filter(|fields| own.iter().any(|inode| inode == fields[9]))
        .map(|fields| (fields[1].to_owned(), fields[2].to_owned(), fields[3].to_owned()))
        .collect()
}

#[cfg(target_os = "linux")]
fn is_loopback(address: &str) -> bool {
    ["0100007F:", "00000000000000000000000001000000:", "0000000000000000FFFF00000100007F:"]
        .iter()
        .any(|loopback| address.starts_with(loopback))
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn s_01_every_socket_it_listens_on_is_loopback_of_both_ip_versions_on_one_port_as_root() {
    let server = Server::start(place());
    let port = format!(":{:04X}", server.port);
    for (table, expected) in [("tcp", 1), ("tcp6", usize::from(testkit::has_ipv6_loopback()))] {
        let sockets = sockets(server.pid(), table);
        assert!(sockets.iter().all(|(local, ..)| is_loopback(local)), "{sockets:?}");
        let listening = sockets.iter().filter(|(_, _, state)| state == "0A");
        let ports: Vec<_> = listening.map(|(local, ..)| local.ends_with(&port)).collect();
        assert_eq!(ports, vec![true; expected], "{table}: {sockets:?}");
    }
}

#[tokio::test]
async fn s_02_no_flag_variable_or_file_makes_it_listen_elsewhere() {
    let elsewhere =
        ["0.0.0.0:0", "[::]:0", "192.168.0.1:0", "127.1.2.3:0", "example.com:80", ":80"];
    for listen in elsewhere {
        let place = place();
        let refused = liminal(&place, &["serve", "--listen", listen]);
        assert_eq!(refused.status.code(), Some(64), "{listen}");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains("listen"), "{said}");
        assert!(refused.stdout.is_empty());

        let mut by_variable = crate::server::command(LIMINAL);
        by_variable.arg("serve").env("LIMINAL_LISTEN", listen);
        by_variable.env("LIMINAL_DATA_DIR", place.at("data"));
        let refused = by_variable.stdin(std::process::Stdio::null()).output().unwrap();
        assert_eq!(refused.status.code(), Some(64), "{listen} in a variable");
        assert!(refused.stdout.is_empty() && !refused.stderr.is_empty());

        let config = place.at("data").join("config.toml");
        std::fs::write(&config, format!("listen = {listen:?}")).unwrap();
        assert_eq!(liminal(&place, &["serve"]).status.code(), Some(64), "{listen} in the file");
    }
}

#[tokio::test]
async fn s_03_each_start_has_a_token_of_its_own_and_none_is_built_in() {
    let mut tokens = std::collections::HashSet::new();
    for _ in 0..5 {
        let server = Server::start(place());
        assert_eq!(server.token().len(), 64);
        assert!(tokens.insert(server.token().to_owned()));
        assert_eq!(server.client().get("/api/projects").await.status, 200);
        let stranger = testkit::HttpClient::new(server.port);
        assert_eq!(stranger.get("/api/projects").await.status, 401);
    }
}

/// A variable that looks like one for a credential neither is one nor takes the need for one away.
#[tokio::test]
async fn s_03_no_variable_opens_anything() {
    for value in ["", " ", "\t", "a-token-from-elsewhere"] {
        let mut command = crate::server::command(LIMINAL);
        command.env("LIMINAL_TOKEN", value);
        let server = Server::start_by(place(), command, |command| command);
        let is_random = |token: &str| token.len() == 64 && token != value;
        assert!(is_random(server.token()), "{value:?}");
        let stranger = testkit::HttpClient::new(server.port);
        assert_eq!(stranger.get("/api/projects").await.status, 401, "{value:?}");
        for token in [value, "", " "] {
            let status = server.bearer(token).get("/api/projects").await.status;
            assert_eq!(status, 401, "{token:?} with {value:?}");
        }
        assert_eq!(server.client().get("/api/projects").await.status, 200, "{value:?}");
    }
}

/// Everything in the program that has the form of a token.
fn built_in() -> Vec<String> {
    let program = std::fs::read(LIMINAL).unwrap();
    let runs = program.split(|byte| !byte.is_ascii_hexdigit());
    let runs = runs.filter(|run| run.len() == 64);
    runs.map(|run| String::from_utf8_lossy(run).into_owned()).collect()
}

#[tokio::test]
async fn s_03_the_program_contains_no_token() {
    let server = Server::start(place());
    let built_in = built_in();
    assert!(!built_in.iter().any(|word| word == server.token()));
    for word in built_in.iter().take(200) {
        let status = server.bearer(word).get("/api/projects").await.status;
        assert!(matches!(status, 401 | 429), "{word}: {status}");
    }
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn s_40_it_speaks_to_nobody_by_itself_as_root() {
    let server = Server::start(place());
    let created = server.create("demo").await;
    assert_eq!(created.status, 201, "{}", created.text());
    let session = created.json()["sessionId"].as_str().unwrap().to_owned();
    let path = format!("/api/session/{session}/send");
    let sent = server.client().post_json(&path, &json!({"content": "help"})).await;
    assert_eq!(sent.status, 202);
    server.client().get(&format!("/api/session/{session}/wait?timeoutMs=30000")).await;
    server.client().get("/api/agents?refresh=true").await;
    for table in ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"] {
        for (local, remote, _) in sockets(server.pid(), table) {
            // A listener has no other end.
            let is_nobody = remote.trim_start_matches('0').starts_with(':');
            assert!(is_loopback(&local) && (is_loopback(&remote) || is_nobody), "{table} {remote}");
        }
    }
    assert!(!table_has_unix_name(server.pid(), "nscd"), "no name is looked up");
}

#[cfg(target_os = "linux")]
fn table_has_unix_name(pid: u32, name: &str) -> bool {
    let table = std::fs::read_to_string(format!("/proc/{pid}/net/unix")).unwrap_or_default();
    let links = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let own: Vec<_> = links.filter_map(|entry| std::fs::read_link(entry.path()).ok()).collect();
    let is_own = |inode: &str| own.iter().any(|link| link.to_string_lossy().contains(inode));
    table
        .lines()
        .filter(|line| line.contains(name))
        .any(|line| line.split_whitespace().nth(6).is_some_and(is_own))
}

/// Of a process whose memory is private the system says that it is root's.
#[tokio::test]
#[cfg(target_os = "linux")]
async fn s_38_the_servers_memory_is_not_for_others_and_its_data_still_its_own() {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    let place = place();
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    let mut command = crate::server::command(LIMINAL);
    if is_root {
        let root = place.at("data").parent().unwrap().to_owned();
        let mut chown = crate::server::command("chown");
        assert!(chown.args(["-R", "65534:65534"]).arg(root).status().unwrap().success());
        command.uid(65_534).gid(65_534);
    }
    let server = Server::start_by(place, command, |command| command);
    assert_eq!(server.client().get("/api/projects").await.status, 200);
    let owner = std::fs::metadata(format!("/proc/{}/maps", server.pid())).unwrap().uid();
    assert_eq!(owner, 0, "its memory is nobody's to read");
    let data = std::fs::metadata(server.place.at("data")).unwrap();
    assert_eq!(data.uid() == 65_534, is_root);
    let session = server.create("demo").await;
    assert_eq!(session.status, 201, "agents run as ever: {}", session.text());
}

#[tokio::test]
async fn s_06_the_log_tells_no_secret_whatever_is_done() {
    let place = place();
    let mut command = crate::server::command(LIMINAL);
    command.env("RUST_LOG", "trace");
    let server = Server::start_by(place, command, |command| command);
    let token = server.token().to_owned();
    let url = server.ready["url"].as_str().unwrap().to_owned();
    let code = url.split("#login=").nth(1).unwrap();
    let stranger = testkit::HttpClient::new(server.port);
    let login = stranger.post_json("/api/login", &json!({"code": code})).await;
    let cookie = login.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let secret = cookie.split('=').nth(1).unwrap().to_owned();
    let page_key = login.json()["pageKey"].as_str().unwrap().to_owned();
    let browser = stranger.clone().with_header("Cookie", &cookie);
    let answer = browser.with_header("Liminal-Page-Key", &page_key).get("/api/projects").await;
    assert_eq!(answer.status, 200);
    let (origin, protocols) = (
        format!("http://127.0.0.1:{}", server.port),
        format!("liminal, liminal.page-key.{page_key}"),
    );
    let head = [
        ("Cookie", cookie.as_str()),
        ("Origin", origin.as_str()),
        ("Sec-WebSocket-Protocol", protocols.as_str()),
    ];
    drop(testkit::SocketClient::connect(server.port, &head).await.unwrap());
    server.create("demo").await;
    server.client().post_json("/api/session/create", &json!({"nonsense": token})).await;
    stranger.get(&format!("/api/projects/{}", "x".repeat(200))).await;
    let named = liminal(&server.place, &["token", "create", "ci"]);
    let named = String::from_utf8(named.stdout).unwrap().trim().to_owned();
    server.bearer(&named).get("/api/projects").await;
    let bearer = format!("Bearer {token}");
    let socket = testkit::SocketClient::connect(server.port, &[("Authorization", &bearer)]).await;
    drop(socket.unwrap());
    let log = server.log();
    assert!(log.contains("answered"), "it does log");
    for hidden in [token.as_str(), code, &secret, &page_key, &named] {
        assert!(hidden.len() == 64 && !log.contains(hidden), "a secret stands in the log");
    }
}
