//! The file that is run as an agent, and its hash: by it an agent is told from one that somebody put in its place.

use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agent_process::AgentSpec;
use sha2::{Digest as _, Sha256};

/// How much of a file is read at once.
const PIECE: usize = 256 * 1024;

/// Where the program of an agent really lies.
pub(super) fn of(spec: &AgentSpec) -> Option<PathBuf> {
    spec.find_program().ok()?.canonicalize().ok()
}

/// The hash of an agent's program, once somebody has asked for it.
#[derive(Debug, Default)]
pub(super) struct KnownHash(Mutex<Option<Hashed>>);

#[derive(Debug)]
struct Hashed {
    file: FileState,
    sha256: String,
}

/// As long as it is the same, so is the file. The last change of the file's record tells of those who set back the time of
/// a change of its content.
#[derive(Debug, PartialEq, Eq)]
struct FileState {
    path: PathBuf,
    inode: u64,
    length: u64,
    content_changed: (i64, i64),
    record_changed: (i64, i64),
}

impl KnownHash {
    /// In hexadecimal digits; of a file that cannot be read there is none.
    pub(super) async fn of(self: &Arc<Self>, path: PathBuf) -> Option<String> {
        let known = self.clone();
        let hashing = tokio::task::spawn_blocking(move || known.look(&path));
        let hash = hashing.await.ok()?;
        hash.inspect_err(|error| tracing::debug!(%error, "an agent's program cannot be read")).ok()
    }

    /// Whoever asks while the file is read waits for it.
    fn look(&self, path: &Path) -> std::io::Result<String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let file = File::open(path)?;
        // Before it is read: what is written meanwhile makes it another file.
        let state = FileState::of(path, &file.metadata()?);
        if let Some(known) = known.as_ref().filter(|known| known.file == state) {
            return Ok(known.sha256.clone());
        }
        let sha256 = hash(file)?;
        *known = Some(Hashed { file: state, sha256: sha256.clone() });
        Ok(sha256)
    }
}

impl FileState {
    fn of(path: &Path, file: &Metadata) -> Self {
        Self {
            path: path.to_owned(),
            inode: file.ino(),
            length: file.len(),
            content_changed: (file.mtime(), file.mtime_nsec()),
            record_changed: (file.ctime(), file.ctime_nsec()),
        }
    }
}

fn hash(mut file: impl Read) -> std::io::Result<String> {
    let (mut hasher, mut piece) = (Sha256::new(), vec![0; PIECE]);
    loop {
        let length = file.read(&mut piece)?;
        if length == 0 {
            return Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect());
        }
        hasher.update(piece.get(..length).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The examples of FIPS 180-4.
    const OF_ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const OF_NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    async fn hashed(known: &Arc<KnownHash>, path: &Path) -> Option<String> {
        known.of(path.to_owned()).await
    }

    #[tokio::test]
    async fn s_40_a_hash_is_that_of_the_file_and_changes_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let (path, known) = (dir.path().join("agent"), Arc::default());
        fs::write(&path, "abc").unwrap();
        assert_eq!(hashed(&known, &path).await.as_deref(), Some(OF_ABC));
        fs::write(&path, "").unwrap();
        assert_eq!(hashed(&known, &path).await.as_deref(), Some(OF_NOTHING));
        fs::write(&path, vec![b'a'; 1_000_000]).unwrap();
        let long = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        assert_eq!(hashed(&known, &path).await.as_deref(), Some(long), "read in pieces");
    }

    #[tokio::test]
    async fn s_40_a_change_is_seen_though_length_and_time_stay() {
        let dir = tempfile::tempdir().unwrap();
        let (path, known) = (dir.path().join("agent"), Arc::default());
        fs::write(&path, "abd").unwrap();
        let before = fs::metadata(&path).unwrap().modified().unwrap();
        let first = hashed(&known, &path).await;
        let other = dir.path().join("other");
        fs::write(&other, "abc").unwrap();
        File::options().write(true).open(&other).unwrap().set_modified(before).unwrap();
        fs::rename(&other, &path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
        assert_ne!(first.as_deref(), Some(OF_ABC));
        assert_eq!(hashed(&known, &path).await.as_deref(), Some(OF_ABC));
    }

    #[tokio::test]
    async fn a_file_that_stays_is_read_once() {
        let dir = tempfile::tempdir().unwrap();
        let (path, known) = (dir.path().join("agent"), Arc::<KnownHash>::default());
        fs::write(&path, "abc").unwrap();
        hashed(&known, &path).await.unwrap();
        known.0.lock().unwrap().as_mut().unwrap().sha256 = "kept".to_owned();
        assert_eq!(hashed(&known, &path).await.as_deref(), Some("kept"));
        let moved = dir.path().join("moved");
        fs::rename(&path, &moved).unwrap();
        assert_eq!(hashed(&known, &moved).await.as_deref(), Some(OF_ABC), "another path");
    }

    #[tokio::test]
    async fn what_cannot_be_read_has_no_hash() {
        let dir = tempfile::tempdir().unwrap();
        let known = Arc::default();
        assert_eq!(hashed(&known, &dir.path().join("missing")).await, None);
        assert_eq!(hashed(&known, dir.path()).await, None, "a directory");
    }
}
