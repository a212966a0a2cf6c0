//! What a process uses, as the system counts it.

use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub(crate) cpu: Duration,
    resident: u64,
}

impl Usage {
    pub(crate) fn of(pid: u32) -> Self {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        let number = |index: usize| fields[index].parse::<u64>().unwrap();
        // In hundredths of a second, and in pages.
        let cpu = Duration::from_millis((number(11) + number(12)) * 10);
        Self { cpu, resident: number(21) * 4096 }
    }

    /// The most memory that it ever had, in megabytes.
    pub(crate) fn peak(pid: u32) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() * 1024.0 / 1e6
    }

    pub(crate) fn megabytes(self) -> f64 {
        self.bytes() / 1e6
    }

    pub(crate) fn bytes(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a size of a benchmark")]
        let bytes = self.resident as f64;
        bytes
    }
}
