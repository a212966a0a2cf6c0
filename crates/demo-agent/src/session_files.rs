//! What the agent remembers: one file per session, one record per line, readable by nobody else.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use agent_client_protocol::v1::schema::{SessionId, SessionUpdate};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::mode::Mode;

/// A longer history is replayed up to there.
const MOST_READ: u64 = 64 << 20;
/// Holds the directory and the title, which are the first records.
const HEAD: u64 = 64 << 10;
const MOST_LISTED: usize = 10_000;
const ENDING: &str = "jsonl";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Record {
    Cwd(PathBuf),
    Title(String),
    Mode(Mode),
    /// What was said or done, as the client was told. A streamed message is one record.
    Update(Box<SessionUpdate>),
}

#[derive(Clone, Debug)]
pub(crate) struct SessionFiles {
    directory: PathBuf,
}

/// An open file that grows by whole records.
#[derive(Debug)]
pub(crate) struct SessionFile {
    file: File,
}

/// A session on disk, for those who choose one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) id: SessionId,
    pub(crate) cwd: PathBuf,
    pub(crate) title: String,
    pub(crate) changed: SystemTime,
}

impl SessionFiles {
    pub(crate) fn open(home: &Path) -> io::Result<Self> {
        let directory = home.join("sessions");
        DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
        fs::set_permissions(&directory, Permissions::from_mode(0o700))?;
        Ok(Self { directory })
    }

    /// A file for a new session in this directory.
    pub(crate) fn create(&self, cwd: &Path) -> io::Result<(SessionId, SessionFile)> {
        let id = Uuid::new_v4();
        let file =
            OpenOptions::new().append(true).create_new(true).mode(0o600).open(self.path_of(id))?;
        let mut file = SessionFile { file };
        file.append(&Record::Cwd(cwd.to_owned()))?;
        Ok((SessionId::new(id.to_string()), file))
    }

    /// The file of a session and what it holds; none if there is no such session.
    pub(crate) fn load(&self, id: &SessionId) -> io::Result<Option<(SessionFile, Vec<Record>)>> {
        // Only an id that we could have made is a file name.
        let Some(id) = parsed(&id.0) else { return Ok(None) };
        let opened = OpenOptions::new().read(true).append(true).open(self.path_of(id));
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let bytes = up_to(&file, MOST_READ)?;
        let mut file = SessionFile { file };
        if bytes.last().is_some_and(|last| *last != b'\n') {
            // The process ended while it wrote; the next record gets a line of its own.
            file.file.write_all(b"\n")?;
        }
        Ok(Some((file, records(&bytes))))
    }

    /// Every session that somebody spoke in, the latest first.
    pub(crate) fn list(&self) -> io::Result<Vec<Summary>> {
        let entries = fs::read_dir(&self.directory)?.take(MOST_LISTED).flatten();
        let mut found: Vec<_> = entries.filter_map(|entry| summary(&entry.path())).collect();
        found.sort_by(|one, other| {
            other.changed.cmp(&one.changed).then_with(|| one.id.0.cmp(&other.id.0))
        });
        Ok(found)
    }

    fn path_of(&self, id: Uuid) -> PathBuf {
        self.directory.join(id.to_string()).with_extension(ENDING)
    }
}

impl SessionFile {
    pub(crate) fn append(&mut self, record: &Record) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        // In one piece, so that two writers do not mix their lines.
        self.file.write_all(&line)
    }
}

/// Our own spelling only: others name the same number and another file.
fn parsed(id: &str) -> Option<Uuid> {
    Uuid::parse_str(id).ok().filter(|parsed| parsed.to_string() == id)
}

fn summary(path: &Path) -> Option<Summary> {
    let id = parsed(path.file_stem()?.to_str()?)?;
    if path.extension()?.to_str()? != ENDING {
        return None;
    }
    let file = File::open(path).ok()?;
    let changed = file.metadata().ok()?.modified().ok()?;
    let (mut cwd, mut title) = (None, None);
    for record in records(&up_to(&file, HEAD).ok()?) {
        match record {
            Record::Cwd(found) => cwd = cwd.or(Some(found)),
            Record::Title(found) => title = title.or(Some(found)),
            Record::Mode(_) | Record::Update(_) => {}
        }
    }
    Some(Summary { id: SessionId::new(id.to_string()), cwd: cwd?, title: title?, changed })
}

fn up_to(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Lines that are no records are skipped: half a line is what a crash leaves.
fn records(bytes: &[u8]) -> Vec<Record> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn files() -> (tempfile::TempDir, SessionFiles) {
        let dir = tempfile::tempdir().unwrap();
        let files = SessionFiles::open(&dir.path().join("home")).unwrap();
        (dir, files)
    }

    fn title(text: &str) -> Record {
        Record::Title(text.to_owned())
    }

    #[test]
    fn what_was_written_is_what_is_read() {
        let (_dir, files) = files();
        let (id, mut file) = files.create(Path::new("/project")).unwrap();
        file.append(&title("one\ntwo")).unwrap();
        file.append(&Record::Mode(Mode::ReadOnly)).unwrap();
        let (mut file, records) = files.load(&id).unwrap().unwrap();
        let cwd = Record::Cwd("/project".into());
        assert_eq!(records, [cwd, title("one\ntwo"), Record::Mode(Mode::ReadOnly)]);
        file.append(&title("later")).unwrap();
        assert_eq!(files.load(&id).unwrap().unwrap().1.len(), 4);
    }

    #[test]
    fn half_a_record_costs_only_itself() {
        let (_dir, files) = files();
        let (id, mut file) = files.create(Path::new("/project")).unwrap();
        file.file.write_all(b"{\"title\":\"ha").unwrap();
        let (mut file, records) = files.load(&id).unwrap().unwrap();
        assert_eq!(records.len(), 1);
        file.append(&title("whole")).unwrap();
        assert_eq!(files.load(&id).unwrap().unwrap().1.last(), Some(&title("whole")));
    }

    #[test]
    fn only_ids_are_looked_up() {
        let (dir, files) = files();
        let known = files.create(Path::new("/project")).unwrap().0;
        fs::write(dir.path().join("other.jsonl"), "").unwrap();
        let upper = known.0.to_uppercase();
        for id in ["", "..", "../other", "/etc/passwd", &upper, &Uuid::nil().to_string()] {
            assert!(files.load(&SessionId::new(id)).unwrap().is_none(), "{id}");
        }
    }

    #[test]
    fn nobody_else_may_read_it() {
        let (dir, files) = files();
        let id = files.create(Path::new("/project")).unwrap().0;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&dir.path().join("home")), 0o700);
        assert_eq!(mode(&files.directory), 0o700);
        assert_eq!(mode(&files.path_of(parsed(&id.0).unwrap())), 0o600);
    }

    #[test]
    fn the_list_has_those_somebody_spoke_in_latest_first() {
        let (_dir, files) = files();
        files.create(Path::new("/silent")).unwrap();
        fs::write(files.directory.join("notes.jsonl"), "{}").unwrap();
        for (age, name) in [(30, "old"), (10, "new"), (20, "middle")] {
            let mut file = files.create(Path::new("/project")).unwrap().1;
            file.append(&title(name)).unwrap();
            file.append(&title("not this")).unwrap();
            let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age);
            file.file.set_modified(changed).unwrap();
        }
        let titles: Vec<_> = files.list().unwrap().into_iter().map(|it| it.title).collect();
        assert_eq!(titles, ["new", "middle", "old"]);
    }
}
