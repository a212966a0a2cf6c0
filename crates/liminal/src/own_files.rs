//! Whether what lies in a place can have been put there by us alone: settings say which programs are run.

use std::fs::{self, File, Metadata};
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
    check(&file.metadata()?)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(Some(text))
}

/// Into a directory that others can write, they can put a file that looks like ours. One that is not there is no danger.
pub(crate) fn check_own_directory(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) => check(&found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn check(found: &Metadata) -> io::Result<()> {
    let ours = rustix::process::geteuid().as_raw();
    if found.uid() != ours && found.uid() != 0 {
        return Err(io::Error::other("belongs to another user; it is not used"));
    }
    if found.mode() & 0o022 != 0 {
        let how = "can be written by others; if what it holds is yours, close it: chmod go-w";
        return Err(io::Error::other(how));
    }
    Ok(())
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
        for (mode, is_used) in
            [(0o600, true), (0o644, true), (0o664, false), (0o646, false), (0o666, false)]
        {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let read = read_own(&path);
            assert_eq!(read.is_ok(), is_used, "{mode:o}: {read:?}");
        }
        for (mode, is_used) in [(0o700, true), (0o755, true), (0o775, false), (0o1777, false)] {
            fs::set_permissions(dir.path(), Permissions::from_mode(mode)).unwrap();
            assert_eq!(check_own_directory(dir.path()).is_ok(), is_used, "{mode:o}");
        }
    }
}
