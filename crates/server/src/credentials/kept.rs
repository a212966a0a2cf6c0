//! What outlives the server of its credentials: hashes, in one private file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::private_file;
use crate::secret::SecretHash;

/// Credentials that cannot be kept or made.
#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    #[error("{path}: {source}", path = .path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{path} cannot be understood: {source}", path = .path.display())]
    Broken { path: PathBuf, source: serde_json::Error },
    #[error("there is a token named {0} already")]
    NameTaken(String),
    #[error("a token's name has 1 to {0} characters, none of them a control character")]
    BadName(usize),
    #[error("there are {0} tokens already; `liminal token rotate` ends them all")]
    TooMany(usize),
    #[error("the system's random generator failed: {0}")]
    Random(#[from] getrandom::Error),
}

#[derive(Debug)]
pub(super) struct KeptFile {
    path: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Kept {
    pub(super) instance: String,
    pub(super) browsers: Vec<KeptBrowser>,
    pub(super) tokens: Vec<KeptToken>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct KeptBrowser {
    pub(super) cookie: SecretHash,
    pub(super) page_key: SecretHash,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct KeptToken {
    pub(super) name: String,
    pub(super) hash: SecretHash,
}

impl Kept {
    pub(super) fn named(instance: String) -> Self {
        Self { instance, ..Self::default() }
    }
}

impl KeptFile {
    pub(super) fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    pub(super) fn read(&self) -> Result<Option<Kept>, CredentialsError> {
        let bytes = private_file::read(&self.path).map_err(|source| self.failed(source))?;
        let kept = bytes.as_deref().map(serde_json::from_slice).transpose();
        kept.map_err(|source| CredentialsError::Broken { path: self.path.clone(), source })
    }

    pub(super) fn write(&self, kept: &Kept) -> Result<(), CredentialsError> {
        let written = serde_json::to_vec(kept).map_err(std::io::Error::from);
        written
            .and_then(|bytes| private_file::write(&self.path, &bytes))
            .map_err(|source| self.failed(source))
    }

    fn failed(&self, source: std::io::Error) -> CredentialsError {
        CredentialsError::File { path: self.path.clone(), source }
    }
}
