//! What every connection is told besides what sessions do, as messages. All families read it alike.

use contract::ServerMessage;
use session::News;

pub(super) fn message(news: &News) -> ServerMessage {
    match news.clone() {
        News::Archived(session_id) => ServerMessage::SessionArchived { session_id },
        News::Titled { session_id, title } => {
            ServerMessage::SessionTitleUpdated { session_id, title }
        }
        News::ProjectAdded(project) => ServerMessage::ProjectAdded { project },
        News::ProjectRemoved(project_id) => ServerMessage::ProjectRemoved { project_id },
        News::Agent { cli_type, status } => ServerMessage::AgentStatus { cli_type, status },
    }
}
