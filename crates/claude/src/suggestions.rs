//! What the agent suggests to be allowed for longer than once.
//!
//! Only what there are words for is kept, and words and grant are made of the same value: what is granted is what was said.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Its form is the agent's. Members that are not here were not told to whoever allows it, and are not granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum Suggestion {
    AddRules { rules: Vec<Rule>, behavior: Behavior },
    AddDirectories { directories: Vec<String> },
    SetMode { mode: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rule {
    tool_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule_content: Option<String>,
}

/// Rules of other kinds are not offered under the word *allow*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Behavior {
    Allow,
}

impl Suggestion {
    /// None for one that cannot be said in words: it is neither offered nor granted.
    pub(crate) fn parse(suggested: Value) -> Option<Self> {
        let suggestion: Self = serde_json::from_value(suggested).ok()?;
        suggestion.says_something().then_some(suggestion)
    }

    fn says_something(&self) -> bool {
        let named = |names: &[&str]| !names.is_empty() && names.iter().all(|name| !name.is_empty());
        match self {
            Self::AddRules { rules, .. } => {
                named(&rules.iter().map(|rule| rule.tool_name.as_str()).collect::<Vec<_>>())
            }
            Self::AddDirectories { directories } => {
                named(&directories.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Self::SetMode { mode } => named(&[mode]),
        }
    }

    /// What it would allow.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::AddRules { rules, .. } => {
                rules.iter().map(Rule::in_words).collect::<Vec<_>>().join(", ")
            }
            Self::AddDirectories { directories } => format!("access to {}", directories.join(", ")),
            Self::SetMode { mode } => format!("mode {mode}"),
        }
    }

    /// The agent would write it into the user's settings; it is only ever granted for this session.
    pub(crate) fn for_session(&self) -> Value {
        let mut granted = json!(self);
        if let Some(members) = granted.as_object_mut() {
            members.insert("destination".to_owned(), json!("session"));
        }
        granted
    }
}

impl Rule {
    fn in_words(&self) -> String {
        let Self { tool_name, rule_content } = self;
        rule_content.as_ref().map_or_else(|| tool_name.clone(), |of| format!("{tool_name}({of})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn granted(suggested: Value) -> Option<(String, Value)> {
        let suggestion = Suggestion::parse(suggested)?;
        Some((suggestion.in_words(), suggestion.for_session()))
    }

    #[test]
    fn what_is_granted_is_what_was_said_and_for_this_session() {
        let rules =
            json!([{ "toolName": "Bash", "ruleContent": "make *" }, { "toolName": "Read" }]);
        let suggested = [
            (
                json!({ "type": "addRules", "rules": rules, "behavior": "allow", "destination": "userSettings" }),
                "Bash(make *), Read",
                json!({ "type": "addRules", "rules": rules, "behavior": "allow", "destination": "session" }),
            ),
            (
                json!({ "type": "addDirectories", "directories": ["/a", "/b"], "destination": "localSettings" }),
                "access to /a, /b",
                json!({ "type": "addDirectories", "directories": ["/a", "/b"], "destination": "session" }),
            ),
            (
                json!({ "type": "setMode", "mode": "acceptEdits" }),
                "mode acceptEdits",
                json!({ "type": "setMode", "mode": "acceptEdits", "destination": "session" }),
            ),
        ];
        for (suggested, words, grant) in suggested {
            assert_eq!(granted(suggested), Some((words.to_owned(), grant)));
        }
    }

    #[test]
    fn what_was_not_said_is_not_granted() {
        let rule = json!({ "toolName": "Bash", "ruleContent": "make", "alsoFor": "sudo make" });
        let suggested = json!({ "type": "addRules", "rules": [rule], "behavior": "allow", "directories": ["/"] });
        let grant = json!({
            "type": "addRules", "rules": [{ "toolName": "Bash", "ruleContent": "make" }],
            "behavior": "allow", "destination": "session",
        });
        assert_eq!(granted(suggested), Some(("Bash(make)".to_owned(), grant)));
    }

    #[test]
    fn what_there_are_no_words_for_is_no_suggestion() {
        let bash = json!({ "toolName": "Bash" });
        let speechless = [
            json!({ "type": "grantEverything" }),
            json!({ "type": "removeRules", "rules": [bash], "behavior": "deny" }),
            json!({ "type": "replaceRules", "rules": [bash], "behavior": "allow" }),
            json!({ "type": "addRules", "rules": [bash], "behavior": "deny" }),
            json!({ "type": "addRules", "rules": [bash] }),
            json!({ "type": "addRules", "rules": [], "behavior": "allow" }),
            json!({ "type": "addRules", "rules": [bash, {}], "behavior": "allow" }),
            json!({ "type": "addRules", "rules": [{ "toolName": "" }], "behavior": "allow" }),
            json!({ "type": "addRules", "rules": [{ "toolName": "Bash", "ruleContent": ["ls"] }], "behavior": "allow" }),
            json!({ "type": "addDirectories", "directories": [] }),
            json!({ "type": "addDirectories", "directories": ["/a", 1] }),
            json!({ "type": "setMode" }),
            json!({ "type": "setMode", "mode": "" }),
            json!({ "rules": [bash], "behavior": "allow" }),
            json!("setMode"),
            json!(null),
        ];
        for suggested in speechless {
            assert_eq!(granted(suggested.clone()), None, "{suggested}");
        }
    }
}
