//! What agents say, in the log that somebody reads in a terminal.

use std::time::Duration;

use serde_json::json;

use crate::LIMINAL;
use crate::server::{Server, command, place_with};

/// Says what steers a terminal by every way it has: its standard error, a line that is no message, a message, an error.
const RUDE: &str = r#"
rude() { printf 'owned \033]0;title\007 \033[2J \033P1$r\033\\ \302\2332J \010 \016 \177 end\n'; }
told='owned \u001b]0;title\u0007 \u001b[2J \u009b2J \b \u000e \u007f end'
rude >&2
read -r line; printf '%s\n' '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}'
read -r line; printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}'
read -r line
rude
rude >&2
printf '%s\n' '{"jsonrpc":"2.0","method":"'"$told"'","params":{}}'
printf '%s\n' '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'"$told"'"}}}}'
printf '%s\n' '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"'"$told"'","update":{}}}'
printf '%s\n' '{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"'"$told"'"}}'
read -r line
rude >&2
exit 3
"#;

/// What a terminal would act on.
fn steers(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

#[tokio::test]
async fn s_17_nothing_an_agent_says_steers_the_terminal_that_shows_the_log() {
    let place = place_with(&[("rude", "acp", RUDE)]);
    let mut start = command(LIMINAL);
    start.env("RUST_LOG", "trace");
    let server = Server::start_by(place, start, |command| command);
    let created = server.create("rude").await;
    assert_eq!(created.status, 201, "{}", created.text());
    let session = created.json()["sessionId"].as_str().unwrap().to_owned();
    let at = |rest: &str| format!("/api/session/{session}/{rest}");
    let client = server.client();
    // The second ends the agent.
    for _ in 0..2 {
        client.post_json(&at("send"), &json!({"content": "say it"})).await;
        client.get(&at("wait?timeoutMs=30000")).await;
    }
    client.post_json(&at("title"), &json!({"title": "owned \u{1b}[2J"})).await;
    client.get("/%1b%5d0;owned%07").await;
    let mut log = server.log();
    // Its last words are told when it is known that it has ended.
    for _ in 0..200 {
        if log.contains("exited with code 3: owned") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        log = server.log();
    }
    assert!(log.contains("exited with code 3: owned"), "what it said is told: {log}");
    let rude: Vec<&str> = log.lines().filter(|line| line.contains(steers)).collect();
    assert!(rude.is_empty(), "{rude:?}");
}
