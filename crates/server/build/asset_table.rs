//! Writes the Rust table of the files to embed.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::fs;
use std::hash::Hasher;
use std::io;
use std::path::{Path, PathBuf};

use crate::content_type::content_type;

/// Stands in when there is no Node to build the real page with.
const MISSING: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Liminal Builder</title>\
<h1>The web UI was not built</h1><p>Install Node.js 20.19 or newer, then build Liminal Builder again. \
The HTTP and WebSocket API work without it.</p></html>";

pub(crate) fn write(dist: Option<&Path>, table: &Path) -> io::Result<()> {
    let mut rows = String::new();
    match dist {
        None => {
            row(&mut rows, "/index.html", &format!("{MISSING:?}.as_bytes()"), MISSING.as_bytes());
        }
        Some(dist) => {
            for file in files(dist)? {
                let name =
                    file.strip_prefix(dist).unwrap_or(&file).to_string_lossy().replace('\\', "/");
                let bytes = format!("include_bytes!({:?})", file.display().to_string());
                row(&mut rows, &format!("/{name}"), &bytes, &fs::read(&file)?);
            }
        }
    }
    fs::write(table, format!("static ASSETS: &[Asset] = &[\n{rows}];\n"))
}

fn row(rows: &mut String, path: &str, bytes: &str, content: &[u8]) {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    let (kind, etag) = (content_type(path), format!("\"{:016x}\"", hasher.finish()));
    let immutable = path.starts_with("/assets/");
    writeln!(
        rows,
        "    Asset {{ path: {path:?}, bytes: {bytes}, content_type: {kind:?}, etag: {etag:?}, immutable: {immutable} }},"
    )
    .unwrap_or_default();
}

/// All files below, sorted, without the build's own notes.
fn files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let is_note = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if !is_note {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
