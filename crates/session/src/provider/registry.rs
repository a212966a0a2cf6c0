//! Which provider runs which type of agent.

use std::collections::HashMap;
use std::sync::Arc;

use contract::CliType;

use super::{AgentLabel, CliProvider, ProviderError, ProviderErrorCode};

/// Filled at start, read ever after.
#[derive(Clone, Default)]
pub struct ProviderRegistry {
    providers: HashMap<CliType, Arc<dyn CliProvider>>,
    labels: HashMap<CliType, AgentLabel>,
}

impl ProviderRegistry {
    /// A later provider of the same type takes the place of an earlier one.
    pub fn register(&mut self, provider: Arc<dyn CliProvider>) {
        self.providers.insert(provider.cli_type().clone(), provider);
    }

    /// Registers what runs an agent that people may choose.
    pub fn register_agent(&mut self, provider: Arc<dyn CliProvider>, label: AgentLabel) {
        self.labels.insert(provider.cli_type().clone(), label);
        self.register(provider);
    }

    /// Those that people may choose, in the order of their types.
    pub(super) fn labelled(&self) -> Vec<(Arc<dyn CliProvider>, AgentLabel)> {
        let label = |provider: &dyn CliProvider| self.labels.get(provider.cli_type()).cloned();
        let all = self.all().into_iter();
        all.filter_map(|provider| Some((provider.clone(), label(&**provider)?))).collect()
    }

    /// The types of those that people may choose, in order.
    pub(crate) fn agent_types(&self) -> Vec<CliType> {
        let mut types: Vec<_> = self.labels.keys().cloned().collect();
        types.sort();
        types
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
