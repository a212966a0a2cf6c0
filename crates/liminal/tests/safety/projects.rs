//! Which directories may be projects, and what a request may choose.

use std::path::Path;

use serde_json::{Value, json};
use testkit::ServerPlace;

use crate::LIMINAL;
use crate::server::{Server, command};

#[tokio::test]
async fn s_20_only_a_directory_below_an_allowed_root_is_a_project() {
    let server = Server::start(ServerPlace::new(Path::new(LIMINAL), ""));
    let root = server.place.at("project");
    let inside = root.join("inside");
    std::fs::create_dir(&inside).unwrap();
    std::fs::write(root.join("file"), "").unwrap();
    // Opening one would wait for somebody to write to it.
    assert!(command("mkfifo").arg(root.join("fifo")).status().unwrap().success());
    for (link, target) in [("to-root", "/"), ("to-etc", "/etc"), ("to-proc", "/proc/self/root")] {
        std::os::unix::fs::symlink(target, root.join(link)).unwrap();
    }
    let at = |rest: &str| format!("{}/{rest}", root.display());
    // Its name begins with that of the allowed root, and that is all they have in common.
    let allowed = server.place.at("").canonicalize().unwrap();
    let beside = format!("{}-sibling", allowed.file_name().unwrap().display());
    let sibling = tempfile::Builder::new().prefix(&beside).tempdir_in(allowed.parent().unwrap());
    let sibling = sibling.unwrap();
    let refused = [
        "/".to_owned(),
        "/etc".to_owned(),
        "/proc/self/root".to_owned(),
        "/dev/null".to_owned(),
        "relative".to_owned(),
        String::new(),
        at("../../.."),
        at("../../../etc"),
        at("nothing"),
        at("file"),
        at("fifo"),
        at("to-root"),
        at("to-etc"),
        at("to-proc"),
        at("inside\0"),
        at(&"x".repeat(4097)),
        at(&"x/".repeat(2100)),
        sibling.path().display().to_string(),
    ];
    let client = server.client();
    for dir in &refused {
        let body = json!({"cliType": "external", "projectDir": dir});
        let answer = client.post_json("/api/session/create", &body).await;
        assert_eq!(answer.error(), (400, "INVALID_PROJECT_DIR".into()), "{dir:?}");
        let answer = client.post_json("/api/projects", &json!({"path": dir})).await;
        assert_eq!(answer.status, 400, "{dir:?}");
    }
    for dir in [at("inside"), at("inside/"), at("inside/../inside"), root.display().to_string()] {
        let body = json!({"cliType": "external", "projectDir": dir});
        assert_eq!(client.post_json("/api/session/create", &body).await.status, 201, "{dir:?}");
    }
    let projects: Value = client.get("/api/projects").await.json();
    assert_eq!(projects.as_array().unwrap().len(), 2, "each directory is one project: {projects}");
}

/// A request is text, and so is what is told of a project: a name that is none is refused, whichever way it comes.
#[tokio::test]
async fn s_20_a_directory_whose_name_is_no_text_is_no_project() {
    use std::os::unix::ffi::OsStrExt;
    let server = Server::start(ServerPlace::new(Path::new(LIMINAL), ""));
    let root = server.place.at("project");
    let nameless = root.join(std::ffi::OsStr::from_bytes(b"name\xff"));
    std::fs::create_dir(&nameless).unwrap();
    std::os::unix::fs::symlink(&nameless, root.join("link")).unwrap();
    let client = server.client();
    let json = client.clone().with_header("Content-Type", "application/json");
    for (name, code) in [
        (&b"name\xff"[..], "INVALID_REQUEST"),
        (br"name\ud8ff", "INVALID_REQUEST"),
        (br"name\ufffd", "INVALID_PROJECT_DIR"),
        (b"link", "INVALID_PROJECT_DIR"),
    ] {
        let head = format!("{{\"cliType\":\"external\",\"projectDir\":\"{}/", root.display());
        let mut body = head.into_bytes();
        body.extend_from_slice(name);
        body.extend_from_slice(b"\"}");
        let answer = json.request("POST", "/api/session/create", &body).await;
        assert_eq!(answer.error(), (400, code.into()), "{}", String::from_utf8_lossy(&body));
    }
    assert_eq!(client.get("/api/projects").await.json(), json!([]));
    let listed = client.get(&format!("/api/fs/dirs?prefix={}/", root.display())).await;
    assert_eq!(listed.status, 200, "{}", listed.text());
}

