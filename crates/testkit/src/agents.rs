//! The real agents, as `cargo xtask agents` and `cargo xtask test` install them below the target directory.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A version of Claude Code that tests run. Each is listed in `agents/` of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaudeVersion {
    /// The last one that says what belongs to a turn by order only.
    V2_1_197,
    /// The first one known to us that names the messages of a turn.
    V2_1_325,
}

impl ClaudeVersion {
    pub const ALL: [Self; 2] = [Self::V2_1_197, Self::V2_1_325];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2_1_197 => "2.1.197",
            Self::V2_1_325 => "2.1.325",
        }
    }
}

/// The native program, without the wrapper that npm would start.
///
/// # Panics
///
/// If it is not installed: a test that needs an agent does not pass without.
pub fn claude(version: ClaudeVersion) -> PathBuf {
    let name = format!("claude-{}", version.as_str());
    let found = installation(&name).and_then(|place| native_program(&place));
    found.unwrap_or_else(|| {
        panic!("{name} is not installed for this platform: run `cargo xtask agents`")
    })
}

/// The target directory is above the test that runs, wherever cargo was told to put it.
fn installation(name: &str) -> Option<PathBuf> {
    let program = env::current_exe().unwrap();
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    let candidates = program.ancestors().chain([usual.as_path()]);
    let mut places = candidates.map(|candidate| candidate.join("agents").join(name));
    places.find(|place| place.is_dir())
}

/// npm installs the one platform package that fits, beside the wrapper.
fn native_program(place: &Path) -> Option<PathBuf> {
    let packages = fs::read_dir(place.join("node_modules/@anthropic-ai")).ok()?;
    let mut packages = packages.map(|entry| entry.unwrap().path());
    let package = packages.find(|path| is_platform_package(path.file_name()))?;
    let program = package.join(format!("claude{}", env::consts::EXE_SUFFIX));
    program.is_file().then_some(program)
}

fn is_platform_package(name: Option<&OsStr>) -> bool {
    name.and_then(OsStr::to_str).is_some_and(|name| name.starts_with("claude-code-"))
}
