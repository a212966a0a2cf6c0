//! Secrets stay where they belong: not in the log, not in answers, not in files.
#![cfg(test)]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use serde_json::json;
use testkit::{ServerPlace, SocketClient};

const LIMINAL: &str = env!("CARGO_BIN_EXE_liminal");
/// Brought as credentials that are wrong, and as what a person might paste.
const CANARIES: [&str; 3] =
    ["canary-0123456789abcdef", "sk-canary0123456789abcdef", "ghp_canary0123456789abcdef01"];

/// S-38: a run over every kind of request with everything logged, and then no secret is found anywhere.
#[tokio::test]
async fn s_38_no_secret_reaches_the_log_an_answer_or_a_file() {
    let place = ServerPlace::new(Path::new(LIMINAL), "").logged();
    let server = place.start();
    let mut answers = Vec::new();
    for canary in CANARIES {
        let client = testkit::HttpClient::new(server.port());
        let bearer = format!("Bearer {canary}");
        answers.push(
            client.clone().with_header("Authorization", &bearer).get("/api/projects").await.text(),
        );
        let cookie = format!("liminal={canary}");
        answers
            .push(client.clone().with_header("Cookie", &cookie).get("/api/projects").await.text());
        answers.push(client.post_json("/api/login", &json!({"code": canary})).await.text());
        answers.push(client.get(&format!("/api/projects?token={canary}")).await.text());
        answers.push(server.client().get(&format!("/nowhere?api_key={canary}")).await.text());
        let refused = SocketClient::connect(server.port(), &[("Authorization", &bearer)]).await;
        assert_eq!(refused.err(), Some(401));
    }
    let session = server.create(&place, "demo").await;
    server.send(&session, &json!({"content": "help"})).await;
    server.settled(&session).await;
    let mut socket = server.socket("upsert-v1").await;
    socket.send_text("{ not json".to_owned()).await;
    answers.push(socket.receive_type("error").await.to_string());
    for canary in CANARIES {
        let body = json!({"type": "session:send", "token": canary, "apiKey": canary});
        socket.send_text(body.to_string()).await;
        answers.push(socket.receive_type("error").await.to_string());
    }
    answers.extend(answers_to_secrets(&server).await);
    answers.push(server.client().get("/metrics").await.text());
    let token = server.token().to_owned();
    assert!(server.stop().success());

    let mut secrets = CANARIES.to_vec();
    secrets.push(&token);
    for (place, text) in everything(&place)
        .into_iter()
        .chain(answers.into_iter().map(|text| ("an answer".to_owned(), text)))
    {
        for secret in &secrets {
            assert!(!text.contains(secret), "{secret} in {place}");
        }
    }
}

/// What every operation says to somebody who tells it a secret where none belongs.
async fn answers_to_secrets(server: &testkit::ServerProcess) -> Vec<String> {
    let book = server.get("/api/openapi.json").await;
    let mut answers = Vec::new();
    for (path, operations) in book["paths"].as_object().unwrap() {
        let path = path.replace(['{', '}'], "");
        for method in operations.as_object().unwrap().keys() {
            for canary in CANARIES {
                let body = json!({"token": canary, "secret": canary}).to_string();
                let asked = format!("{path}?token={canary}&api_key={canary}&secret={canary}");
                let client = testkit::HttpClient::new(server.port())
                    .with_header("Authorization", &format!("Bearer {}", server.token()))
                    .with_header("X-Api-Key", canary)
                    .with_header("Content-Type", "application/json");
                // The one that would end the token is asked by somebody without it.
                let client = match path.as_str() {
                    "/api/logout" => testkit::HttpClient::new(server.port()),
                    _ => client,
                };
                let answer = client.request(&method.to_uppercase(), &asked, body.as_bytes()).await;
                answers.push(answer.text());
            }
        }
    }
    assert!(answers.len() > 120, "{}", answers.len());
    answers
}

/// What agents are given, in the settings and from the server's environment, and say on standard error when they fail.
const GIVEN: [(&str, &str); 2] = [
    ("SERVICE_TOKEN", "canary-of-the-settings-0123"),
    ("ANTHROPIC_API_KEY", "canary-of-the-environment-4567"),
];

/// Agents that say all they know when they fail: at once, or in the middle of a turn.
fn leaky_agents(home: &Path) -> String {
    let (name, value) = GIVEN[0];
    let env = format!("{{ {name} = \"{value}\", HOME = {home:?}, LIMINAL_DEMO_PACE_MS = \"0\" }}");
    let agent = |name: &str, script: &str| {
        format!(
            "[agents.{name}]\ncommand = [\"/bin/sh\", \"-c\", {script:?}]\nenv = {env}\n\
             pass_env = [\"ANTHROPIC_API_KEY\"]\n"
        )
    };
    // With its name, and without: then nothing but the value tells what it is.
    let tells = r#"printenv >&2; echo "$SERVICE_TOKEN $ANTHROPIC_API_KEY" >&2"#;
    let (dies, frail) = (format!("{tells}; exit 3"), format!("{tells}; exec {LIMINAL} demo-agent"));
    let polite = |first: &str| format!("FIRST='{first}'\n{REFUSES}");
    let (refuses, refuses_all) = (polite(GREETS), polite("no"));
    agent("leaky", &dies)
        + &agent("claude-code", &dies)
        + &agent("frail", &frail)
        + &agent("refusing", &refuses)
        + &agent("refusing-all", &refuses_all)
}

