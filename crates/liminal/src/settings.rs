//! Settings: `config.toml` in the data directory, overridden by `LIMINAL_*` variables, overridden by flags.

use std::collections::BTreeMap;
use std::env;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use session::provider::BypassModes;
use session::{Autonomous, Caps};

use crate::agent_settings::{self, AgentSettings, AgentTable};
use crate::arguments::ServeOptions;
use crate::own_files;

const LISTEN: &str = "127.0.0.1:4870";
const IDLE_STOP_MINUTES: u32 = 30;
const DATA_DIR: &str = ".liminal-builder";

#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) listen: SocketAddr,
    pub(crate) allowed_roots: Vec<PathBuf>,
    pub(crate) data_dir: Option<PathBuf>,
    pub(crate) agents: Vec<AgentSettings>,
    pub(crate) autonomous: Autonomous,
    /// Whether connections that ask for no message family get the legacy one.
    pub(crate) legacy_window: bool,
    /// How long an agent may be idle; without it for ever.
    pub(crate) idle_limit: Option<Duration>,
    /// Agents that may run at once, if somebody says.
    pub(crate) max_agents: Option<NonZeroUsize>,
    /// How much is kept.
    pub(crate) caps: Caps,
    /// Whether a session may be set to a mode in which its agent never asks.
    pub(crate) bypass: BypassModes,
}

/// Settings that cannot be used.
#[derive(Debug)]
pub(crate) struct SettingsError(String);

impl SettingsError {
    pub(crate) fn new(message: String) -> Self {
        Self(message)
    }
}

impl std::fmt::Display for SettingsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingsError {}

/// The file. Unknown keys are an error that names them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    listen: Option<String>,
    legacy_window: Option<bool>,
    allowed_roots: Option<Vec<String>>,
    autonomous: Option<String>,
    idle_stop_minutes: Option<u32>,
    max_agents: Option<NonZeroUsize>,
    max_sessions: Option<NonZeroUsize>,
    max_session_bytes: Option<NonZeroU64>,
    allow_bypass: Option<bool>,
    #[serde(default)]
    agents: BTreeMap<String, AgentTable>,
}

impl Settings {
    pub(crate) fn load(options: &ServeOptions) -> Result<Self, SettingsError> {
        let home = env::home_dir();
        let data_dir = options.data_dir.clone().or_else(usual_data_dir);
        let file = match &data_dir {
            Some(dir) => ConfigFile::read_in(dir)?,
            None => ConfigFile::default(),
        };
        let listen = options.listen.as_deref().or(file.listen.as_deref()).unwrap_or(LISTEN);
        let allowed_roots = match (&options.allowed_roots, &file.allowed_roots) {
            (Some(paths), _) => env::split_paths(paths).collect(),
            (None, Some(roots)) => {
                roots.iter().map(|root| expand_home(root, home.as_deref())).collect()
            }
            (None, None) => home.iter().cloned().collect(),
        };
        let agents = agent_settings::agents(&file.agents, home.as_deref())?;
        let autonomous = autonomous(options.autonomous.as_deref().or(file.autonomous.as_deref()))?;
        let legacy_window = options.legacy_window.or(file.legacy_window).unwrap_or(true);
        let idle_limit = idle_limit(options.idle_stop_minutes.or(file.idle_stop_minutes));
        let listen = loopback(listen)?;
        Ok(Self {
            listen,
            allowed_roots,
            data_dir,
            agents,
            autonomous,
            legacy_window,
            idle_limit,
            max_agents: options.max_agents.or(file.max_agents),
            caps: caps(
                options.max_sessions.or(file.max_sessions),
                options.max_session_bytes.or(file.max_session_bytes),
            ),
            bypass: bypass(options.allow_bypass.or(file.allow_bypass)),
        })
    }
}

pub(crate) fn usual_data_dir() -> Option<PathBuf> {
    env::home_dir().map(|home| home.join(DATA_DIR))
}

impl ConfigFile {
    /// The file names programs that are run, so nobody else can have written it.
    fn read_in(dir: &Path) -> Result<Self, SettingsError> {
        let of = |path: &Path, error: &dyn std::fmt::Display| {
            SettingsError(format!("{}: {error}", path.display()))
        };
        let path = &dir.join("config.toml");
        match own_files::read_own(path).map_err(|error| of(path, &error))? {
            Some(text) => toml::from_str(&text).map_err(|error| of(path, &error)),
            None => Ok(Self::default()),
        }
    }
}

fn caps(sessions: Option<NonZeroUsize>, session_bytes: Option<NonZeroU64>) -> Caps {
    let usual = Caps::default();
    Caps {
        sessions: sessions.map_or(usual.sessions, NonZeroUsize::get),
        session_bytes: session_bytes.map_or(usual.session_bytes, NonZeroU64::get),
    }
}

/// None is never.
fn idle_limit(minutes: Option<u32>) -> Option<Duration> {
    let minutes = minutes.unwrap_or(IDLE_STOP_MINUTES);
    (minutes > 0).then(|| Duration::from_secs(60 * u64::from(minutes)))
}

