//! Files that only our user may read, and that are nothing but files.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// More than what is kept can become.
const LARGEST: u64 = 1 << 20;

/// Reads a file; None if there is none. A link, another user's file or one that others may read is an error: whoever
/// could write or read it knows what is in it.
pub(super) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    // A pipe is not waited for, and a link not followed.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(rustix::io::Errno::LOOP) => return Err(io::Error::other("is a link")),
        Err(error) => return Err(error.into()),
    };
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("is not a file"));
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("belongs to another user"));
    }
    if found.mode() & 0o077 != 0 {
        return Err(io::Error::other(
            "can be read by others, so what it protects may be known: delete it, or close it with chmod 600",
        ));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Replaces a file at once: whoever reads it finds the old one or the new one, also after a crash.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("new");
    // Left by a crash, or planted: removing a link does not touch what it leads to.
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::open(&unfinished, flags, Mode::RUSR | Mode::WUSR)?);
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    // The new name is on the disk only once its directory is.
    match path.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}