const GREETS: &str = r#"{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}"#;

/// Answers by the protocol: it begins a session if it greets at all, and says no to everything else with all it knows.
const REFUSES: &str = r#"
NEW='{"sessionId":"s1","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]},"models":{"currentModelId":"m","availableModels":[{"modelId":"m","name":"M"},{"modelId":"n","name":"N"}]}}'
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) result=$FIRST ;;
    *'"session/new"'*) result=$NEW ;;
    *) result=no ;;
  esac
  if [ "$result" = no ]; then
    printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"refused with %s and %s"}}\n' "$id" "$SERVICE_TOKEN" "$ANTHROPIC_API_KEY"
  elif [ -n "$id" ]; then
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
  fi
done
"#;

/// What agents answer that refuse by the protocol, whatever is asked of them.
async fn refusals(server: &testkit::ServerProcess, place: &ServerPlace) -> Vec<String> {
    let client = server.client();
    let session = server.create(place, "refusing").await;
    let at = |route: &str| format!("/api/session/{session}/{route}");
    let create = json!({"cliType": "refusing-all", "projectDir": place.at("project")});
    let project = server.get("/api/projects").await[0]["id"].clone();
    let import =
        json!({"cliType": "refusing-all", "providerSessionId": "kept", "projectId": project});
    let mut answers = Vec::new();
    for (path, body) in [
        (at("mode"), json!({"modeId": "b"})),
        (at("model"), json!({"modelId": "n"})),
        ("/api/session/import".to_owned(), import),
        ("/api/session/create".to_owned(), create),
    ] {
        let refused = client.post_json(&path, &body).await;
        assert!(refused.status >= 400, "{path}: {}", refused.text());
        answers.push(refused.text());
    }
    let mut socket = server.socket("upsert-v1").await;
    socket.send(&json!({"type": "session:reconnect", "cliType": "refusing-all"})).await;
    answers.push(socket.receive_type("error").await.to_string());
    answers.push(client.get("/api/agents?refresh=true").await.text());
    for answer in &answers {
        assert!(answer.contains("refused with [hidden] and [hidden]"), "its words: {answer}");
    }
    server.send(&session, &json!({"content": "hello"})).await;
    assert_eq!(server.settled(&session).await, "error");
    answers.push(server.history(&session).await.to_string());
    answers
}

/// Every answer to a request without a body that a program can find.
async fn all_answers(
    server: &testkit::ServerProcess,
    session: &contract::SessionId,
) -> Vec<String> {
    let book = server.get("/api/openapi.json").await;
    let mut answers = Vec::new();
    for (path, operations) in book["paths"].as_object().unwrap() {
        let path = path.replace("{sessionId}", session.as_str()).replace(['{', '}'], "");
        if operations.get("get").is_some() && path != "/ws" {
            let answer = server.client().get(&path).await;
            answers.push(format!("{path}: {} {}", answer.status, answer.text()));
        }
    }
    assert!(answers.len() > 15, "{answers:?}");
    for format in ["markdown", "jsonl"] {
        let path = format!("/api/session/{session}/export?format={format}");
        answers.push(server.client().get(&path).await.text());
    }
    answers
}

/// S-38 and S-06: agents that fail with every secret on their lips, a login, and all routes; then no secret is anywhere.
#[tokio::test]
async fn s_38_what_agents_say_when_they_fail_tells_no_secret() {
    let home = tempfile::tempdir().unwrap();
    let place = ServerPlace::new(Path::new(LIMINAL), &leaky_agents(home.path()));
    let place = place.with_variable(GIVEN[1].0, GIVEN[1].1).logged();
    let server = place.start();
    let mut answers = Vec::new();
    for cli_type in ["leaky", "claude-code"] {
        let body = json!({"cliType": cli_type, "projectDir": place.at("project")});
        let failed = server.client().post_json("/api/session/create", &body).await;
        assert_eq!(failed.status, 502, "{}", failed.text());
        assert!(failed.text().contains("SERVICE_TOKEN="), "its last words: {}", failed.text());
        answers.push(failed.text());
    }
    let session = server.create(&place, "frail").await;
    server.send(&session, &json!({"content": "crash"})).await;
    assert_eq!(server.settled(&session).await, "error");
    let history = server.history(&session).await.to_string();
    assert!(history.contains("SERVICE_TOKEN="), "its last words: {history}");

    answers.extend(refusals(&server, &place).await);

    let login = testkit::HttpClient::new(server.port());
    let login = login.post_json("/api/login", &json!({"code": server.login_code()})).await;
    assert_eq!(login.status, 200, "{}", login.text());
    let cookie = login.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let cookie_value = cookie.split_once('=').unwrap().1.to_owned();
    let page_key = login.json()["pageKey"].as_str().unwrap().to_owned();
    let page = testkit::HttpClient::new(server.port())
        .with_header("Cookie", &cookie)
        .with_header("Liminal-Page-Key", &page_key);
    answers.push(page.get("/api/projects").await.text());
    answers.extend(all_answers(&server, &session).await);
    let secrets = [
        GIVEN[0].1.to_owned(),
        GIVEN[1].1.to_owned(),
        server.token().to_owned(),
        server.login_code().to_owned(),
        cookie_value,
        page_key,
    ];
    assert!(server.stop().success());
    // The settings are where one of them comes from.
    let files = everything(&place).into_iter().filter(|(name, _)| !name.ends_with("config.toml"));
    for (place, text) in files.chain(answers.into_iter().map(|text| ("an answer".to_owned(), text)))
    {
        for secret in &secrets {
            assert!(!text.contains(secret.as_str()), "{secret} in {place}: {text}");
        }
    }
}

