//! A control group per agent, where the system lets us have one: whatever the agent starts cannot leave it.
//!
//! A second net below the process tree, never a condition: all that fails here is passed over in silence, since on most
//! desktops it does.

use std::fs;
use std::path::{Path, PathBuf};

use crate::marker::Marker;

const MEMBERS: &str = "cgroup.procs";

/// The group of one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cgroup {
    directory: PathBuf,
}

impl Cgroup {
    /// Makes the group, empty.
    pub(crate) fn make(marker: Marker) -> Option<Self> {
        let directory = own_group()?.join(name(marker));
        fs::create_dir(&directory).ok()?;
        Some(Self { directory })
    }

    /// Moves a process into the group, and with it whatever it starts from then on. Tells whether that went well.
    ///
    /// It takes the kernel milliseconds, so the agent is not kept waiting for it: what it starts before is in the other net.
    pub(crate) fn take_in(&self, pid: u32) -> bool {
        fs::write(self.directory.join(MEMBERS), pid.to_string()).is_ok()
    }

    /// The group at a path that was written down earlier, if it is the one of that agent.
    pub(crate) fn at(directory: &Path, marker: Marker) -> Option<Self> {
        (directory.file_name()? == name(marker).as_str())
            .then(|| Self { directory: directory.to_owned() })
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(crate) fn kill(&self) {
        // Kernels before 5.14 do not have it.
        fs::write(self.directory.join("cgroup.kill"), "1").ok();
    }

    /// Works once no process is left inside.
    pub(crate) fn remove(&self) {
        fs::remove_dir(&self.directory).ok();
    }
}

fn name(marker: Marker) -> String {
    format!("liminal-{}", marker.text())
}

fn own_group() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    locate(&mounts, &groups)
}

/// Where the mount of version 2 shows the group that `groups` names.
fn locate(mounts: &str, groups: &str) -> Option<PathBuf> {
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let (root, mount_point) = mounts.lines().find_map(version_2_mount)?;
    let below = Path::new(own).strip_prefix(root).ok()?;
    Some(Path::new(mount_point).join(below))
}

fn version_2_mount(line: &str) -> Option<(&str, &str)> {
    let (mount, kind) = line.split_once(" - ")?;
    let mut fields = mount.split(' ').skip(3);
    kind.starts_with("cgroup2 ").then_some((fields.next()?, fields.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYBRID: &str = "30 24 0:25 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
                          31 30 0:26 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n\
                          32 30 0:27 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n";

    #[test]
    fn the_own_group_is_found_beside_groups_of_version_1() {
        assert_eq!(
            locate(HYBRID, "4:memory:/elsewhere\n0::/user.slice/app\n"),
            Some(PathBuf::from("/sys/fs/cgroup/unified/user.slice/app"))
        );
    }

    #[test]
    fn a_mount_that_shows_only_a_part_is_reckoned_from_there() {
        let mounts = "32 30 0:27 /box /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        assert_eq!(locate(mounts, "0::/box/inner\n"), Some(PathBuf::from("/sys/fs/cgroup/inner")));
        assert_eq!(locate(mounts, "0::/other\n"), None);
    }

    #[test]
    fn a_path_that_is_not_named_for_the_agent_is_not_its_group() {
        let marker = Marker::fresh();
        assert_eq!(Cgroup::at(Path::new("/sys/fs/cgroup/user.slice"), marker), None);
        assert!(Cgroup::at(&Path::new("/sys/fs/cgroup").join(name(marker)), marker).is_some());
    }
}
