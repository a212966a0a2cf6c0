//! The binary in a place of its own, with whatever environment a test gives it, and its log in a file.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use testkit::{HttpClient, HttpResponse, ServerPlace};

use crate::LIMINAL;

pub(crate) struct Server {
    pub(crate) place: ServerPlace,
    pub(crate) ready: Value,
    pub(crate) port: u16,
    child: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A place whose agents are these besides the demo agent: `(cliType, protocol, script)`.
pub(crate) fn place_with(agents: &[(&str, &str, &str)]) -> ServerPlace {
    let place = ServerPlace::new(Path::new(LIMINAL), "");
    let config = place.at("data").join("config.toml");
    let mut text = std::fs::read_to_string(&config).unwrap();
    for (cli_type, protocol, script) in agents {
        let path = script_at(&place.at(cli_type), script);
        text += &format!("[agents.{cli_type}]\nprotocol = {protocol:?}\ncommand = [{path:?}]\n");
    }
    std::fs::write(config, text).unwrap();
    place
}

fn script_at(path: &Path, text: &str) -> PathBuf {
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_owned()
}

#[expect(clippy::disallowed_methods, reason = "the binary under test")]
pub(crate) fn command(program: &str) -> Command {
    Command::new(program)
}

/// Runs the binary to its end, on this place's data.
pub(crate) fn liminal(place: &ServerPlace, arguments: &[&str]) -> Output {
    let mut command = command(LIMINAL);
    command.args(arguments).env("LIMINAL_DATA_DIR", place.at("data")).stdin(Stdio::null());
    command.output().unwrap()
}

impl Server {
    pub(crate) fn start(place: ServerPlace) -> Self {
        Self::start_by(place, command(LIMINAL), |command| command)
    }

    /// Started by a command of the test's own, such as a shell that sets something first.
    pub(crate) fn start_by(
        place: ServerPlace,
        mut command: Command,
        prepare: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Self {
        let log = File::create(place.at("log")).unwrap();
        command.args(["serve", "--listen", "127.0.0.1:0", "--ready", "json"]);
        command.env("LIMINAL_DATA_DIR", place.at("data")).env("HOME", place.at("home"));
        let command = prepare(&mut command).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap();
        let address = ready["url"].as_str().unwrap().split("127.0.0.1:").nth(1).unwrap();
        let port = address.split('/').next().unwrap().parse().unwrap();
        Self { place, ready, port, child }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn token(&self) -> &str {
        self.ready["token"].as_str().unwrap()
    }

    pub(crate) fn client(&self) -> HttpClient {
        self.bearer(self.token())
    }

    pub(crate) fn bearer(&self, token: &str) -> HttpClient {
        HttpClient::new(self.port).with_header("Authorization", &format!("Bearer {token}"))
    }

    pub(crate) async fn create(&self, cli_type: &str) -> HttpResponse {
        let body = json!({"cliType": cli_type, "projectDir": self.place.at("project")});
        self.client().post_json("/api/session/create", &body).await
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.place.at("log")).unwrap()
    }
}
