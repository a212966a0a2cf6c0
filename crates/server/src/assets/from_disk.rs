//! For work on the page: a debug build serves what `npm run build` just wrote, without being built again.

use std::env;
use std::path::Path;

use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::content_type::content_type;
use crate::error::ApiError;

/// The directory to serve from instead of what is embedded.
const DIRECTORY: &str = "LIMINAL_UI_DIR";

/// Nothing when the variable is not set.
pub(super) fn serve(path: &str) -> Option<Response> {
    let directory = env::var_os(DIRECTORY)?;
    Some(read(Path::new(&directory), path).unwrap_or_else(|| ApiError::not_found().into_response()))
}

fn read(directory: &Path, path: &str) -> Option<Response> {
    let root = directory.canonicalize().ok()?;
    let file = root.join(path.trim_start_matches('/')).canonicalize().ok()?;
    if !file.starts_with(&root) {
        return None;
    }
    let headers = [(header::CONTENT_TYPE, content_type(path)), (header::CACHE_CONTROL, "no-store")];
    Some((headers, std::fs::read(file).ok()?).into_response())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn only_files_of_the_directory_are_served() {
        let dir = tempfile::tempdir().unwrap();
        let dist = dir.path().join("dist");
        std::fs::create_dir(&dist).unwrap();
        std::fs::write(dist.join("index.html"), "page").unwrap();
        std::fs::write(dir.path().join("secret"), "no").unwrap();
        assert!(read(&dist, "/index.html").is_some());
        assert!(read(&dist, "/../secret").is_none());
        assert!(read(&dist, "/assets/none.js").is_none());
    }
}
