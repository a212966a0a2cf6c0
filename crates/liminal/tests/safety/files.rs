//! What the server writes is for its user alone.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde_json::json;
use testkit::ServerPlace;

use crate::LIMINAL;
use crate::server::{Server, command, liminal};

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            let is_directory = std::fs::symlink_metadata(&path).unwrap().is_dir();
            let below = if is_directory { files_below(&path) } else { Vec::new() };
            std::iter::once(path).chain(below)
        })
        .collect()
}

#[tokio::test]
async fn s_25_nothing_that_is_kept_or_recorded_is_for_others_whatever_the_umask_is() {
    let place = ServerPlace::new(Path::new(LIMINAL), "");
    // What a person wrote is theirs.
    let config = place.at("data").join("config.toml");
    std::fs::set_permissions(&config, std::fs::Permissions::from_mode(0o600)).unwrap();
    let mut shell = command("/bin/sh");
    shell.args(["-c", "umask 000; exec \"$0\" \"$@\"", LIMINAL]);
    let above = place.at("recorded");
    let recordings = above.join("here");
    let server = Server::start_by(place, shell, |shell| shell.arg("--record").arg(&recordings));
    let created = server.create("demo").await;
    assert_eq!(created.status, 201, "{}", created.text());
    let session = created.json()["sessionId"].as_str().unwrap().to_owned();
    let path = format!("/api/session/{session}/send");
    server.client().post_json(&path, &json!({"content": "help"})).await;
    server.client().get(&format!("/api/session/{session}/wait?timeoutMs=30000")).await;
    liminal(&server.place, &["token", "create", "ci"]);
    let data = server.place.at("data");
    let files: Vec<_> = [&data, &above].into_iter().flat_map(|path| files_below(path)).collect();
    let names: Vec<_> = files.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    for expected in ["audit.jsonl", "credentials.json", "journal.db", "liminal.sock", "lock"] {
        assert!(names.contains(&expected), "{names:?}");
    }
    assert!(names.iter().any(|name| name.ends_with(".rec.jsonl")), "{names:?}");
    for path in files.iter().chain([&data, &above]) {
        let mode = std::fs::symlink_metadata(path).unwrap().mode();
        assert_eq!(mode & 0o077, 0, "{} has {mode:o}", path.display());
    }
}

#[tokio::test]
async fn s_25_a_credential_file_that_others_can_read_or_that_is_a_link_stops_the_start() {
    let place = ServerPlace::new(Path::new(LIMINAL), "");
    assert!(liminal(&place, &["token", "create", "ci"]).status.success());
    let file = place.at("data").join("credentials.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let refused = liminal(&place, &["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("credentials.json") && said.contains("read by others"), "{said}");

    let target = place.at("target");
    std::fs::write(&target, "untouched").unwrap();
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&target, &file).unwrap();
    let refused = liminal(&place, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("is a link"));
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "untouched");
}

/// What a server says that does not start.
fn refusal(place: &ServerPlace) -> String {
    let refused = liminal(place, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(!refused.status.success(), "it does not start");
    String::from_utf8_lossy(&refused.stderr).into_owned()
}

#[test]
fn s_25_settings_and_data_that_others_can_have_written_stop_the_start() {
    let mode = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let place = ServerPlace::new(Path::new(LIMINAL), "");
    let (data, config) = (place.at("data"), place.at("data").join("config.toml"));
    mode(&config, 0o666);
    mode(&data, 0o755);
    let said = refusal(&place);
    assert!(said.contains("config.toml: can be written by others"), "{said}");
    mode(&config, 0o644);
    mode(&data, 0o700);
    drop(Server::start(place));
}

#[test]
fn s_25_settings_and_data_of_another_user_stop_the_start_as_root() {
    let place = ServerPlace::new(Path::new(LIMINAL), "");
    let (data, config) = (place.at("data"), place.at("data").join("config.toml"));
    for path in [&config, &data] {
        std::os::unix::fs::chown(path, Some(65_534), None).unwrap();
        let said = refusal(&place);
        assert!(said.contains("belongs to another user"), "{}: {said}", path.display());
        std::os::unix::fs::chown(path, Some(0), None).unwrap();
    }
    drop(Server::start(place));
}
