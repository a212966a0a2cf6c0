//! What a session's agent can be set to, and what it is set to when it starts.

use contract::{ModeId, ModeInfo, ModelId, SessionOptions};

use super::adapter::QueryOptions;
use crate::provider::bypass::CLAUDE_BYPASS;

/// What an agent without a chosen mode is in.
pub(super) const DEFAULT_MODE: &str = "default";

/// What holds for an agent that was just started with `chosen`, besides what it `told`.
///
/// A model that nobody chose is the agent's own business until it names it.
pub(super) fn at_the_start(told: SessionOptions, chosen: &QueryOptions) -> SessionOptions {
    let mode = chosen.mode.as_deref().unwrap_or(DEFAULT_MODE);
    SessionOptions {
        modes: modes(mode),
        current_mode_id: Some(ModeId::from(mode)),
        current_model_id: chosen.model.as_deref().map(ModelId::from),
        ..told
    }
}

/// What an agent can be started in.
pub(super) fn all_modes() -> Vec<ModeInfo> {
    modes(CLAUDE_BYPASS)
}

/// The mode in which nothing is asked can only be chosen when an agent is started, so it is offered to no other.
fn modes(started_in: &str) -> Vec<ModeInfo> {
    let modes = [
        (DEFAULT_MODE, "Ask", "Asks before it changes or runs something"),
        ("acceptEdits", "Accept edits", "Changes files without asking"),
        ("plan", "Plan", "Reads and plans, changes nothing"),
        (CLAUDE_BYPASS, "Bypass permissions", "Never asks"),
    ];
    let offered = modes.into_iter().filter(|(id, ..)| *id != CLAUDE_BYPASS || started_in == *id);
    let described = offered.map(|(id, name, description)| ModeInfo {
        mode_id: ModeId::from(id),
        name: name.to_owned(),
        description: Some(description.to_owned()),
        never_asks: id == CLAUDE_BYPASS,
    });
    described.collect()
}
