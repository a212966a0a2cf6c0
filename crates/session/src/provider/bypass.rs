//! Modes in which an agent never asks: how they are known, and whether sessions may run in them.

use contract::{ModeId, ModeInfo};

/// Claude Code's.
pub(super) const CLAUDE_BYPASS: &str = "bypassPermissions";

/// By these, letters only, an agent's id, name or description of a mode says that it does not ask there.
///
/// The protocol has no word for it, and ids alone do not tell: one agent asks in `auto`, another does not. So what is written
/// for people is read. Whatever is taken for such a mode by mistake is only not inherited, or not offered where such modes
/// are forbidden: the agent is in another mode then, which anybody sees.
const NEVER_ASKS: [&str; 12] = [
    "fullaccess",
    "bypass",
    "yolo",
    "dontask",
    "neverask",
    "withoutasking",
    "withoutapproval",
    "withoutpermission",
    "autoapprove",
    "automaticallyapprove",
    "skippermission",
    "dontprompt",
];

/// A mode that is only about these spares the questions about edits: the agent still asks before it runs something.
const EDITS: [&str; 3] = ["edit", "changes files", "write"];
/// By these a description speaks of more.
const MORE_THAN_EDITS: [&str; 7] =
    ["command", "run", "running", "tool", "everything", "any", "all"];

/// Whether an agent asks nothing in this mode, by what it says of its modes.
pub(super) fn never_asks(mode: &ModeId, offered: &[ModeInfo]) -> bool {
    let told = offered.iter().find(|known| known.mode_id == *mode);
    let names = [Some(mode.as_str()), told.map(|told| told.name.as_str())];
    names.into_iter().flatten().any(says_so)
        || told.and_then(|told| told.description.as_deref()).is_some_and(describes_it)
}

fn says_so(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase);
    let letters: String = letters.collect();
    NEVER_ASKS.iter().any(|word| letters.contains(word))
}

fn describes_it(description: &str) -> bool {
    let text = description.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphabetic());
    let is_more = |word: &str| MORE_THAN_EDITS.contains(&word.strip_suffix('s').unwrap_or(word));
    let is_about_edits = EDITS.iter().any(|words| text.contains(words));
    says_so(description) && (!is_about_edits || words.any(is_more))
}

/// Whether sessions may be in modes in which their agents never ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BypassModes {
    /// By an explicit choice for one session, which ends with its agent.
    #[default]
    Allowed,
    /// Not even so: they are not offered, and an agent that goes into one by itself is ended.
    Forbidden,
}

impl BypassModes {
    pub(crate) fn forbids(self, mode: &ModeId, offered: &[ModeInfo]) -> bool {
        self == Self::Forbidden && never_asks(mode, offered)
    }

    /// What may be chosen of what an agent offers, each with whether it asks there.
    pub(crate) fn choosable(self, mut modes: Vec<ModeInfo>) -> Vec<ModeInfo> {
        for mode in &mut modes {
            mode.never_asks = never_asks(&mode.mode_id, std::slice::from_ref(mode));
        }
        modes.retain(|mode| self == Self::Allowed || !mode.never_asks);
        modes
    }
}
