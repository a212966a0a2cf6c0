//! What is written down about running agents, so that the next start can end what a crash left behind.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::marker::Marker;
use crate::process_table::ProcessIdentity;
use crate::survivors::Traces;

/// One small file per running agent, in a directory of their own.
///
/// Only the server that owns the directory may sweep it, and before it starts agents: a sweep ends whatever is recorded.
#[derive(Clone, Debug)]
pub struct ProcessRecords {
    directory: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    marker: Marker,
    guard_pid: u32,
    guard_start_time: Option<u64>,
    agent_pid: u32,
    agent_start_time: Option<u64>,
    cgroup: Option<PathBuf>,
    /// Numbers and start times mean something only until the machine is started anew.
    boot_id: String,
}

impl ProcessRecords {
    /// Records in this directory, which is made if it is missing, for our user only.
    pub fn at(directory: impl Into<PathBuf>) -> io::Result<Self> {
        let directory = directory.into();
        DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
        Ok(Self { directory })
    }

    /// Ends what an earlier server left behind and forgets it; says how many processes were killed. Blocks.
    pub fn sweep(&self) -> usize {
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) => {
                tracing::warn!(%error, directory = %self.directory.display(), "no process records");
                return 0;
            }
        };
        // Nothing else is ours, and reading a pipe would wait for ever.
        let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
        entries.flatten().filter(is_file).map(|entry| sweep_file(&entry.path())).sum()
    }

    /// The marks of the agents that run.
    pub(crate) fn markers(&self) -> Vec<Marker> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        entries.filter_map(|entry| Marker::parse(entry.path().file_stem()?.to_str()?)).collect()
    }

    /// There is no need to force it to the disk: after a crash of the machine it has no meaning.
    pub(crate) fn write(&self, guard_pid: u32, agent_pid: u32, traces: &Traces) -> io::Result<()> {
        let record = Record {
            marker: traces.marker,
            guard_pid,
            guard_start_time: traces.guard.map(|guard| guard.start_time),
            agent_pid,
            agent_start_time: traces.agent.map(|agent| agent.start_time),
            cgroup: traces.cgroup.clone(),
            boot_id: boot_id(),
        };
        let path = self.path(traces.marker);
        let unfinished = path.with_extension("new");
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
        file.write_all(&serde_json::to_vec(&record)?)?;
        fs::rename(unfinished, path)
    }

    pub(crate) fn remove(&self, marker: Marker) {
        if let Err(error) = fs::remove_file(self.path(marker)) {
            tracing::warn!(%error, marker = marker.text(), "a process record stays behind");
        }
    }

    fn path(&self, marker: Marker) -> PathBuf {
        self.directory.join(marker.text()).with_extension("json")
    }
}

impl Record {
    fn traces(self) -> Traces {
        let identity = |pid, start_time: Option<u64>| {
            start_time.map(|start_time| ProcessIdentity { pid, start_time })
        };
        Traces {
            marker: self.marker,
            guard: identity(self.guard_pid, self.guard_start_time),
            agent: identity(self.agent_pid, self.agent_start_time),
            cgroup: self.cgroup,
        }
    }
}

/// A file that is not named for an agent is not ours and stays.
fn sweep_file(path: &Path) -> usize {
    let Some(marker) = path.file_stem().and_then(|stem| stem.to_str()).and_then(Marker::parse)
    else {
        tracing::warn!(path = %path.display(), "not a process record");
        return 0;
    };
    let killed = traces_of(path, marker).map_or(0, |traces| traces.end_survivors());
    if killed > 0 {
        tracing::warn!(
            killed,
            marker = marker.text(),
            "ended what an agent of an earlier start left behind"
        );
    }
    if let Err(error) = fs::remove_file(path) {
        tracing::warn!(%error, path = %path.display(), "a process record stays behind");
    }
    killed
}

/// A record that cannot be read still has its name, and that is the marker.
fn traces_of(path: &Path, marker: Marker) -> Option<Traces> {
    let record: Result<Record, _> =
        fs::read(path).and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
    match record {
        Ok(record) if record.boot_id != boot_id() => None,
        Ok(record) if record.marker == marker => Some(record.traces()),
        Ok(_) => Some(Traces::of_marker(marker)),
        Err(error) => {
            tracing::warn!(%error, path = %path.display(), "an unreadable process record");
            Some(Traces::of_marker(marker))
        }
    }
}

/// Empty where the system does not tell; start times are missing there too, so nothing can be mistaken.
fn boot_id() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}
