//! Which provider runs which type of agent.

use std::collections::HashMap;
use std::sync::Arc;

use contract::CliType;

use super::{CliProvider, ProviderError, ProviderErrorCode};

/// Filled at start, read ever after.
#[derive(Clone, Default)]
pub struct ProviderRegistry {
    providers: HashMap<CliType, Arc<dyn CliProvider>>,
}

impl ProviderRegistry {
    /// A later provider of the same type takes the place of an earlier one.
    pub fn register(&mut self, provider: Arc<dyn CliProvider>) {
        self.providers.insert(provider.cli_type().clone(), provider);
    }

    /// In the order of their types.
    pub(crate) fn all(&self) -> Vec<&Arc<dyn CliProvider>> {
        let mut all: Vec<_> = self.providers.values().collect();
        all.sort_by_key(|provider| provider.cli_type().clone());
        all
    }

    pub fn resolve(&self, cli_type: &CliType) -> Result<Arc<dyn CliProvider>, ProviderError> {
        self.providers.get(cli_type).cloned().ok_or_else(|| {
            ProviderError::new(
                ProviderErrorCode::UnsupportedCliType,
                format!("no agent of type {cli_type}"),
            )
        })
    }
}

impl std::fmt::Debug for ProviderRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.providers.keys()).finish()
    }
}