#[tokio::test]
async fn s_14_ids_are_random_and_never_repeat() {
    let server = Server::start(ServerPlace::new(Path::new(LIMINAL), ""));
    let (mut ids, mut ones, mut zeros) = (std::collections::HashSet::new(), 0_u128, 0_u128);
    for _ in 0..64 {
        let created = server.create("external").await;
        let id = created.json()["sessionId"].as_str().unwrap().to_owned();
        let bits = u128::from_str_radix(&id.replace('-', ""), 16).unwrap();
        (ones, zeros) = (ones | bits, zeros | !bits);
        assert!(id.len() == 36 && ids.insert(id));
    }
    // Of 128 bits six say what kind of id it is; each of the others is seen as a one and as a zero.
    assert_eq!((ones & zeros).count_ones(), 122);
}

#[tokio::test]
async fn s_20_a_root_is_no_beginning_of_a_name() {
    let place = ServerPlace::new(Path::new(LIMINAL), "");
    let allowed = place.at("project");
    let config = place.at("data").join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let rest = text.split_once('\n').unwrap().1.to_owned();
    std::fs::write(&config, format!("allowed_roots = [{allowed:?}]\n{rest}")).unwrap();
    std::fs::create_dir(place.at("project-sibling")).unwrap();
    let server = Server::start(place);
    let body = json!({"cliType": "external", "projectDir": server.place.at("project-sibling")});
    let answer = server.client().post_json("/api/session/create", &body).await;
    assert_eq!(answer.error(), (400, "INVALID_PROJECT_DIR".into()));
}

#[tokio::test]
async fn s_23_what_is_run_is_not_for_a_request_to_choose() {
    let server = Server::start(ServerPlace::new(Path::new(LIMINAL), ""));
    let body = json!({"cliType": "demo", "projectDir": server.place.at("project")});
    for (field, value) in [
        ("command", json!(["/bin/sh", "-c", "id"])),
        ("cliPath", json!("/bin/sh")),
        ("args", json!(["--dangerously-skip-permissions"])),
        ("env", json!({"LD_PRELOAD": "/tmp/x.so"})),
        ("cwd", json!("/")),
        ("sessionId", json!("mine")),
        ("providerOptions", json!({"command": "/bin/sh"})),
    ] {
        let mut body = body.clone();
        body[field] = value;
        let answer = server.client().post_json("/api/session/create", &body).await;
        assert_eq!(answer.error(), (400, "INVALID_REQUEST".into()), "{field}");
    }
    for cli_type in ["/bin/sh", "sh", "../demo", "demo agent", ""] {
        let body = json!({"cliType": cli_type, "projectDir": server.place.at("project")});
        let answer = server.client().post_json("/api/session/create", &body).await;
        assert_eq!(answer.status, 400, "{cli_type}: {}", answer.text());
    }
}

#[tokio::test]
async fn s_20_an_agent_does_not_come_back_where_it_may_not_be_any_more() {
    let place = ServerPlace::new(Path::new(LIMINAL), "");
    let directory = place.at("project").join("moved");
    std::fs::create_dir(&directory).unwrap();
    let server = place.start();
    let client = server.client();
    let request = json!({"cliType": "demo", "projectDir": directory});
    let created = client.post_json("/api/session/create", &request).await;
    assert_eq!(created.status, 201, "{}", created.text());
    let (created, session) =
        (created.json(), created.json()["sessionId"].as_str().unwrap().to_owned());
    assert_eq!(client.post(&format!("/api/session/{session}/kill")).await.status, 200);
    // What was a directory of the project leads out of the roots now.
    std::fs::remove_dir(&directory).unwrap();
    std::os::unix::fs::symlink("/etc", &directory).unwrap();
    let send = format!("/api/session/{session}/send");
    let sent = client.post_json(&send, &json!({"content": "help"})).await;
    assert_eq!(sent.error(), (400, "INVALID_PROJECT_DIR".into()));
    let loaded = client.post(&format!("/api/session/{session}/load")).await;
    assert_eq!(loaded.error(), (400, "INVALID_PROJECT_DIR".into()));
    let project = created["projectId"].as_str().unwrap();
    let importable = client.get(&format!("/api/projects/{project}/importable")).await;
    assert_eq!(importable.error(), (400, "INVALID_PROJECT_DIR".into()));
    std::fs::remove_file(&directory).unwrap();
    std::fs::create_dir(&directory).unwrap();
    let sent = client.post_json(&send, &json!({"content": "help"})).await;
    assert_eq!(sent.status, 202, "{}", sent.text());
}
