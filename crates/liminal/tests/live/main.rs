//! The user's own agents, logged in, with real models behind them. They cost money, so they run only when asked for:
//! `RUN_PROVIDER_LIVE_TESTS=1 cargo xtask test`. It runs the module of each agent that is installed.
#![cfg(test)]

use std::ffi::OsString;

use contract::{TurnEventKind, TurnStatus};

mod claude;
mod codex;

fn guard() -> Vec<OsString> {
    vec![env!("CARGO_BIN_EXE_liminal").into(), "agent-guard".into()]
}

fn status(kind: &TurnEventKind) -> Option<TurnStatus> {
    match kind {
        TurnEventKind::TurnComplete { status, .. } => Some(*status),
        TurnEventKind::TurnStarted { .. } | TurnEventKind::TurnError { .. } => None,
    }
}
