//! Sessions that an agent keeps on its own: read from Codex's files, else told by an agent that is started for it.

use acp::{ListedSession, OpenWhat, Replayed};
use async_trait::async_trait;
use contract::{ItemId, MessageOrigin, ProviderId, SessionId, Timestamp, UpsertBody, UpsertObject};
use recording::HistoryEvent;

use super::AcpProvider;
use super::asking::Told;
use crate::provider::transcript_files::{LISTED, is_same_directory, real_directory};
use crate::provider::{
    AgentSession, ImportedHistory, ProviderError, ProviderErrorCode, Transcripts,
};

/// What recordings of an agent that is only asked for its sessions are called.
const LISTING: &str = "session-list";

#[async_trait]
impl Transcripts for AcpProvider {
    async fn importable(&self, project_dir: &str) -> Result<Vec<AgentSession>, ProviderError> {
        if let Some(rollouts) = &self.rollouts {
            let project_dir = project_dir.to_owned();
            return rollouts.blocking(move |rollouts| rollouts.list(&project_dir)).await;
        }
        let now = self.environment.clock.now();
        let listed = self.listed(project_dir).await?.into_iter();
        let mut sessions: Vec<_> = listed.map(|session| describe(session, now)).collect();
        sessions.sort_by_key(|session| std::cmp::Reverse(session.last_active_at));
        sessions.truncate(LISTED);
        Ok(sessions)
    }

    async fn history(
        &self,
        session: &SessionId,
        project_dir: &str,
    ) -> Result<ImportedHistory, ProviderError> {
        if !is_usable(session.as_str()) {
            let message = "no session is kept under an id that is not made of letters, digits, '-', '_' and '.'";
            return Err(ProviderError::new(ProviderErrorCode::SessionNotFound, message));
        }
        if let Some(rollouts) = &self.rollouts {
            let provider = ProviderId::from(self.cli_type.as_str());
            let (session, project_dir) = (session.clone(), project_dir.to_owned());
            let read =
                move |files: &super::Rollouts| files.history(&session, &provider, &project_dir);
            return rollouts.blocking(read).await;
        }
        self.told_history(session, project_dir).await
    }
}

impl AcpProvider {
    async fn listed(&self, project_dir: &str) -> Result<Vec<ListedSession>, ProviderError> {
        let told = self.ask(&SessionId::from(LISTING), project_dir, OpenWhat::List).await?;
        let project_dir = project_dir.to_owned();
        let here = tokio::task::spawn_blocking(move || {
            let project_dir = real_directory(&project_dir);
            let is_here = |session: &ListedSession| {
                // Some agents list what is elsewhere too.
                let cwd = session.cwd.as_deref();
                cwd.is_none_or(|cwd| is_same_directory(cwd, &project_dir))
            };
            let listed = told.listed.into_iter();
            listed.filter(|it| is_usable(&it.session_id) && is_here(it)).collect()
        });
        here.await.map_err(|error| {
            let message = "the agent's list could not be read";
            ProviderError::new(ProviderErrorCode::SessionCreateFailed, message).caused_by(error)
        })
    }

    /// Only what the agent lists can be read: it would load a session of any other directory too.
    async fn told_history(
        &self,
        session: &SessionId,
        project_dir: &str,
    ) -> Result<ImportedHistory, ProviderError> {
        let mut listed = self.listed(project_dir).await?.into_iter();
        let listed = listed.find(|listed| *session == *listed.session_id).ok_or_else(|| {
            let message = format!("the agent keeps no session {session} of this project");
            ProviderError::new(ProviderErrorCode::SessionNotFound, message)
        })?;
        let agent_session = session.as_str().to_owned();
        let load = OpenWhat::Existing { agent_session, replayed: Replayed::Told };
        let Told { events, .. } = self.ask(session, project_dir, load).await?;
        let prompts: Vec<_> = events.iter().filter_map(prompt).collect();
        let mut described = describe(listed, self.environment.clock.now());
        if described.title.is_empty() {
            described.title = prompts.first().map(ToString::to_string).unwrap_or_default();
        }
        described.prompts = u64::try_from(prompts.len()).unwrap_or(u64::MAX);
        Ok(ImportedHistory { session: described, events })
    }
}

/// Whether an agent's id of a session can be ours too: a name of a file and a part of an address, that lead nowhere else.
pub(super) fn is_usable(id: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=128).contains(&id.len()) && !id.starts_with('.') && id.bytes().all(is_letter)
}

/// How many prompts it holds is not told in a list.
fn describe(listed: ListedSession, now: Timestamp) -> AgentSession {
    let updated_at = listed.updated_at.and_then(|time| time.parse().ok());
    AgentSession {
        id: listed.session_id,
        title: listed.title.unwrap_or_default(),
        created_at: None,
        last_active_at: updated_at.unwrap_or(now),
        prompts: 0,
    }
}

fn prompt(event: &HistoryEvent) -> Option<&contract::Text> {
    let HistoryEvent::Upsert(item) = event else { return None };
    let UpsertObject { turn_id, item_id, body, .. } = &**item;
    match body {
        UpsertBody::Message { content, origin: MessageOrigin::User }
            if *item_id == ItemId::of_user_message(turn_id) =>
        {
            Some(content)
        }
        UpsertBody::Message { .. } | UpsertBody::Thinking { .. } | UpsertBody::ToolCall(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_name_can_be_a_sessions_id() {
        for id in ["01a1e273-a915-74a0-9f37-a8418766dc2d", "ses_1", "a.b", &"x".repeat(128)] {
            assert!(is_usable(id), "{id}");
        }
        for id in
            ["", ".", "..", ".hidden", "a/b", "a b", "ä", "a\n", "a?b", "a%2f", &"x".repeat(129)]
        {
            assert!(!is_usable(id), "{id}");
        }
    }
}
