//! The CLI driven with nothing between: what everything is compared with.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use claude::stdin;
use contract::Delivery;
use session::Environment;
use session::provider::AgentCommand;
use testkit::claude_house::ClaudeHouse;
use tokio::time::Instant;

/// As the provider starts it.
const ARGUMENTS: [&str; 10] = [
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
    "--permission-prompt-tool",
    "stdio",
    "--replay-user-messages",
];

/// From the start of the process, with the message written at once, to the first line that has text.
pub(crate) async fn first_text(house: &ClaudeHouse, message: &str) -> Duration {
    let (command, project) = (house.command.clone(), house.project());
    let ids = Environment::default().ids;
    let line = stdin::user_message(Some(&ids.turn_id()), message, &[], Delivery::Queue);
    let session = format!("--session-id={}", ids.session_id());
    tokio::task::spawn_blocking(move || run(&command, project, &session, &line)).await.unwrap()
}

#[expect(clippy::disallowed_methods, reason = "it is measured without what we put around it")]
fn run(command: &AgentCommand, project: PathBuf, session: &str, line: &str) -> Duration {
    let (program, arguments) = command.command.split_first().unwrap();
    let mut cli = Command::new(program);
    cli.args(arguments).args(ARGUMENTS).arg(session).current_dir(project);
    cli.env_clear().envs(command.environment.iter().cloned());
    cli.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let start = Instant::now();
    let mut cli = cli.spawn().unwrap();
    let mut input = cli.stdin.take().unwrap();
    writeln!(input, "{line}").unwrap();
    let mut lines = BufReader::new(cli.stdout.take().unwrap()).lines();
    let found = lines.any(|line| line.unwrap().contains("\"text_delta\""));
    let elapsed = start.elapsed();
    assert!(found, "the agent says something");
    cli.kill().unwrap();
    cli.wait().unwrap();
    elapsed
}
