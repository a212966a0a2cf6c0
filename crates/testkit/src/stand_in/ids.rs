//! Ids that no two answers of one stand-in share.

use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Default)]
pub struct Ids(AtomicU64);

impl Ids {
    pub(crate) fn next(&self, prefix: &str) -> String {
        format!("{prefix}_{:024}", self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
