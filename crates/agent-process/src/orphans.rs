//! Processes that became the server's because the guard above them was killed.
//!
//! On Linux the server inherits whoever loses its parent below it, as guards do. So what an agent started stays below the server
//! even when the agent killed its own guard: it is recognised as an agent's, it is ended, and its end is collected. There is no
//! exception: what else is started keeps what it leaves behind to itself ([`crate::beside`]).

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::process_table::{self, Process, ProcessIdentity};

static ADOPTS: AtomicBool = AtomicBool::new(false);

/// Children that we started ourselves: whoever started them waits for their end, and nobody else may collect it.
static OWN: Mutex<Vec<ProcessIdentity>> = Mutex::new(Vec::new());

/// From here on this process inherits orphans. Only for one that starts all its children by this crate, since every other
/// child is taken for an orphan.
#[cfg(target_os = "linux")]
pub fn adopt() -> io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    ADOPTS.store(true, Ordering::SeqCst);
    Ok(())
}

/// Elsewhere the first process inherits them.
#[cfg(not(target_os = "linux"))]
pub fn adopt() -> io::Result<()> {
    Ok(())
}

/// Collects the ends of orphans, for which nobody waits.
pub fn collect_ends() {
    let own = lock();
    for ended in adopted(&own).iter().filter(|process| process.is_zombie) {
        if let Some(pid) = process_table::pid(ended.identity.pid) {
            // Who is gone already is as good as collected.
            rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::NOHANG).ok();
        }
    }
}

/// Starts a child; until it is known as ours nobody looks for orphans.
pub(crate) fn start<T>(
    spawn: impl FnOnce() -> io::Result<T>,
    pid: impl FnOnce(&T) -> Option<u32>,
) -> io::Result<T> {
    let mut own = lock();
    let child = spawn()?;
    own.retain(|known| ProcessIdentity::of(known.pid) == Some(*known));
    own.extend(pid(&child).and_then(ProcessIdentity::of));
    Ok(child)
}

/// Orphans of agents and everything below them.
pub(crate) fn to_be_ended() -> Vec<ProcessIdentity> {
    let own = lock();
    let roots = adopted(&own).into_iter().filter(|process| !process.is_zombie);
    let roots: Vec<_> = roots.map(|process| process.identity).collect();
    let pids: Vec<u32> = roots.iter().map(|root| root.pid).collect();
    let below = process_table::descendants(&process_table::snapshot(), &pids);
    roots.into_iter().chain(below.into_iter().map(|process| process.identity)).collect()
}

fn adopted(own: &[ProcessIdentity]) -> Vec<Process> {
    if !ADOPTS.load(Ordering::SeqCst) {
        return Vec::new();
    }
    let (us, own): (u32, HashSet<_>) = (std::process::id(), own.iter().collect());
    let mut children = process_table::snapshot();
    children.retain(|process| process.parent == us && !own.contains(&process.identity));
    children
}

fn lock() -> MutexGuard<'static, Vec<ProcessIdentity>> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}
