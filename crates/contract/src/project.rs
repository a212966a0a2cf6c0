//! Projects: directories that sessions run in.

use serde::{Deserialize, Serialize};

use crate::{ProjectId, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Project {
    pub id: ProjectId,
    /// Absolute and canonical.
    pub path: String,
    /// The last part of the path.
    pub name: String,
    pub added_at: Timestamp,
}
