//! Real agents of the Agent Client Protocol through everything but the edge, against a scripted model.
#![cfg(test)]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

use std::ffi::OsString;

use contract::{TurnEventKind, TurnStatus};
use testkit::acp_house::AcpHouse;
use testkit::responses_api::{ResponsesApi, ResponsesReply, ResponsesRequest};

mod after_a_kill;
mod anthropic;
mod codex_crashes;
mod codex_delivery;
mod codex_failures;
mod codex_hard;
mod codex_kills;
mod codex_resume;
mod codex_sends;
mod codex_session_api;
mod codex_settings;
mod codex_text;
mod codex_tools;
mod demo;
mod heard;
mod server;

type CodexHouse = AcpHouse<ResponsesApi>;

fn guard() -> Vec<OsString> {
    vec![env!("CARGO_BIN_EXE_liminal").into(), "agent-guard".into()]
}

/// A house of Codex whose model answers by `script`.
async fn codex(
    script: impl Fn(&ResponsesRequest) -> ResponsesReply + Send + Sync + 'static,
) -> CodexHouse {
    AcpHouse::codex(guard(), ResponsesApi::start(script).await).await
}

async fn codex_with(replies: impl IntoIterator<Item = ResponsesReply>) -> CodexHouse {
    AcpHouse::codex(guard(), ResponsesApi::with_replies(replies).await).await
}

fn completed(kind: &TurnEventKind) -> bool {
    matches!(kind, TurnEventKind::TurnComplete { status: TurnStatus::Completed, .. })
}

fn cancelled(kind: &TurnEventKind) -> bool {
    matches!(kind, TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, .. })
}

fn failure(kind: &TurnEventKind) -> (&str, Option<&str>, &str) {
    match kind {
        TurnEventKind::TurnError { error_code, error_class, error_message } => {
            (error_code.as_str(), error_class.as_deref(), error_message)
        }
        other => panic!("{other:?} is no failure"),
    }
}

/// Ends a process as the system does when memory is short.
fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}
