//! The guard: the parent of one agent, which outlives the server for as long as it takes to end the agent's tree.
//!
//! It is a process of its own, without a runtime and with one thread. Its standard input and output are the agent's, its
//! standard error is the control channel. It sits in a session of its own, so that neither ^C nor the end of the terminal
//! reaches it or the agent, and so that the agent has no terminal to ask questions on. SIGTERM to the guard itself does
//! end it: then the server, or the next start's sweep, ends the tree.

mod agent;
mod control;

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use self::agent::Agent;
use self::control::Control;
use crate::cgroup::Cgroup;
use crate::marker::Marker;
use crate::message::{Command, Report, Started};
use crate::open_files::allow_open_files;
use crate::process_table::{self, Process};

/// Misuse of the command line, as `sysexits.h` numbers it.
const MISUSED: u8 = 64;

/// Between two looks at what is left of the tree.
const PAUSE: Duration = Duration::from_millis(2);

/// For a process that the kernel does not let go of; about three seconds.
const MOST_PASSES: u32 = 1500;

/// Guards one agent until its tree is gone. The whole life of the process: a subcommand calls this and nothing else.
pub fn run() -> ExitCode {
    let control = match Control::from_stderr() {
        Ok(control) => control,
        Err(error) => {
            // Nobody is left to tell if even this cannot be written.
            writeln!(io::stderr(), "this command is for the server's own use: {error}").ok();
            return ExitCode::from(MISUSED);
        }
    };
    match guard(control) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn guard(mut control: Control) -> io::Result<()> {
    detach();
    let order = control.read_order()?;
    order.open_files.into_iter().for_each(allow_open_files);
    let cgroup = Cgroup::make(order.marker);
    let spawned = Agent::spawn(&order);
    match spawned {
        Ok(agent) => Guard { control, agent, cgroup, marker: order.marker }.run(),
        Err(error) => {
            cgroup.iter().for_each(Cgroup::remove);
            control.push(&Report::SpawnFailed(error.raw_os_error().unwrap_or_default()))?;
            control.flush_all();
            Ok(())
        }
    }
}

/// Each of these may fail without harm to the agent.
fn detach() {
    // What we open is closed for the agent anyway; this is for what the server itself was started with.
    close_fds::set_fds_cloexec(3, &[]);
    rustix::process::setsid().ok();
    std::env::set_current_dir("/").ok();
    // Whoever loses its parent becomes our child, instead of a child of the first process.
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).ok();
}

struct Guard {
    control: Control,
    agent: Agent,
    cgroup: Option<Cgroup>,
    marker: Marker,
}

impl Guard {
    /// Whatever goes wrong while the agent runs, its tree is ended.
    fn run(mut self) -> io::Result<()> {
        let watched = self.watch();
        let finished = self.finish();
        watched.and(finished)
    }

    fn watch(&mut self) -> io::Result<()> {
        agent::let_go_of_its_pipes()?;
        let cgroup = self.cgroup.as_ref().map(|cgroup| cgroup.directory().to_owned());
        let (pid, identity) = (self.agent.pid(), self.agent.identity());
        self.control.push(&Report::Started(Started { pid, identity, cgroup }))?;
        self.fill_cgroup();
        while self.agent.status().is_none() {
            self.wait_for_news()?;
            self.follow_commands();
            self.control.flush();
            self.relay_stderr()?;
            self.agent.collect();
        }
        Ok(())
    }

    /// After the server was told: it is not to wait for this.
    fn fill_cgroup(&mut self) {
        let pid = self.agent.pid();
        if let Some(empty) = self.cgroup.take_if(|cgroup| !cgroup.take_in(pid)) {
            empty.remove();
        }
    }

    /// Sleeps until the server, the agent's standard error, or the end of the agent has something for us.
    ///
    /// Standard error is left alone while a frame waits to be sent: the agent then waits for the server, we do not.
    fn wait_for_news(&self) -> io::Result<()> {
        let mut watched = Vec::with_capacity(3);
        if self.control.is_open() {
            let room = if self.control.is_flushed() { PollFlags::empty() } else { PollFlags::OUT };
            watched.push(PollFd::new(&self.control, PollFlags::IN | room));
        }
        if let Some(stderr) = self.agent.stderr().filter(|_| self.control.is_flushed()) {
            watched.push(PollFd::new(stderr, PollFlags::IN));
        }
        if let Some(end) = self.agent.end_notice() {
            watched.push(PollFd::new(end, PollFlags::IN));
        }
        let longest = Timespec::try_from(self.agent.longest_sleep()).map_err(io::Error::other)?;
        match poll(&mut watched, Some(&longest)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn follow_commands(&mut self) {
        while let Some(command) = self.control.next_command() {
            match command {
                Some(Command::Terminate) => self.agent.terminate(),
                // The end of the channel is the end of the server. A second order is nothing a server would send.
                Some(Command::Kill | Command::Start(_)) | None => self.kill_tree(),
            }
        }
    }

    fn relay_stderr(&mut self) -> io::Result<()> {
        if self.control.is_flushed()
            && let Some(bytes) = self.agent.read_stderr()
        {
            self.control.push(&Report::Stderr(bytes))?;
        }
        Ok(())
    }

    fn kill_tree(&self) {
        self.cgroup.iter().for_each(Cgroup::kill);
        self.kill(&tree());
    }

    /// The agent first, so that it starts nothing new meanwhile.
    fn kill(&self, tree: &[Process]) {
        self.agent.kill();
        for process in tree.iter().filter(|process| !process.is_zombie) {
            process.identity.kill();
        }
    }

    /// Ends what the agent left behind, then tells the rest of its standard error and how it ended.
    fn finish(mut self) -> io::Result<()> {
        let left = self.end_tree();
        self.cgroup.iter().for_each(Cgroup::remove);
        while let Some(bytes) = self.agent.read_stderr() {
            self.control.push(&Report::Stderr(bytes))?;
        }
        if let Some(status) = self.agent.status() {
            self.control.push(&Report::Exited(status))?;
        }
        self.control.push(&Report::TreeGone(left))?;
        self.control.flush_all();
        Ok(())
    }

    /// Repeats until nothing is left, since what is being killed may start others; says how many stayed.
    fn end_tree(&mut self) -> usize {
        self.cgroup.iter().for_each(Cgroup::kill);
        for _ in 0..MOST_PASSES {
            self.agent.collect();
            let left = tree();
            let is_ended = self.agent.status().is_some() && left.is_empty();
            if is_ended && self.marker.kill_bearers() == 0 {
                return 0;
            }
            self.kill(&left);
            sleep(PAUSE);
        }
        tree().len()
    }
}

/// Everything below us: the agent and its descendants, whatever has become of their parents.
fn tree() -> Vec<Process> {
    process_table::descendants(&process_table::snapshot(), &[std::process::id()])
}
