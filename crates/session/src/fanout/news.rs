//! What every connection is told besides what sessions do.

use std::sync::Arc;

use contract::{AgentConnection, CliType, Project, ProjectId, RequestId, SessionId};

use super::subscriber::Subscriber;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    Archived(SessionId),
    Titled { session_id: SessionId, title: String },
    ProjectAdded(Project),
    ProjectRemoved(ProjectId),
    Agent { cli_type: CliType, status: AgentConnection },
}

/// A connection whose request causes what every connection is told: its own copy answers the request.
#[derive(Clone, Debug)]
pub struct Asker {
    pub connection: Arc<Subscriber>,
    pub request_id: Option<RequestId>,
}
