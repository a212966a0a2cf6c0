//! Stands in for the product in this crate's tests: as `guard` it guards an agent, as `beside` it keeps
//! what is none, as `server` it runs one until killed.

use std::io::Write;
use std::process::ExitCode;

use agent_process::{AgentSpec, Launcher, ProcessRecords};
use tokio_util::task::TaskTracker;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["guard"] => agent_process::guard::run(),
        ["beside", command @ ..] => {
            let command: Vec<_> = command.iter().map(|word| (*word).into()).collect();
            agent_process::beside::keep(&command)
        }
        ["server", records, script] => serve(records, script),
        _ => ExitCode::FAILURE,
    }
}

/// Starts `sh -c script`, passes its output on, and stays: the test kills us.
#[tokio::main(flavor = "current_thread")]
async fn serve(records: &str, script: &str) -> ExitCode {
    let Ok(own_path) = std::env::current_exe() else { return ExitCode::FAILURE };
    let Ok(records) = ProcessRecords::at(records) else { return ExitCode::FAILURE };
    let guard = vec![own_path.into(), "guard".into()];
    let spec = AgentSpec {
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        directory: "/".into(),
        environment: std::env::vars_os().filter(|(name, _)| name == "PATH").collect(),
    };
    let launcher = Launcher::new(guard, TaskTracker::new()).with_records(records);
    let Ok(mut agent) = launcher.spawn(spec).await else { return ExitCode::FAILURE };
    while let Ok(Some(line)) = agent.output.next_line().await {
        let mut out = std::io::stdout();
        out.write_all(line.bytes).and_then(|()| out.write_all(b"\n")).ok();
    }
    agent.control.exited().await;
    ExitCode::SUCCESS
}
