//! What server and guard say to each other.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::exit::ExitStatus;
use crate::frame::Frame;
use crate::marker::Marker;
use crate::process_table::ProcessIdentity;

/// From the server to the guard. The end of the channel means: kill everything, the server is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Start(Order),
    /// SIGTERM to the agent's process group.
    Terminate,
    /// SIGKILL to everything.
    Kill,
}

/// What to start. It travels here and not on a command line, where everyone could read the environment.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Order {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) directory: OsString,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) marker: Marker,
    /// How many files it may have open at once, unless as many as the server.
    pub(crate) open_files: Option<u64>,
}

/// Without the environment, which holds credentials.
impl std::fmt::Debug for Order {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("Order");
        shown.field("program", &self.program).field("marker", &self.marker).finish_non_exhaustive()
    }
}

/// From the guard to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    Started(Started),
    /// With the error number of the operating system.
    SpawnFailed(i32),
    Stderr(Vec<u8>),
    Exited(ExitStatus),
    /// The last one, with how many processes could not be ended.
    TreeGone(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Started {
    pub(crate) pid: u32,
    /// Missing where the system does not tell start times.
    pub(crate) identity: Option<ProcessIdentity>,
    pub(crate) cgroup: Option<PathBuf>,
}

const START: u8 = 1;
const TERMINATE: u8 = 2;
const KILL: u8 = 3;

const STARTED: u8 = 16;
const SPAWN_FAILED: u8 = 17;
const STDERR: u8 = 18;
const EXITED: u8 = 19;
const TREE_GONE: u8 = 20;

impl Command {
    pub(crate) fn frame(&self) -> io::Result<Frame> {
        match self {
            Self::Start(order) => json_frame(START, order),
            Self::Terminate => Ok(Frame { tag: TERMINATE, payload: Vec::new() }),
            Self::Kill => Ok(Frame { tag: KILL, payload: Vec::new() }),
        }
    }

    pub(crate) fn of(frame: &Frame) -> io::Result<Self> {
        match frame.tag {
            START => Ok(Self::Start(json(frame)?)),
            TERMINATE => Ok(Self::Terminate),
            KILL => Ok(Self::Kill),
            tag => Err(unknown(tag)),
        }
    }
}

impl Report {
    pub(crate) fn frame(&self) -> io::Result<Frame> {
        match self {
            Self::Started(started) => json_frame(STARTED, started),
            Self::SpawnFailed(errno) => json_frame(SPAWN_FAILED, errno),
            Self::Stderr(bytes) => Ok(Frame { tag: STDERR, payload: bytes.clone() }),
            Self::Exited(status) => json_frame(EXITED, status),
            Self::TreeGone(left) => json_frame(TREE_GONE, left),
        }
    }

    pub(crate) fn of(frame: Frame) -> io::Result<Self> {
        match frame.tag {
            STARTED => Ok(Self::Started(json(&frame)?)),
            SPAWN_FAILED => Ok(Self::SpawnFailed(json(&frame)?)),
            STDERR => Ok(Self::Stderr(frame.payload)),
            EXITED => Ok(Self::Exited(json(&frame)?)),
            TREE_GONE => Ok(Self::TreeGone(json(&frame)?)),
            tag => Err(unknown(tag)),
        }
    }
}

fn json_frame(tag: u8, value: &impl Serialize) -> io::Result<Frame> {
    Ok(Frame { tag, payload: serde_json::to_vec(value)? })
}

fn json<T: DeserializeOwned>(frame: &Frame) -> io::Result<T> {
    Ok(serde_json::from_slice(&frame.payload)?)
}

fn unknown(tag: u8) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a frame has the unknown tag {tag}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn every_command_survives_the_channel_and_so_do_bytes_that_are_no_text() {
        let order = Order {
            program: OsString::from_vec(vec![b'/', 0xff]),
            arguments: vec!["--flag".into()],
            directory: OsString::from_vec(vec![0xfe]),
            environment: vec![("KEY".into(), OsString::from_vec(vec![0xfd]))],
            marker: Marker::fresh(),
            open_files: Some(1024),
        };
        for command in [Command::Start(order), Command::Terminate, Command::Kill] {
            assert_eq!(Command::of(&command.frame().unwrap()).unwrap(), command);
        }
    }

    #[test]
    fn every_report_survives_the_channel() {
        let identity = Some(ProcessIdentity { pid: 7, start_time: 8 });
        let reports = [
            Report::Started(Started { pid: 7, identity, cgroup: Some("/group".into()) }),
            Report::SpawnFailed(2),
            Report::Stderr(vec![0, 0xff]),
            Report::Exited(ExitStatus::Signal(9)),
            Report::TreeGone(3),
        ];
        for report in reports {
            assert_eq!(Report::of(report.frame().unwrap()).unwrap(), report);
        }
    }
}
