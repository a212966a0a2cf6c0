//! Which of our own variables an agent gets to see.

use std::ffi::{OsStr, OsString};

use crate::marker;

/// What any program may expect to find, and where agents look for their settings and logins.
///
/// `XDG_RUNTIME_DIR` is not among them: what lies there are the sockets of the user's other services (the session bus, the init
/// system, container engines), by which a process leaves its agent's tree. Who needs it names it.
const ALWAYS: [&str; 14] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_*",
    "TERM",
    "TZ",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
];

/// Nobody means these by the beginning of a name. The first describe the agent that started us, if one did, and would make a new
/// one take itself for it; the others put code into every program that it runs.
const BY_NAME_ONLY: [&str; 5] =
    ["CLAUDECODE", "CLAUDE_CODE_*", "CODEX_THREAD_ID", "LD_*", "DYLD_*"];

/// Our own settings, credentials among them.
const OURS: &str = "LIMINAL_*";

/// The variables of `ours` that are passed on: the basics, and what a pattern in `pass` names.
///
/// A pattern is a name, or the beginning of names followed by `*`. What belongs to an outer agent or to the loader of programs is
/// passed only where `pass` names it in full; what begins with `LIMINAL_` never is.
pub fn allowed_environment(
    pass: &[String],
    ours: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    ours.filter(|(name, _)| is_allowed(name, pass)).collect()
}

fn is_allowed(name: &OsStr, pass: &[String]) -> bool {
    let named_in_full = pass.iter().any(|pattern| name == pattern.as_str());
    if matches(OURS, name) || name == marker::VARIABLE {
        false
    } else if BY_NAME_ONLY.iter().any(|pattern| matches(pattern, name)) {
        named_in_full
    } else {
        ALWAYS.iter().any(|pattern| matches(pattern, name))
            || pass.iter().any(|pattern| matches(pattern, name))
    }
}

fn matches(pattern: &str, name: &OsStr) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.as_encoded_bytes().starts_with(beginning.as_bytes()),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(pass: &[&str], ours: &[&str]) -> Vec<String> {
        let pass: Vec<String> = pass.iter().map(|pattern| (*pattern).to_owned()).collect();
        let ours = ours.iter().map(|name| (OsString::from(name), OsString::from("value")));
        let names = allowed_environment(&pass, ours).into_iter().map(|(name, _)| name);
        names.map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn the_basics_are_always_passed_and_secrets_are_not() {
        let ours = ["PATH", "HOME", "LC_ALL", "LC_TIME", "AWS_SECRET_ACCESS_KEY", "PATHOLOGY"];
        assert_eq!(allowed(&[], &ours), ["PATH", "HOME", "LC_ALL", "LC_TIME"]);
    }

    #[test]
    fn a_pattern_is_a_name_or_a_beginning() {
        let ours = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "HTTPS_PROXY", "HTTPS_PROXY_2"];
        assert_eq!(
            allowed(&["ANTHROPIC_*", "HTTPS_PROXY"], &ours),
            ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "HTTPS_PROXY"]
        );
    }

    #[test]
    fn what_belongs_to_an_outer_agent_must_be_named_in_full() {
        let ours =
            ["CLAUDECODE", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"];
        assert_eq!(allowed(&["*", "CLAUDE_CODE_*"], &ours), ["CLAUDE_CONFIG_DIR"]);
        assert_eq!(allowed(&["CLAUDE_CODE_OAUTH_TOKEN"], &ours), ["CLAUDE_CODE_OAUTH_TOKEN"]);
    }

    /// Thirty that a server may well have, under patterns that fit all of them.
    #[test]
    fn s_26_patterns_pass_no_more_than_is_meant_by_them() {
        let never = ["LIMINAL_TOKEN", "LIMINAL_DATA_DIR", "LIMINAL_LISTEN", "LIMINAL_AGENT"];
        let by_name = [
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "LD_AUDIT",
            "LD_BIND_NOW",
            "DYLD_INSERT_LIBRARIES",
            "DYLD_LIBRARY_PATH",
            "CLAUDECODE",
            "CLAUDE_CODE_SSE_PORT",
            "CLAUDE_CODE_ENTRYPOINT",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CODEX_THREAD_ID",
        ];
        let by_pattern = [
            "CLAUDE_CONFIG_DIR",
            "CODEX_HOME",
            "CODEX_API_KEY",
            "LDAP_URL",
            "XDG_RUNTIME_DIR",
            "AWS_SECRET_ACCESS_KEY",
        ];
        let always = [
            "PATH",
            "HOME",
            "LC_ALL",
            "TMPDIR",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "XDG_CACHE_HOME",
            "XDG_STATE_HOME",
        ];
        let ours = [&never[..], &by_name, &by_pattern, &always].concat();
        assert_eq!(ours.len(), 30);
        assert_eq!(allowed(&[], &ours), always);
        let wide = ["*", "L*", "LD*", "LD_*", "LIMINAL_*", "CLAUDE*", "CLAUDE_CODE_*", "CODEX_*"];
        assert_eq!(allowed(&wide, &ours), [&by_pattern[..], &always].concat());
        let named: Vec<&str> = [&never[..], &by_name].concat();
        assert_eq!(allowed(&named, &ours), [&by_name[..], &always].concat());
    }

    #[test]
    fn our_own_settings_stay_ours_even_if_named() {
        assert!(allowed(&["*", "LIMINAL_TOKEN"], &["LIMINAL_TOKEN", "LIMINAL_AGENT"]).is_empty());
    }
}
