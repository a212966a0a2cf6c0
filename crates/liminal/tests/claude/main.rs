//! The real Claude Code, both versions, through everything but the edge, against a scripted model.
#![cfg(test)]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

use std::ffi::OsString;

use testkit::agents::ClaudeVersion;
use testkit::claude_house::ClaudeHouse;
use testkit::model_api::{ModelApi, ModelRequest, Reply};

/// Makes of each function one test per version of the agent.
macro_rules! real {
    ($($name:ident)*) => {
        mod v2_1_197 {
            $(#[tokio::test] async fn $name() {
                super::$name(testkit::agents::ClaudeVersion::V2_1_197).await;
            })*
        }
        mod v2_1_325 {
            $(#[tokio::test] async fn $name() {
                super::$name(testkit::agents::ClaudeVersion::V2_1_325).await;
            })*
        }
    };
}

mod adjusting;
mod after_a_kill;
mod background;
mod conversation;
mod delivery;
mod failures;
mod sends;
mod server;
mod session_api;
mod tools;
mod transcripts;

fn guard() -> Vec<OsString> {
    vec![env!("CARGO_BIN_EXE_liminal").into(), "agent-guard".into()]
}

/// A house whose model answers by `script`.
async fn house(
    version: ClaudeVersion,
    script: impl Fn(&ModelRequest) -> Reply + Send + Sync + 'static,
) -> ClaudeHouse {
    ClaudeHouse::start(version, guard(), ModelApi::start(script).await).await
}

async fn house_with(
    version: ClaudeVersion,
    replies: impl IntoIterator<Item = Reply>,
) -> ClaudeHouse {
    ClaudeHouse::start(version, guard(), ModelApi::with_replies(replies).await).await
}
