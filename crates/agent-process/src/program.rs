//! Finds the program of an agent the way a shell in the agent's place would, but never by a `PATH` that leads into its directory:
//! that belongs to whoever wrote the repository.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

use crate::error::SpawnError;
use crate::spec::AgentSpec;

/// What `execvp` searches for a process without a `PATH`.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The absolute path of the spec's program.
///
/// The directory is looked at first: the operating system gives one and the same error for either of them missing.
pub(crate) fn find(spec: &AgentSpec) -> Result<PathBuf, SpawnError> {
    if !spec.directory.is_dir() {
        return Err(SpawnError::MissingDirectory(spec.directory.clone()));
    }
    if spec.program.as_bytes().contains(&b'/') {
        let path = spec.directory.join(&spec.program);
        return match standing(&path) {
            Standing::Executable => Ok(path),
            Standing::Other => Err(SpawnError::NotExecutable(path)),
            Standing::Missing => Err(missing(spec, spec.directory.clone().into())),
        };
    }
    search(spec, search_path(spec))
}

fn search(spec: &AgentSpec, path: &OsStr) -> Result<PathBuf, SpawnError> {
    let mut unusable = None;
    for directory in std::env::split_paths(path).filter(|entry| entry.is_absolute()) {
        let candidate = directory.join(&spec.program);
        match standing(&candidate) {
            Standing::Executable => return Ok(candidate),
            Standing::Other => unusable = unusable.or(Some(candidate)),
            Standing::Missing => {}
        }
    }
    match unusable {
        Some(path) => Err(SpawnError::NotExecutable(path)),
        None => Err(missing(spec, path.to_owned())),
    }
}

/// The environment, but each `PATH` with its absolute entries only: what an agent looks up, such as the interpreter of its own
/// program, is not to come out of its directory either.
pub(crate) fn with_absolute_paths(
    environment: Vec<(OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let kept = |(name, value): (OsString, OsString)| {
        if name != "PATH" {
            return (name, value);
        }
        let entries = std::env::split_paths(&value).filter(|entry| entry.is_absolute());
        let value = std::env::join_paths(entries).unwrap_or_default();
        // An empty one would be the directory of whoever looks.
        let value = if value.is_empty() { DEFAULT_PATH.into() } else { value };
        (name, value)
    };
    environment.into_iter().map(kept).collect()
}

fn search_path(spec: &AgentSpec) -> &OsStr {
    let given = spec.environment.iter().rev().find(|(name, _)| name == "PATH");
    given.map_or(OsStr::new(DEFAULT_PATH), |(_, value)| value)
}

enum Standing {
    Executable,
    Other,
    Missing,
}

fn standing(path: &Path) -> Standing {
    if path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok() {
        Standing::Executable
    } else if path.exists() {
        Standing::Other
    } else {
        Standing::Missing
    }
}

fn missing(spec: &AgentSpec, searched: OsString) -> SpawnError {
    SpawnError::MissingProgram { program: spec.program.clone(), searched }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn spec(program: &str, path: &Path) -> AgentSpec {
        AgentSpec {
            program: program.into(),
            arguments: Vec::new(),
            directory: path.to_owned(),
            environment: vec![("PATH".into(), path.into())],
        }
    }

    fn write(path: &Path, mode: u32) {
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_name_is_looked_up_in_the_agents_own_path() {
        let directory = tempfile::tempdir().unwrap();
        write(&directory.path().join("agent"), 0o755);
        assert_eq!(find(&spec("agent", directory.path())).unwrap(), directory.path().join("agent"));
        let error = find(&spec("sh", directory.path())).unwrap_err();
        assert!(matches!(error, SpawnError::MissingProgram { program, .. } if program == "sh"));
    }

    #[test]
    fn s_22_a_path_that_leads_into_the_directory_of_the_agent_is_not_searched() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("bin")).unwrap();
        write(&directory.path().join("agent"), 0o755);
        write(&directory.path().join("bin/agent"), 0o755);
        for path in ["", ".", ":/nowhere", "/nowhere:", "bin", "./bin:/nowhere", "/nowhere::bin"] {
            let mut spec = spec("agent", directory.path());
            spec.environment = vec![("PATH".into(), path.into())];
            let error = find(&spec).unwrap_err();
            assert!(matches!(error, SpawnError::MissingProgram { .. }), "{path:?}: {error}");
        }
    }

    #[test]
    fn s_22_an_agent_inherits_no_path_that_leads_into_its_directory() {
        let given = [
            ("PATH", ".:/usr/bin::bin:/bin:"),
            ("OTHER", ".:bin"),
            ("PATH", "/a b:/c"),
            ("PATH", ""),
        ];
        let given = given.map(|(name, value)| (name.into(), value.into())).to_vec();
        let kept = with_absolute_paths(given);
        let values: Vec<&str> = kept.iter().map(|(_, value)| value.to_str().unwrap()).collect();
        assert_eq!(values, ["/usr/bin:/bin", ".:bin", "/a b:/c", DEFAULT_PATH]);
    }

    #[test]
    fn a_relative_path_begins_at_the_agents_directory() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("bin")).unwrap();
        write(&directory.path().join("bin/agent"), 0o755);
        assert!(find(&spec("bin/agent", directory.path())).is_ok());
    }

    #[test]
    fn a_file_that_cannot_be_executed_is_told_from_a_missing_one() {
        let directory = tempfile::tempdir().unwrap();
        write(&directory.path().join("agent"), 0o644);
        for program in ["agent", "./agent"] {
            let error = find(&spec(program, directory.path())).unwrap_err();
            assert!(matches!(error, SpawnError::NotExecutable(_)), "{error}");
        }
    }

    #[test]
    fn a_missing_directory_is_named_rather_than_the_program() {
        let error = find(&spec("sh", Path::new("/no/such/directory"))).unwrap_err();
        assert!(matches!(error, SpawnError::MissingDirectory(path) if path.ends_with("directory")));
    }
}
