//! The process table, as `/proc` shows it. Where there is no `/proc` the table is empty.

use std::collections::{HashMap, HashSet};
use std::fs;

use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};

/// A process for good: its number may be given to another one, which then has another start time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProcessIdentity {
    pub(crate) pid: u32,
    /// In ticks since the machine was started.
    pub(crate) start_time: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) identity: ProcessIdentity,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    /// It has ended and waits for its parent to collect its status.
    pub(crate) is_zombie: bool,
}

impl ProcessIdentity {
    /// The process that has this number now.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        read(pid).map(|process| process.identity)
    }

    pub(crate) fn is_running(self) -> bool {
        read(self.pid).is_some_and(|process| process.identity == self && !process.is_zombie)
    }

    /// Sends SIGKILL to this process and to no other, and says whether it was sent.
    pub(crate) fn kill(self) -> bool {
        let Some(pid) = pid(self.pid) else { return false };
        kill_if(pid, || Self::of(self.pid) == Some(self))
    }
}

pub(crate) fn pid(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}

/// The check comes after the process has been taken hold of, so the number cannot pass on in between.
#[cfg(target_os = "linux")]
fn kill_if(pid: Pid, is_the_one: impl FnOnce() -> bool) -> bool {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) => is_the_one() && pidfd_send_signal(process, Signal::KILL).is_ok(),
        // Not every sandbox knows the call.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => kill_by_number(pid, is_the_one),
        Err(_) => false,
    }
}

#[cfg(not(target_os = "linux"))]
fn kill_if(pid: Pid, is_the_one: impl FnOnce() -> bool) -> bool {
    kill_by_number(pid, is_the_one)
}

fn kill_by_number(pid: Pid, is_the_one: impl FnOnce() -> bool) -> bool {
    is_the_one() && rustix::process::kill_process(pid, Signal::KILL).is_ok()
}

/// All processes, zombies included.
pub(crate) fn snapshot() -> Vec<Process> {
    pids().filter_map(read).collect()
}

/// The parent of a process; 0 for one that has none.
pub(crate) fn parent(pid: u32) -> Option<u32> {
    read(pid).map(|process| process.parent)
}

pub(crate) fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The processes of `table` that descend from one of `roots`, the roots not included.
pub(crate) fn descendants(table: &[Process], roots: &[u32]) -> Vec<Process> {
    let mut children: HashMap<u32, Vec<&Process>> = HashMap::new();
    for process in table {
        children.entry(process.parent).or_default().push(process);
    }
    let mut seen: HashSet<u32> = roots.iter().copied().collect();
    let mut ahead = roots.to_vec();
    let mut found = Vec::new();
    while let Some(parent) = ahead.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            if seen.insert(child.identity.pid) {
                ahead.push(child.identity.pid);
                found.push(**child);
            }
        }
    }
    found
}

fn read(pid: u32) -> Option<Process> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse(pid, &String::from_utf8_lossy(&stat))
}

/// The name is in brackets and may hold anything, brackets too; the numbers come after the last one.
fn parse(pid: u32, stat: &str) -> Option<Process> {
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let [state, parent, group, ..] = fields.as_slice() else { return None };
    Some(Process {
        identity: ProcessIdentity { pid, start_time: fields.get(19)?.parse().ok()? },
        parent: parent.parse().ok()?,
        group: group.parse().ok()?,
        is_zombie: matches!(*state, "Z" | "X"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, parent: u32) -> Process {
        let identity = ProcessIdentity { pid, start_time: 1 };
        Process { identity, parent, group: pid, is_zombie: false }
    }

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_shift_the_fields() {
        let numbers = "Z 7 8 9 0 -1 4 1 1 1 1 1 1 1 1 20 0 12 0 4711 1 1";
        let parsed = parse(5, &format!("5 (a) S (b) {numbers}")).unwrap();
        assert_eq!(parsed.identity, ProcessIdentity { pid: 5, start_time: 4711 });
        assert_eq!((parsed.parent, parsed.group, parsed.is_zombie), (7, 8, true));
    }

    #[test]
    fn descendants_are_found_at_any_depth_and_in_any_order() {
        let table = [process(5, 4), process(4, 3), process(3, 1), process(6, 1), process(1, 0)];
        let found = descendants(&table, &[3]);
        assert_eq!(found, [process(4, 3), process(5, 4)]);
    }

    #[test]
    fn a_process_is_not_killed_under_the_start_time_of_another() {
        let own = ProcessIdentity::of(std::process::id()).unwrap();
        assert!(own.is_running());
        let other = ProcessIdentity { start_time: own.start_time + 1, ..own };
        assert!(!other.is_running() && !other.kill());
    }
}
