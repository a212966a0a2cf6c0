//! Whether a process was started by one of our agents, so that no agent allows itself what it asks for.

use std::fs;

use crate::marker::{self, Marker};
use crate::process_table;
use crate::records::ProcessRecords;

/// Longer chains do not exist; a table that is read while it changes could show a circle.
const LONGEST_CHAIN: usize = 1000;

impl ProcessRecords {
    /// True for what descends from this server, as all agents do, and for what carries the mark or lives in the control
    /// group of a running agent, should its guard have been killed. A process that cannot be looked at counts as one.
    ///
    /// Where there is no process table to read, nobody can tell, and this is false.
    pub fn is_of_an_agent(&self, pid: u32) -> bool {
        if !cfg!(target_os = "linux") {
            return false;
        }
        let own = std::process::id();
        let chain = ancestors(pid);
        let descends = chain.iter().skip(1).any(|ancestor| *ancestor == own);
        // Ours are not looked at, nor those above: another server's agent may have started this server itself.
        let others = chain.iter().take_while(|ancestor| **ancestor != own);
        let markers = self.markers();
        chain.is_empty() || descends || others.into_iter().any(|pid| is_marked(*pid, &markers))
    }
}

/// The process and those above it, the nearest first; empty if there is no such process.
fn ancestors(pid: u32) -> Vec<u32> {
    let mut chain = Vec::new();
    let mut next = pid;
    while chain.len() < LONGEST_CHAIN {
        let Some(parent) = process_table::parent(next) else { break };
        chain.push(next);
        next = parent;
    }
    chain
}

fn is_marked(pid: u32, markers: &[Marker]) -> bool {
    if markers.is_empty() {
        return false;
    }
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    markers.iter().any(|marker| {
        let entry = format!("{}={}", marker::VARIABLE, marker.text());
        environment.split(|byte| *byte == 0).any(|variable| variable == entry.as_bytes())
            || groups.contains(&marker.text())
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_we_started_is_an_agents_and_we_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let records = ProcessRecords::at(dir.path()).unwrap();
        assert!(!records.is_of_an_agent(std::process::id()));
        assert!(!records.is_of_an_agent(1), "whoever started us is not ours");
        assert!(records.is_of_an_agent(u32::MAX), "who cannot be looked at");
        #[expect(clippy::disallowed_methods, reason = "a child of ours that is no agent will do")]
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let is_of_an_agent = records.is_of_an_agent(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_of_an_agent);
    }
}
