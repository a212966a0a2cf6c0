//! History: what a client has to know to show a session, or only what it missed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Epoch, Seq, TurnEvent, UpsertObject};

/// A page of a session's items with the turn events that belong to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct HistoryPage {
    pub epoch: Epoch,
    /// The state is that after this change.
    pub seq: Seq,
    /// Ordered by `position`.
    pub entries: Vec<UpsertObject>,
    pub turns: Vec<TurnEvent>,
    /// Whether there is more in the direction that was asked for.
    pub more: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum HistoryMode {
    /// The newest page.
    Full,
    /// Only what is newer than the client's `after`.
    Since,
    /// The newest page, and the client must throw away what it has.
    Reset,
}
