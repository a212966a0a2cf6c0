//! The call, and for tests the one that tells what came of it. Both are about the thread that makes them.
#![expect(
    unsafe_code,
    reason = "no library has these calls; each hands over one value that lives longer than the call"
)]

use std::io;
use std::time::Duration;

use libc::{SYS_sched_setattr, sched_attr, syscall};

/// Long enough for what is usually done at once, and the shortest that the kernel takes.
pub(crate) const SHORT: Duration = Duration::from_micros(100);

/// As every thread has it that asked for nothing else: `SCHED_OTHER`.
const USUAL_POLICY: u32 = 0;
/// What is started from the thread begins with nothing of this: `SCHED_FLAG_RESET_ON_FORK`.
const FOR_NOBODY_ELSE: u64 = 1;
const THIS_THREAD: i32 = 0;
const NO_FLAGS: u32 = 0;

pub(crate) fn ask_for(slice: Duration) -> io::Result<()> {
    let mut wanted = nothing();
    wanted.sched_policy = USUAL_POLICY;
    wanted.sched_flags = FOR_NOBODY_ELSE;
    wanted.sched_nice = rustix::process::getpriority_process(None)?;
    wanted.sched_runtime = u64::try_from(slice.as_nanos()).unwrap_or(u64::MAX);
    // SAFETY: the kernel reads as many bytes of `wanted` as its size says, which are all its own, and keeps nothing of them.
    let result = unsafe { syscall(SYS_sched_setattr, THIS_THREAD, &raw const wanted, NO_FLAGS) };
    checked(result)
}

/// None where the kernel has no slices, or does not tell them.
#[cfg(test)]
pub(crate) fn slice() -> io::Result<Option<Duration>> {
    let mut found = nothing();
    // SAFETY: the kernel writes at most the given size, which is that of `found`, and any bytes are a value of its fields.
    let result = unsafe {
        syscall(libc::SYS_sched_getattr, THIS_THREAD, &raw mut found, found.size, NO_FLAGS)
    };
    checked(result)?;
    Ok((found.sched_runtime > 0).then(|| Duration::from_nanos(found.sched_runtime)))
}

fn nothing() -> sched_attr {
    sched_attr {
        size: u32::try_from(size_of::<sched_attr>()).unwrap_or(0),
        sched_policy: 0,
        sched_flags: 0,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: 0,
        sched_deadline: 0,
        sched_period: 0,
    }
}

fn checked(result: libc::c_long) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
