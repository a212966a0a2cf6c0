//! The directory that holds what a server keeps: ours alone, and one server's at a time.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

#[derive(Debug)]
pub(crate) struct DataDir {
    path: PathBuf,
    /// Held as long as the server runs; the system lets go of it however the server ends.
    _lock: File,
}

impl DataDir {
    /// Makes the directory if it is missing, closes it to others if it was open, and takes it.
    pub(crate) fn take(path: &Path) -> anyhow::Result<Self> {
        // Without a slash at its end, behind which a link would be followed.
        let path = &path.components().collect::<PathBuf>();
        make_private(path).with_context(|| format!("the data directory {}", path.display()))?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
            .open(path.join("lock"))
            .with_context(|| format!("the data directory {}", path.display()))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                bail!(
                    "another Liminal Builder is using {}; stop it, or give --data-dir",
                    path.display()
                )
            }
            Err(TryLockError::Error(error)) => Err(error).context("the data directory's lock"),
        }
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

/// A directory of somebody else, or a link to who knows where, is not ours to write secrets into.
fn make_private(path: &Path) -> anyhow::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let found = fs::symlink_metadata(path)?;
    if found.is_symlink() {
        bail!("is a link");
    }
    // Not by /proc/self: of a process whose memory is private that belongs to root.
    if found.uid() != rustix::process::geteuid().as_raw() {
        bail!("belongs to another user");
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(path, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_for_us_alone_and_closed_if_it_was_open() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data");
        drop(DataDir::take(&path).unwrap());
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!(mode(&path), 0o700);
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        drop(DataDir::take(&path).unwrap());
        assert_eq!(mode(&path), 0o700);
    }

    #[test]
    fn one_server_at_a_time_has_it() {
        let dir = tempfile::tempdir().unwrap();
        let first = DataDir::take(dir.path()).unwrap();
        let error = DataDir::take(dir.path()).unwrap_err().to_string();
        assert!(error.contains("another Liminal Builder"), "{error}");
        drop(first);
        DataDir::take(dir.path()).unwrap();
    }

    #[test]
    fn a_link_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("/tmp", &link).unwrap();
        for spelt in ["link", "link/", "link/.", "link//"] {
            assert!(DataDir::take(&dir.path().join(spelt)).is_err(), "{spelt}");
        }
    }
}
