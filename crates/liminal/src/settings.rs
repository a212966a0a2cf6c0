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
    use std::ffi::OsString;

    use clap::CommandFactory;

    use super::*;
    use crate::arguments::{Arguments, Command};

    fn options(dir: &Path) -> ServeOptions {
        ServeOptions::in_data_dir(Some(dir.to_owned()))
    }

    /// A setting as its variable and its flag are called, one thing that the file may say, and another for the flag.
    struct Row {
        name: &'static str,
        variable: &'static str,
        in_file: (&'static str, &'static str),
        by_flag: (&'static str, &'static str),
        default: &'static str,
        read: fn(&Settings) -> String,
    }

    const TABLE: [Row; 9] = [
        Row {
            name: "listen",
            variable: "LIMINAL_LISTEN",
            in_file: ("\"[::1]:5000\"", "[::1]:5000"),
            by_flag: ("localhost:0", "127.0.0.1:0"),
            default: LISTEN,
            read: |settings| settings.listen.to_string(),
        },
        Row {
            name: "allowed-roots",
            variable: "LIMINAL_ALLOWED_ROOTS",
            in_file: ("[\"/srv\"]", "[\"/srv\"]"),
            by_flag: ("/a:/b", "[\"/a\", \"/b\"]"),
            default: "home",
            read: |settings| {
                let is_default = env::home_dir().as_slice() == settings.allowed_roots;
                if is_default { "home".to_owned() } else { format!("{:?}", settings.allowed_roots) }
            },
        },
        Row {
            name: "legacy-window",
            variable: "LIMINAL_LEGACY_WINDOW",
            in_file: ("false", "false"),
            by_flag: ("true", "true"),
            default: "true",
            read: |settings| settings.legacy_window.to_string(),
        },
        Row {
            name: "autonomous",
            variable: "LIMINAL_AUTONOMOUS",
            in_file: ("\"preempt\"", "Preempt"),
            by_flag: ("queue", "Queue"),
            default: "Queue",
            read: |settings| format!("{:?}", settings.autonomous),
        },
        Row {
            name: "idle-stop-minutes",
            variable: "LIMINAL_IDLE_STOP_MINUTES",
            in_file: ("5", "Some(300s)"),
            by_flag: ("0", "None"),
            default: "Some(1800s)",
            read: |settings| format!("{:?}", settings.idle_limit),
        },
        Row {
            name: "max-agents",
            variable: "LIMINAL_MAX_AGENTS",
            in_file: ("5", "Some(5)"),
            by_flag: ("6", "Some(6)"),
            default: "None",
            read: |settings| format!("{:?}", settings.max_agents),
        },
        Row {
            name: "max-sessions",
            variable: "LIMINAL_MAX_SESSIONS",
            in_file: ("5", "5"),
            by_flag: ("6", "6"),
            default: "100000",
            read: |settings| settings.caps.sessions.to_string(),
        },
        Row {
            name: "max-session-bytes",
            variable: "LIMINAL_MAX_SESSION_BYTES",
            in_file: ("5", "5"),
            by_flag: ("6", "6"),
            default: "4294967296",
            read: |settings| settings.caps.session_bytes.to_string(),
        },
        Row {
            name: "allow-bypass",
            variable: "LIMINAL_ALLOW_BYPASS",
            in_file: ("false", "Forbidden"),
            by_flag: ("true", "Allowed"),
            default: "Allowed",
            read: |settings| format!("{:?}", settings.bypass),
        },
    ];

    fn by_flags(words: &[&str], dir: &Path) -> ServeOptions {
        let words = ["liminal", "serve"].iter().chain(words).map(OsString::from);
        let command = Arguments::read(words).unwrap();
        let Command::Serve(options) = command else { panic!("{command:?}") };
        ServeOptions { data_dir: Some(dir.to_owned()), ..options }
    }

    /// Variables stand in for flags, which is clap's to do; that they are read is shown with the binary.
    #[test]
    fn every_setting_is_had_from_the_file_from_its_variable_and_from_its_flag() {
        let command = <Arguments as CommandFactory>::command();
        let serve = command.find_subcommand("serve").unwrap();
        for Row { name, variable, in_file, by_flag, default, read } in TABLE {
            let argument = serve.get_arguments().find(|argument| argument.get_long() == Some(name));
            assert_eq!(argument.unwrap().get_env().unwrap(), variable);
            let dir = tempfile::tempdir().unwrap();
            let said =
                |words: &[&str]| read(&Settings::load(&by_flags(words, dir.path())).unwrap());
            let flag = format!("--{name}={}", by_flag.0);
            assert_eq!(said(&[]), default, "{name}");
            assert_eq!(said(&[&flag]), by_flag.1, "{name}");
            let line = format!("{} = {}", name.replace('-', "_"), in_file.0);
            std::fs::write(dir.path().join("config.toml"), line).unwrap();
            assert_eq!(said(&[]), in_file.1, "{name}");
            assert_eq!(said(&[&flag]), by_flag.1, "{name}, the flag before the file");
        }
    }

    #[test]
    fn no_setting_is_left_out_of_the_table() {
        let command = <Arguments as CommandFactory>::command();
        let serve = command.find_subcommand("serve").unwrap();
        let with_variable = serve.get_arguments().filter(|argument| argument.get_env().is_some());
        let names: Vec<_> = with_variable.filter_map(clap::Arg::get_long).collect();
        let known: Vec<_> = TABLE.iter().map(|row| row.name).collect();
        let missing: Vec<_> = names.iter().filter(|name| !known.contains(name)).collect();
        assert_eq!(missing, [&"data-dir"], "it says where the file is");
    }

    #[test]
    fn a_value_that_cannot_be_used_is_named_with_its_setting() {
        for (line, words) in [
            ("listen = \"0.0.0.0:1\"", ["listen", "0.0.0.0:1"]),
            ("listen = 4870", ["listen", "4870"]),
            ("allowed_roots = \"/srv\"", ["allowed_roots", "/srv"]),
            ("legacy_window = \"no\"", ["legacy_window", "no"]),
            ("autonomous = \"later\"", ["autonomous", "later"]),
            ("autonomous = true", ["autonomous", "true"]),
            ("idle_stop_minutes = -1", ["idle_stop_minutes", "-1"]),
            ("max_agents = 0", ["max_agents", "0"]),
            ("allow_bypass = 1", ["allow_bypass", "1"]),
        ] {
            let dir = tempfile::tempdir().unwrap();
            std::fs::write(dir.path().join("config.toml"), line).unwrap();
            let error = Settings::load(&options(dir.path())).unwrap_err().to_string();
            assert!(words.iter().all(|word| error.contains(word)), "{line}: {error}");
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
