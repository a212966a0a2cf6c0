//! The file of the audit log: appended to, one line in one write, and put aside when it is long.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Lines for years of one person's work, and an end to what a busy script can fill.
const LONGEST: u64 = 16 << 20;
/// Files that are kept beside the newest; the oldest goes.
const KEPT: u32 = 9;

#[derive(Debug)]
pub(super) struct AuditFile {
    path: PathBuf,
    open: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    length: u64,
}

impl AuditFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), open: Mutex::new(Open::at(path)?) })
    }

    /// A line is whole in the file, or not there: what a crash leaves can be read.
    pub(super) fn append(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.length >= LONGEST {
            put_aside(&self.path)?;
            *open = Open::at(&self.path)?;
        }
        let length = open.length;
        write_line(&mut open.file, length, &line)?;
        open.length += line.len() as u64;
        Ok(())
    }
}

/// Where lines go.
trait Target: Write {
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Target for File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

/// A disk may be full in the middle of a line: then the half of it goes, for it would take in the next one.
fn write_line(target: &mut impl Target, length: u64, line: &[u8]) -> io::Result<()> {
    let written = target.write_all(line);
    if written.is_err() {
        target.cut(length)?;
    }
    written
}

impl Open {
    fn at(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
            .open(path)?;
        let found = file.metadata()?;
        if !found.is_file() || found.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other("is not a file of ours"));
        }
        file.set_permissions(Permissions::from_mode(0o600))?;
        Ok(Self { file, length: found.len() })
    }
}

/// `audit.jsonl` becomes `audit.1.jsonl`, that one `audit.2.jsonl`, and so on.
fn put_aside(path: &Path) -> io::Result<()> {
    let older = |n: u32| path.with_extension(format!("{n}.jsonl"));
    for n in (1..KEPT).rev() {
        match fs::rename(older(n), older(n + 1)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    fs::rename(path, older(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_put_aside_and_the_oldest_goes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("audit.jsonl");
        for round in 0..12_u32 {
            let log = AuditFile::open(&path).unwrap();
            log.append(format!("first of {round}").into_bytes()).unwrap();
            log.open.lock().unwrap().length = LONGEST;
            log.append(format!("second of {round}").into_bytes()).unwrap();
        }
        let files = fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(files, KEPT as usize + 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), "second of 11\n");
        let last = fs::read_to_string(dir.path().join("audit.1.jsonl")).unwrap();
        assert_eq!(last, "second of 10\nfirst of 11\n");
    }

    /// So much is free on it.
    struct Disk {
        bytes: Vec<u8>,
        room: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.room - self.bytes.len());
            if taken == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.bytes.extend(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Target for Disk {
        fn cut(&mut self, length: u64) -> io::Result<()> {
            self.bytes.truncate(usize::try_from(length).unwrap());
            Ok(())
        }
    }

    #[test]
    fn s_39_a_line_that_a_full_disk_cuts_is_not_there_and_spoils_no_other() {
        for room in 6..12 {
            let mut disk = Disk { bytes: Vec::new(), room };
            write_line(&mut disk, 0, b"first\n").unwrap();
            let full = write_line(&mut disk, 6, b"second\n").unwrap_err();
            assert_eq!(full.kind(), io::ErrorKind::StorageFull);
            assert_eq!(disk.bytes, b"first\n", "{room}");
            disk.room = 100;
            write_line(&mut disk, 6, b"third\n").unwrap();
            assert_eq!(disk.bytes, b"first\nthird\n", "{room}");
        }
    }

    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (path, target) = (dir.path().join("audit.jsonl"), dir.path().join("target"));
        fs::write(&target, "").unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert!(AuditFile::open(&path).is_err());
    }

    #[test]
    fn an_open_file_is_closed_to_others() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("audit.jsonl");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        AuditFile::open(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }
}
