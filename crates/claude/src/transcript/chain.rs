//! Which lines are the conversation as it stands.
//!
//! A transcript is a tree in the order of writing: taking a prompt back, or two processes on one session, leave branches
//! behind. The conversation is what leads from its last line up to its first.

use std::collections::{HashMap, HashSet};

use super::line::{Kind, Line};

/// The lines of the conversation, in the order of writing. Every line is looked at a bounded number of times.
pub(super) fn conversation<'l, 'a>(lines: &'l [Line<'a>]) -> Vec<&'l Line<'a>> {
    let tree = Tree::of(lines);
    let mut is_kept = vec![false; lines.len()];
    let mut next = tree.last();
    while let Some(index) = next {
        // A line that was met before would lead in circles.
        let Some(kept @ false) = is_kept.get_mut(index) else { break };
        *kept = true;
        next = tree.before(index);
    }
    keep_siblings(lines, &mut is_kept);
    lines.iter().zip(is_kept).filter_map(|(line, is_kept)| is_kept.then_some(line)).collect()
}

struct Tree<'l, 'a> {
    lines: &'l [Line<'a>],
    by_uuid: HashMap<&'l str, usize>,
    /// For each line, the placed one that was written before it.
    written_before: Vec<Option<usize>>,
}

impl<'l, 'a> Tree<'l, 'a> {
    fn of(lines: &'l [Line<'a>]) -> Self {
        let mut by_uuid = HashMap::with_capacity(lines.len());
        let mut written_before = Vec::with_capacity(lines.len());
        let mut latest = None;
        for (index, line) in lines.iter().enumerate() {
            written_before.push(latest);
            if line.is_placed() {
                by_uuid.entry(line.uuid.as_str()).or_insert(index);
                latest = Some(index);
            }
        }
        Self { lines, by_uuid, written_before }
    }

    /// The end of the conversation: as the CLI names it, unless it wrote on after that.
    fn last(&self) -> Option<usize> {
        self.lines.iter().enumerate().rev().find_map(|(index, line)| match line.kind() {
            Kind::LastPrompt => self.by_uuid.get(line.leaf_uuid.as_str()).copied(),
            Kind::User | Kind::Assistant | Kind::Attachment | Kind::System | Kind::Other => {
                line.is_placed().then_some(index)
            }
        })
    }

    /// The line that this one follows. Where that one is lost, the one written before it stands in.
    fn before(&self, index: usize) -> Option<usize> {
        let parent = self.lines.get(index)?.parent()?;
        let found = self.by_uuid.get(parent).copied();
        found.or_else(|| self.written_before.get(index).copied().flatten())
    }
}

/// Calls that were made together fork the tree: each result hangs below its own call, and only one leads on. All blocks
/// of a message that is kept belong to it, and so do the results of its calls.
fn keep_siblings(lines: &[Line<'_>], is_kept: &mut [bool]) {
    let message_ids: Vec<_> = lines
        .iter()
        .map(|line| (line.kind() == Kind::Assistant && line.is_placed()).then(|| line.head().id))
        .collect();
    let messages: HashSet<&str> =
        kept(&message_ids, is_kept).filter_map(|id| id.as_ref()?.given()).collect();
    for (id, is_kept) in message_ids.iter().zip(is_kept.iter_mut()) {
        *is_kept |= id.as_ref().is_some_and(|id| messages.contains(id.as_str()));
    }
    let calls: HashSet<&str> = kept(lines, is_kept)
        .filter(|line| line.kind() == Kind::Assistant)
        .map(|line| line.uuid.as_str())
        .collect();
    for (line, is_kept) in lines.iter().zip(is_kept.iter_mut()) {
        let of_call = line.source_tool_assistant_uuid.given();
        *is_kept |= line.is_placed() && of_call.is_some_and(|call| calls.contains(call));
    }
}

fn kept<'l, T>(all: &'l [T], is_kept: &[bool]) -> impl Iterator<Item = &'l T> {
    all.iter().zip(is_kept).filter_map(|(one, is_kept)| is_kept.then_some(one))
}
