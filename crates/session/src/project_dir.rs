//! Which directories may be projects.

use std::path::{Path, PathBuf};

/// The directories below which projects may live, canonical.
#[derive(Clone, Debug)]
pub struct AllowedRoots(Vec<PathBuf>);

/// Why a directory may not be a project.
#[derive(Debug)]
pub(crate) struct NotAProject(pub(crate) String);

impl AllowedRoots {
    /// Roots that do not exist allow nothing.
    pub async fn resolve(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut canonical = Vec::new();
        for root in roots {
            match tokio::fs::canonicalize(&root).await {
                Ok(found) => canonical.push(found),
                Err(error) => {
                    tracing::warn!(root = %root.display(), %error, "no project can live below this root");
                }
            }
        }
        Self(canonical)
    }

    fn listed(&self) -> String {
        let roots: Vec<_> = self.0.iter().map(|root| root.display().to_string()).collect();
        if roots.is_empty() { "none".to_owned() } else { roots.join(", ") }
    }

    /// The canonical form of a directory that may be a project.
    pub(crate) async fn project(&self, dir: &str) -> Result<String, NotAProject> {
        let refuse = |why: &str| Err(NotAProject(format!("{dir}: {why}")));
        if !Path::new(dir).is_absolute() {
            return refuse("must be an absolute path");
        }
        let Ok(path) = tokio::fs::canonicalize(dir).await else { return refuse("does not exist") };
        if !tokio::fs::metadata(&path).await.is_ok_and(|found| found.is_dir()) {
            return refuse("is not a directory");
        }
        if !self.0.iter().any(|root| path.starts_with(root)) {
            return refuse(&format!("lies outside the allowed roots ({})", self.listed()));
        }
        match path.into_os_string().into_string() {
            Ok(path) => Ok(path),
            Err(_) => refuse("is not valid UTF-8"),
        }
    }
}