/// An explicit choice for one session is allowed unless somebody says otherwise.
fn bypass(is_allowed: Option<bool>) -> BypassModes {
    if is_allowed.unwrap_or(true) { BypassModes::Allowed } else { BypassModes::Forbidden }
}

fn autonomous(text: Option<&str>) -> Result<Autonomous, SettingsError> {
    match text {
        None | Some("queue") => Ok(Autonomous::Queue),
        Some("preempt") => Ok(Autonomous::Preempt),
        Some(other) => {
            Err(SettingsError(format!("autonomous: {other} is not one of: queue, preempt")))
        }
    }
}

/// Whoever can reach the server can run programs, so it listens to this machine only.
fn loopback(text: &str) -> Result<SocketAddr, SettingsError> {
    let numeric = text.replace("localhost:", "127.0.0.1:");
    let address: SocketAddr = numeric.parse().map_err(|_| {
        SettingsError(format!("listen: {text} is not an address and a port, such as {LISTEN}"))
    })?;
    // Others of 127.0.0.0/8 work too, but nobody calls us by them, and our own page would be refused.
    if ![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)].contains(&address.ip()) {
        let why = "is not 127.0.0.1 or [::1]; the server is reached by loopback only";
        return Err(SettingsError(format!("listen: {text} {why}")));
    }
    Ok(address)
}

pub(crate) fn expand_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(dir: &Path) -> ServeOptions {
        ServeOptions::in_data_dir(Some(dir.to_owned()))
    }

    #[test]
    fn flags_win_over_the_file_and_the_file_over_the_default() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Settings::load(&options(dir.path())).unwrap().listen.to_string(), LISTEN);
        let config = "listen = \"[::1]:5000\"\nallowed_roots = [\"/srv\"]";
        std::fs::write(dir.path().join("config.toml"), config).unwrap();
        let settings = Settings::load(&options(dir.path())).unwrap();
        assert_eq!(settings.listen.to_string(), "[::1]:5000");
        assert_eq!(settings.allowed_roots, [PathBuf::from("/srv")]);
        let flags = ServeOptions {
            listen: Some("localhost:0".into()),
            allowed_roots: Some("/a:/b".into()),
            ..options(dir.path())
        };
        let settings = Settings::load(&flags).unwrap();
        assert_eq!(settings.listen.to_string(), "127.0.0.1:0");
        assert_eq!(settings.allowed_roots, [PathBuf::from("/a"), PathBuf::from("/b")]);
    }

    #[test]
    fn the_compatibility_window_is_open_until_it_is_closed() {
        let dir = tempfile::tempdir().unwrap();
        let window = |options| Settings::load(&options).unwrap().legacy_window;
        assert!(window(options(dir.path())));
        std::fs::write(dir.path().join("config.toml"), "legacy_window = false").unwrap();
        assert!(!window(options(dir.path())));
        assert!(window(ServeOptions { legacy_window: Some(true), ..options(dir.path()) }));
    }

    #[test]
    fn modes_in_which_nothing_is_asked_may_be_chosen_until_they_are_forbidden() {
        let dir = tempfile::tempdir().unwrap();
        let bypass = |options| Settings::load(&options).unwrap().bypass;
        assert_eq!(bypass(options(dir.path())), BypassModes::Allowed);
        std::fs::write(dir.path().join("config.toml"), "allow_bypass = false").unwrap();
        assert_eq!(bypass(options(dir.path())), BypassModes::Forbidden);
        let flag = ServeOptions { allow_bypass: Some(true), ..options(dir.path()) };
        assert_eq!(bypass(flag), BypassModes::Allowed);
    }

    #[test]
    fn idle_agents_are_ended_after_half_an_hour_unless_the_file_says_otherwise() {
        let dir = tempfile::tempdir().unwrap();
        let minutes = |count: u64| Some(Duration::from_secs(60 * count));
        assert_eq!(Settings::load(&options(dir.path())).unwrap().idle_limit, minutes(30));
        for (config, expected) in
            [("idle_stop_minutes = 5", minutes(5)), ("idle_stop_minutes = 0", None)]
        {
            std::fs::write(dir.path().join("config.toml"), config).unwrap();
            assert_eq!(Settings::load(&options(dir.path())).unwrap().idle_limit, expected);
        }
    }

    #[test]
    fn unknown_keys_are_named() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("config.toml"), "lisen = \"127.0.0.1:1\"").unwrap();
        let error = Settings::load(&options(dir.path())).unwrap_err().to_string();
        assert!(error.contains("lisen"), "{error}");
    }

    #[test]
    fn only_loopback_is_listened_to() {
        for refused in [
            "0.0.0.0:4870",
            "192.168.0.1:80",
            "[::]:4870",
            "example.com:80",
            "127.1.2.3:80",
            "4870",
            "",
        ] {
            assert!(loopback(refused).is_err(), "{refused}");
        }
        for taken in ["127.0.0.1:0", "[::1]:80", "localhost:80"] {
            assert!(loopback(taken).is_ok(), "{taken}");
        }
    }
}