/// A variable need not be text: the server starts all the same, and what it holds is hidden like any other.
#[tokio::test]
async fn s_38_a_secret_that_is_no_text_is_hidden_too() {
    let script = r#"echo "it has $SERVICE_TOKEN" >&2; exit 3"#;
    let settings = format!(
        "[agents.leaky]\ncommand = [\"/bin/sh\", \"-c\", {script:?}]\npass_env = [\"SERVICE_TOKEN\"]\n"
    );
    let secret = OsString::from_vec(b"canary-\xff-of-no-text".to_vec());
    let place = ServerPlace::new(Path::new(LIMINAL), &settings);
    let place = place.with_variable("SERVICE_TOKEN", secret).logged();
    let server = place.start();
    let body = json!({"cliType": "leaky", "projectDir": place.at("project")});
    let failed = server.client().post_json("/api/session/create", &body).await;
    assert!(failed.text().contains("it has [hidden]"), "its last words: {}", failed.text());
    assert!(server.stop().success());
    let log = std::fs::read_to_string(place.at("log")).unwrap();
    assert!(log.contains("it has [hidden]") && !log.contains("of-no-text"), "{log}");
}

/// As logged by default: that an agent failed, and not in its own words.
#[tokio::test]
async fn s_38_what_agents_write_to_standard_error_is_not_in_the_usual_log() {
    let script = "echo what-it-mutters >&2; exit 3";
    let settings = format!("[agents.leaky]\ncommand = [\"/bin/sh\", \"-c\", {script:?}]\n");
    let place = ServerPlace::new(Path::new(LIMINAL), &settings).logged_at("info");
    let server = place.start();
    let body = json!({"cliType": "leaky", "projectDir": place.at("project")});
    let failed = server.client().post_json("/api/session/create", &body).await;
    assert_eq!(failed.status, 502, "{}", failed.text());
    assert!(failed.text().contains("what-it-mutters"), "who asked is told: {}", failed.text());
    let path = json!({"path": place.at("project")});
    server.client().post_json("/api/projects", &path).await;
    let projects = server.get("/api/projects").await;
    let project = projects[0]["id"].as_str().unwrap();
    let listed = server.client().get(&format!("/api/projects/{project}/importable")).await;
    assert_eq!(listed.status, 200, "who cannot be asked is left out: {}", listed.text());
    let kept = json!({"cliType": "leaky", "providerSessionId": "kept", "projectId": project});
    let imported = server.client().post_json("/api/session/import", &kept).await;
    assert_eq!(imported.status, 502, "{}", imported.text());
    assert!(imported.text().contains("what-it-mutters"), "{}", imported.text());
    assert!(server.stop().success());
    let log = std::fs::read_to_string(place.at("log")).unwrap();
    for told in ["an agent failed", "the agent's own sessions are not listed"] {
        assert!(log.contains(told), "{told}: {log}");
    }
    assert!(!log.contains("what-it-mutters"), "{log}");
}

/// However precisely a library is asked to say more, it writes down no message.
#[tokio::test]
async fn s_38_no_log_that_can_be_asked_for_has_messages() {
    for level in ["trace", "info,tungstenite::protocol=trace,tungstenite::protocol::frame=trace"] {
        let place = ServerPlace::new(Path::new(LIMINAL), "").logged_at(level);
        let server = place.start();
        let mut socket = server.socket("upsert-v1").await;
        let content = "what-somebody-wrote";
        let send = json!({"type": "session:send", "sessionId": "nobody", "content": content});
        socket.send(&send).await;
        socket.receive_type("error").await;
        assert!(server.stop().success());
        let log = std::fs::read_to_string(place.at("log")).unwrap();
        assert!(!log.contains(content), "{level}: {log}");
    }
}

/// The log and every file of the data directory, as text.
fn everything(place: &ServerPlace) -> Vec<(String, String)> {
    let mut directories = vec![place.at("data")];
    let mut found = vec![("the log".to_owned(), std::fs::read_to_string(place.at("log")).unwrap())];
    assert!(found[0].1.len() > 1000, "everything is logged: {}", found[0].1);
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.is_file() {
                let bytes = std::fs::read(&path).unwrap();
                found.push((
                    path.display().to_string(),
                    String::from_utf8_lossy(&bytes).into_owned(),
                ));
            }
        }
    }
    found
}
