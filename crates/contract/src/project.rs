//! Projects: directories that sessions run in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ProjectId, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
