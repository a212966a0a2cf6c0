//! The socket in the data directory: for our user, and not for what agents start.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::time::Duration;

use testkit::ServerPlace;

use crate::LIMINAL;
use crate::server::{Server, command, liminal, place_with};

#[tokio::test]
async fn s_13_the_socket_is_for_our_user_alone() {
    let server = Server::start(ServerPlace::new(Path::new(LIMINAL), ""));
    let path = server.place.at("data").join("liminal.sock");
    let found = std::fs::symlink_metadata(&path).unwrap();
    assert!(found.file_type().is_socket());
    assert_eq!(found.mode() & 0o777, 0o600);
    assert!(liminal(&server.place, &["ls"]).status.success());
}

/// By the file, and by the directory before it.
#[tokio::test]
async fn s_13_another_user_is_kept_out_as_root() {
    let server = Server::start(ServerPlace::new(Path::new(LIMINAL), ""));
    let mut other = command(LIMINAL);
    other.args(["ls", "--data-dir"]).arg(server.place.at("data")).uid(65_534).gid(65_534);
    let refused = other.output();
    let succeeded = refused.is_ok_and(|output| output.status.success());
    assert!(!succeeded, "another user got in");
}

#[tokio::test]
async fn s_13_even_an_open_socket_asks_who_comes_as_root() {
    let server = Server::start(ServerPlace::new(Path::new(LIMINAL), ""));
    // The doors are opened by hand, so that only the question who it is remains.
    let data = server.place.at("data");
    for (path, mode) in [
        (data.parent().unwrap().to_owned(), 0o755),
        (data.clone(), 0o755),
        (data.join("liminal.sock"), 0o777),
    ] {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    // A copy, since who we are may not let others reach the original.
    let program = server.place.at("liminal");
    std::fs::copy(LIMINAL, &program).unwrap();
    let mut other = command(program.to_str().unwrap());
    other.args(["ls", "--data-dir"]).arg(&data).uid(65_534).gid(65_534);
    assert!(!other.output().unwrap().status.success());
    assert!(server.log().contains("another user was refused"), "{}", server.log());
}

/// An agent that tries to answer for its user, by every way it can find, and writes down what it was told.
const TRIES_TO_APPROVE: &str = r#"
. "$(dirname "$0")/where"
try() { "$LIMINAL" "$@" --data-dir "$DATA" >> "$OUT" 2>&1; echo "exit $?" >> "$OUT"; }
try ls
try approve session request allow
try open
try token create mine
try token rotate
# By the door that browsers use, without a credential, with what it can read, and as a page would.
ask() {
  bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$0"; printf "%b" "$1" >&3; head -1 <&3' "$PORT" \
    "$1 HTTP/1.1\\r\\nHost: 127.0.0.1:$PORT\\r\\n${2}Content-Length: 20\\r\\nContent-Type: application/json\\r\\nConnection: close\\r\\n\\r\\n{\"optionId\":\"allow\"}" >> "$OUT.tcp"
}
APPROVE="POST /api/session/s/permission/p"
ask "GET /healthz"
ask "GET /api/permissions"
ask "$APPROVE"
ask "$APPROVE" "Origin: http://127.0.0.1:$PORT\\r\\nSec-Fetch-Site: same-origin\\r\\n"
ask "$APPROVE" "Authorization: Bearer \\r\\n"
ask "$APPROVE" "Authorization: Bearer $(tr -dc 'a-f0-9' < "$DATA/credentials.json" | head -c 64)\\r\\n"
ask "POST /api/tokens/rotate"
ask "POST /api/login-link"
env -i "$LIMINAL" ls --data-dir "$DATA" >> "$OUT" 2>&1; echo "exit $?" >> "$OUT"
# Without its parent, its group, its session and its environment.
(env -i setsid sh -c "sleep 0.3; '$LIMINAL' ls --data-dir '$DATA' >> '$OUT' 2>&1; echo exit \$? >> '$OUT'; touch '$OUT.done'" &)
cp "$DATA/credentials.json" "$OUT.read"
sleep 30
"#;

#[tokio::test]
async fn s_30_an_agent_cannot_answer_its_own_questions() {
    let place = place_with(&[("sly", "acp", TRIES_TO_APPROVE)]);
    let out = place.at("home").join("out");
    let data = place.at("data");
    let server = Server::start(place);
    let at = format!("LIMINAL={LIMINAL:?}\nDATA={data:?}\nOUT={out:?}\nPORT={}\n", server.port);
    std::fs::write(server.place.at("where"), at).unwrap();
    let client = server.client();
    let body = serde_json::json!({"cliType": "sly", "projectDir": server.place.at("project")});
    let done = async {
        for _ in 0..200 {
            if out.with_extension("done").exists() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("it never came to its end: {:?}", std::fs::read_to_string(&out));
    };
    // The agent never answers, so neither does its creation.
    tokio::select! {
        () = done => {}
        answer = client.post_json("/api/session/create", &body) => panic!("{}", answer.text()),
    }
    let told = std::fs::read_to_string(&out).unwrap();
    assert_eq!(told.matches("FORBIDDEN_PEER").count(), 7, "{told}");
    assert_eq!(told.matches("exit 1").count(), 7, "{told}");
    let log = server.log();
    assert!(log.contains("self_approval_attempt"), "{log}");

    let heard = std::fs::read_to_string(out.with_extension("tcp")).unwrap();
    let statuses: Vec<&str> = heard.lines().filter_map(|line| line.get(9..12)).collect();
    assert_eq!(statuses, ["200", "401", "401", "401", "401", "401", "401", "401"], "{heard}");

    // What it can read is no credential.
    let read = std::fs::read_to_string(out.with_extension("read")).unwrap();
    for word in read.split('"').filter(|word| word.len() >= 8) {
        assert_eq!(server.bearer(word).get("/api/projects").await.status, 401);
    }
    assert_eq!(client.get("/api/projects").await.status, 200, "nothing was rotated");
    assert!(liminal(&server.place, &["ls"]).status.success(), "its user still gets in");
}

/// Leaves its parent, its session and its environment behind, but for a variable by which the user's browser was once known, then
/// kills the guard that would find it all the same.
const KILLS_ITS_GUARD: &str = r#"
. "$(dirname "$0")/where"
(env -i LIMINAL_BESIDE_AGENTS=1 setsid sh -c "echo \$\$ > '$OUT.pid'; sleep 2; '$LIMINAL' token create mine --data-dir '$DATA' > '$OUT'; touch '$OUT.done'" &)
while [ ! -s "$OUT.pid" ]; do :; done
kill -9 "$PPID"
sleep 30
"#;

/// For an ordinary user, who has no control groups by which it would be found.
fn start_as_ordinary_user(place: ServerPlace, program: &Path) -> Server {
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    if !is_root {
        return Server::start_by(place, command(program.to_str().unwrap()), |command| command);
    }
    let (root, data) = (place.at(""), place.at("data"));
    for path in [root, place.at("home"), place.at("project"), data.join("config.toml"), data] {
        std::os::unix::fs::chown(path, Some(65_534), Some(65_534)).unwrap();
    }
    let start = command(program.to_str().unwrap());
    Server::start_by(place, start, |command| command.uid(65_534).gid(65_534))
}

/// Also what is left of an agent that killed its guard is an agent's: it is ended, and nothing of it lies about.
#[tokio::test]
async fn s_30_an_agent_that_kills_its_guard_gains_nothing_by_it() {
    let place = place_with(&[("sly", "acp", KILLS_ITS_GUARD)]);
    let (out, data) = (place.at("home").join("out"), place.at("data"));
    // A copy, since who we are may not let others reach the original.
    let program = place.at("liminal");
    std::fs::copy(LIMINAL, &program).unwrap();
    let at = format!("LIMINAL={program:?}\nDATA={data:?}\nOUT={out:?}\n");
    std::fs::write(place.at("where"), at).unwrap();
    let server = start_as_ordinary_user(place, &program);
    let failed = server.create("sly").await;
    assert_eq!(failed.status, 502, "{}", failed.text());
    let orphan = std::fs::read_to_string(out.with_extension("pid")).unwrap();
    let process = Path::new("/proc").join(orphan.trim());
    for _ in 0..200 {
        if !process.exists() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(!process.exists(), "neither it nor its end is left");
    assert!(!out.with_extension("done").exists(), "it was ended before it came to anything");
    assert_eq!(std::fs::read_to_string(&out).unwrap_or_default(), "", "no token was made");
    // Other agents, and what waits for their ends, are none the worse for it.
    let session = server.create("demo").await;
    assert_eq!(session.status, 201, "{}", session.text());
    let path = format!("/api/session/{}/kill", session.json()["sessionId"].as_str().unwrap());
    assert_eq!(server.client().post(&path).await.status, 200);
}
