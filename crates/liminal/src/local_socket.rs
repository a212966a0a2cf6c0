//! The socket in the data directory by which the command line reaches the server that uses it.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use agent_process::ProcessRecords;
use server::LocalDoor;
use tokio::net::UnixListener;

use crate::data_dir::DataDir;

const NAME: &str = "liminal.sock";

/// Where the server that uses this directory listens.
pub(crate) fn path_in(data_dir: &Path) -> PathBuf {
    data_dir.join(NAME)
}

/// Gone from the directory when this is dropped.
pub(crate) struct SocketFile {
    path: PathBuf,
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        fs::remove_file(&self.path).ok();
    }
}

/// Opens the door. The directory is taken, so a socket that is there is of a server that is gone.
pub(crate) fn open(
    data_dir: &DataDir,
    records: ProcessRecords,
) -> io::Result<(LocalDoor, SocketFile)> {
    let path = data_dir.join(NAME);
    if fs::symlink_metadata(&path).is_ok_and(|found| found.file_type().is_socket()) {
        fs::remove_file(&path)?;
    }
    let listener = UnixListener::bind(&path)?;
    // Nobody else reaches into the directory, so nobody comes before this.
    fs::set_permissions(&path, Permissions::from_mode(0o600))?;
    let is_of_an_agent =
        move |pid: i32| u32::try_from(pid).map_or(true, |pid| records.is_of_an_agent(pid));
    Ok((LocalDoor::new(listener, is_of_an_agent), SocketFile { path }))
}
