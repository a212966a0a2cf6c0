//! Whether what lies in a place can have been put there by us alone: settings say which programs are run.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The text of a file that only we, or the superuser, can have written. None if there is none.
pub(crate) fn read_own(path: &Path) -> io::Result<Option<String>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // Of the file that is read, whatever its name may lead to by now.
    let found = file.metadata()?;
    let ours = rustix::process::geteuid().as_raw();
    if found.uid() != ours && found.uid() != 0 {
        return Err(io::Error::other("belongs to another user; it is not used"));
    }
    if found.mode() & 0o022 != 0 && is_reachable(path)? {
        let how = "can be written by others; if what it holds is yours, close it: chmod go-w";
        return Err(io::Error::other(how));
    }
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(Some(text))
}

/// Whether others come to it: in a directory that is ours alone a file's own mode says nothing.
fn is_reachable(path: &Path) -> io::Result<bool> {
    match path.parent() {
        Some(directory) => Ok(fs::metadata(directory)?.mode() & 0o077 != 0),
        None => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn s_25_settings_that_others_can_have_written_are_not_used() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        assert_eq!(read_own(&path).unwrap(), None);
        fs::write(&path, "text").unwrap();
        for (of_dir, of_file, is_used) in [
            (0o700, 0o600, true),
            (0o700, 0o666, true),
            (0o755, 0o644, true),
            (0o777, 0o644, true),
            (0o755, 0o664, false),
            (0o755, 0o646, false),
            (0o750, 0o666, false),
        ] {
            fs::set_permissions(dir.path(), Permissions::from_mode(of_dir)).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(of_file)).unwrap();
            let read = read_own(&path);
            assert_eq!(read.is_ok(), is_used, "{of_dir:o} {of_file:o}: {read:?}");
        }
    }
}
