//! Reading the files in which agents keep their sessions. All of it may block.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use contract::Timestamp;

use super::{ProviderError, ProviderErrorCode};

/// Sessions that a list shows; older ones are left out.
pub(super) const LISTED: usize = 200;
/// As much of a transcript as is read for the list. Of a longer one only the prompts up to here are counted.
pub(super) const LISTED_BYTES: u64 = 16 << 20;
/// The longest transcript that is read. All of it is in memory while it is.
pub(super) const LONGEST: u64 = 256 << 20;

/// When a file was last written; `None` if it is none.
pub(super) fn used_at(path: &Path) -> Option<SystemTime> {
    let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some(found.modified().unwrap_or(UNIX_EPOCH))
}

/// The beginning of a file. What is not UTF-8 is replaced; the lines around it are as good as ever.
pub(super) fn read(path: &Path, limit: u64) -> io::Result<String> {
    // Asked before it is opened: opening a pipe would wait for its writer.
    used_at(path).ok_or(io::ErrorKind::InvalidInput)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

pub(super) fn timestamp(time: SystemTime) -> Timestamp {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Agents name a directory by what it really is, or as they were told.
pub(super) fn is_same_directory(told: &str, project_dir: &Path) -> bool {
    let told = Path::new(told);
    told == project_dir || fs::canonicalize(told).is_ok_and(|told| told == project_dir)
}

/// A directory as it really is, if it is there.
pub(super) fn real_directory(directory: &str) -> PathBuf {
    fs::canonicalize(directory).unwrap_or_else(|_| PathBuf::from(directory))
}

pub(super) fn too_long() -> ProviderError {
    let message = format!("the transcript is longer than {LONGEST} bytes");
    ProviderError::new(ProviderErrorCode::NotSupported, message)
}
