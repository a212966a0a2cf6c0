//! What a program says to `--version`, and remembering it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use agent_process::{AgentProcess, AgentSpec, ExitStatus, Launcher, SpawnError, StopLadder};

use super::agent_command::process_end;

/// A version is one line. A program that says more than this says something else.
const LINES: usize = 100;
const LONGEST: usize = 100;
/// A program that has said its version has nothing left to do.
const LADDER: StopLadder =
    StopLadder { exit_by_itself: Duration::from_secs(2), after_terminate: Duration::from_secs(1) };

/// The version of an agent, once somebody has learned it.
#[derive(Debug, Default)]
pub(super) struct KnownVersion(Mutex<Option<String>>);

impl KnownVersion {
    pub(super) fn learn(&self, version: &str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(version.to_owned());
    }

    pub(super) fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Runs a program that says its version and ends; gives the first word of it. Dropped half-way, it leaves nothing behind.
pub(super) async fn ask(
    launcher: &Launcher,
    spec: AgentSpec,
    name: &str,
) -> Result<String, String> {
    let process = launcher.spawn(spec).await.map_err(|error| not_run(&error))?;
    let AgentProcess { input, mut output, control } = process;
    drop(input);
    let mut said = None;
    for _ in 0..LINES {
        let Ok(Some(line)) = output.next_line().await else { break };
        let text = String::from_utf8_lossy(line.bytes);
        said = said.or_else(|| text.split_whitespace().next().map(cut));
    }
    let exit = control.stop(LADDER).await;
    match (exit.status, said) {
        (ExitStatus::Code(0), Some(version)) => Ok(version),
        (ExitStatus::Code(0), None) => Err(format!("{name} does not say its version")),
        (status, _) => {
            Err(recording::describe_end(name, Some(process_end(status)), &exit.stderr_tail))
        }
    }
}

fn cut(word: &str) -> String {
    word.chars().take(LONGEST).collect()
}

/// Why a program cannot be run, in a line: where it was looked for is of no use in a list.
pub(super) fn not_run(error: &SpawnError) -> String {
    match error {
        SpawnError::MissingProgram { program, .. } => {
            format!("the program {} was not found", program.display())
        }
        SpawnError::NotExecutable(_)
        | SpawnError::Refused { .. }
        | SpawnError::MissingDirectory(_)
        | SpawnError::Guard(_) => error.to_string(),
    }
}
