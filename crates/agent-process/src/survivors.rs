//! Ends what is left of an agent's tree when its guard is not there to do it.

use std::collections::HashSet;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use crate::cgroup::Cgroup;
use crate::marker::Marker;
use crate::orphans;
use crate::process_table::{self, Process, ProcessIdentity};

const PAUSE: Duration = Duration::from_millis(10);

/// For a process that the kernel does not let go of; about three seconds.
const MOST_PASSES: u32 = 300;

/// A process that is just starting another program has no environment for an instant, so one look may miss it.
const CLEAN_PASSES: u32 = 2;

/// All that is known of a running agent: enough to find its processes again, even after a restart of the server.
#[derive(Clone, Debug)]
pub(crate) struct Traces {
    pub(crate) marker: Marker,
    pub(crate) guard: Option<ProcessIdentity>,
    pub(crate) agent: Option<ProcessIdentity>,
    pub(crate) cgroup: Option<PathBuf>,
}

impl Traces {
    /// All that can be found by a marker alone.
    pub(crate) fn of_marker(marker: Marker) -> Self {
        Self { marker, guard: None, agent: None, cgroup: None }
    }

    /// Kills every process that these traces lead to, and says how many there were. Blocks, up to three seconds.
    ///
    /// A process is recognised by number and start time, by its ancestors, by its process group while the agent that
    /// leads it is there, by its control group, or by the marker; never by its name.
    pub(crate) fn end_survivors(&self) -> usize {
        let cgroup = self.cgroup.as_ref().and_then(|path| Cgroup::at(path, self.marker));
        let mut killed = HashSet::new();
        let mut clean_passes = 0;
        for _ in 0..MOST_PASSES {
            let found = self.pass(&mut killed);
            cgroup.iter().for_each(Cgroup::kill);
            clean_passes = if found { 0 } else { clean_passes + 1 };
            if clean_passes == CLEAN_PASSES {
                break;
            }
            sleep(PAUSE);
        }
        cgroup.iter().for_each(Cgroup::remove);
        killed.len()
    }

    fn pass(&self, killed: &mut HashSet<ProcessIdentity>) -> bool {
        let table = process_table::snapshot();
        let mut targets = self.of_tree(&table);
        targets.extend(self.marker.bearers());
        // All that lost its guard: no other agent's, for those have theirs.
        targets.extend(orphans::to_be_ended());
        let targets: Vec<_> = targets.into_iter().filter(|target| target.is_running()).collect();
        killed.extend(targets.iter().copied().filter(|target| target.kill()));
        !targets.is_empty()
    }

    fn of_tree(&self, table: &[Process]) -> Vec<ProcessIdentity> {
        let running = |known: Option<ProcessIdentity>| {
            table
                .iter()
                .find(|process| Some(process.identity) == known)
                .map(|process| process.identity)
        };
        let (agent, guard) = (running(self.agent), running(self.guard));
        let roots: Vec<ProcessIdentity> = agent.into_iter().chain(guard).collect();
        let pids: Vec<u32> = roots.iter().map(|root| root.pid).collect();
        let in_group = |process: &&Process| agent.is_some_and(|agent| agent.pid == process.group);
        let group = table.iter().filter(in_group).map(|process| process.identity);
        let below =
            process_table::descendants(table, &pids).into_iter().map(|process| process.identity);
        let own = std::process::id();
        roots.iter().copied().chain(group).chain(below).filter(|target| target.pid != own).collect()
    }
}
