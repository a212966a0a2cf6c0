//! Recordings of what passes between us and agents, so that a problem can be reported as a file.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use contract::SessionId;
use recording::{Direction, Entry, Header, Recorded};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

/// Lines that wait for the disk. Past it they are left out of the recording and counted, for a recording must not slow
/// down what it records.
const WAITING: usize = 4096;

/// Makes one file per agent process.
#[derive(Clone, Debug)]
pub struct Recorder {
    directory: PathBuf,
    count: Arc<AtomicU64>,
}

/// The file of one agent.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    entries: mpsc::Sender<Entry>,
    origin: Instant,
    /// Lines that were left out.
    lost: Arc<AtomicU64>,
}

impl Recorder {
    /// Makes the directory if it is not there, for our user only: the names of recordings tell of sessions.
    pub fn new(directory: PathBuf) -> std::io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
        Ok(Self { directory, count: Arc::default() })
    }

    /// Failing to record is told and stops nothing.
    pub(crate) fn start(
        &self,
        session: &SessionId,
        header: &Header,
        tasks: &TaskTracker,
    ) -> Option<Recording> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        // Another server may have recorded the same session.
        let name = format!("{}-{}-{number}.rec.jsonl", file_name(session), std::process::id());
        let path = self.directory.join(name);
        let opened = open(&path).and_then(|mut file| write_line(&mut file, header).map(|()| file));
        let file = match opened {
            Ok(file) => file,
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "the agent is not recorded");
                return None;
            }
        };
        let (entries, waiting) = mpsc::channel(WAITING);
        tasks.spawn_blocking(move || write(file, waiting));
        Some(Recording { entries, origin: Instant::now(), lost: Arc::default() })
    }
}

impl Recording {
    pub(crate) fn line(&self, from: Direction, line: &str) {
        self.push(from, Recorded::Line(line.to_owned()));
    }

    /// The agent's output ended, or its process, or it never began.
    pub(crate) fn agent_event(&self, event: &str) {
        self.push(Direction::Agent, Recorded::Event(event.to_owned()));
    }

    fn push(&self, from: Direction, what: Recorded) {
        let ms = u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX);
        let is_lost = self.entries.try_send(Entry { ms, from, what }).is_err();
        if is_lost && self.lost.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!("the recording has a gap from here on");
        }
    }
}

/// A session that was taken over or imported is called as its agent likes; a file is not.
fn file_name(session: &SessionId) -> String {
    let is_plain = |char: &char| char.is_ascii_alphanumeric() || "-_.:".contains(*char);
    let plain = session.as_str().chars().map(|char| if is_plain(&char) { char } else { '_' });
    plain.take(100).collect()
}

/// Recordings hold whatever was said, so they are for their owner only.
fn open(path: &std::path::Path) -> std::io::Result<BufWriter<File>> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    Ok(BufWriter::new(file))
}

fn write(mut file: BufWriter<File>, mut entries: mpsc::Receiver<Entry>) {
    while let Some(entry) = entries.blocking_recv() {
        // What is recorded is there when the server is killed.
        if let Err(error) = write_line(&mut file, &entry) {
            return tracing::warn!(%error, "the recording ends here");
        }
    }
}

fn write_line(file: &mut BufWriter<File>, value: &impl serde::Serialize) -> std::io::Result<()> {
    serde_json::to_writer(&mut *file, value)?;
    file.write_all(b"\n")?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_called_after_its_session_and_stays_in_its_directory() {
        let uuid = "0b9c0000-1111-4222-8333-444455556666";
        let names =
            [(uuid, uuid), ("claude-code:abc", "claude-code:abc"), ("../../x y", ".._.._x_y")];
        for (session, name) in names {
            assert_eq!(file_name(&session.into()), name);
        }
        assert_eq!(file_name(&"x".repeat(1000).as_str().into()).len(), 100);
    }
}
