//! The real agents, as `cargo xtask agents` and `cargo xtask test` install them below the target directory.

use std::env;
use std::ffi::OsString;
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
    let program = format!("claude{}", env::consts::EXE_SUFFIX);
    installed(&name, |place| {
        platform_package(&place.join("node_modules/@anthropic-ai"), "claude-code-", &program)
    })
}

/// The native codex-acp. Its npm launcher is a process of its own that leaves the program behind when it is killed.
///
/// # Panics
///
/// If it is not installed.
pub fn codex_acp() -> PathBuf {
    let program = format!("bin/codex-acp{}", env::consts::EXE_SUFFIX);
    installed("codex-acp-0.16.0", |place| {
        platform_package(&place.join("node_modules/@zed-industries"), "codex-acp-", &program)
    })
}

/// What npm puts into `PATH` for codex-acp: a script that starts the program.
///
/// # Panics
///
/// If it is not installed.
pub fn codex_acp_launcher() -> PathBuf {
    installed("codex-acp-0.16.0", |place| {
        Some(place.join("node_modules/.bin/codex-acp")).filter(|launcher| launcher.exists())
    })
}

/// OpenCode as an ACP agent.
///
/// # Panics
///
/// If it is not installed.
pub fn opencode() -> Vec<OsString> {
    let program = format!("bin/opencode{}", env::consts::EXE_SUFFIX);
    let program = installed("opencode-1.18.33", |place| {
        platform_package(&place.join("node_modules"), "opencode-", &program)
    });
    vec![program.into(), "acp".into()]
}

/// The ACP adapter for Claude Code, run by the Node.js in `PATH`. It starts what `CLAUDE_CODE_EXECUTABLE` names.
///
/// # Panics
///
/// If it is not installed.
pub fn claude_agent_acp() -> Vec<OsString> {
    let script = "node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js";
    let script = installed("claude-agent-acp-0.49.0", |place| {
        Some(place.join(script)).filter(|script| script.is_file())
    });
    vec!["node".into(), script.into()]
}

fn installed(name: &str, find: impl FnOnce(&Path) -> Option<PathBuf>) -> PathBuf {
    let found = installation(name).and_then(|place| find(&place));
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

/// npm installs the one package with a program that fits the platform, beside the launcher.
fn platform_package(packages: &Path, prefix: &str, program: &str) -> Option<PathBuf> {
    let packages = fs::read_dir(packages).ok()?.map(|entry| entry.unwrap());
    let mut named = packages
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix)));
    named.find_map(|entry| Some(entry.path().join(program)).filter(|program| program.is_file()))
}
