//! `liminal ls`: every session, what it does, and what it asks.

use contract::{PermissionRequest, Project, SessionListItem, Sessions};
use serde_json::json;

use super::arguments::ListOptions;
use super::client::segment;
use super::transcript::asked;
use super::{json_line, print};
use crate::terminal::shown;

pub(crate) async fn list(options: ListOptions) -> anyhow::Result<()> {
    let client = options.place.client()?;
    let projects: Vec<Project> = client.get("/api/projects").await?;
    let mut sessions = Vec::new();
    for project in &projects {
        let query = format!("projectId={}&state=all", segment(project.id.as_str()));
        let found: Sessions = client.get(&format!("/api/session/list?{query}")).await?;
        sessions.extend(found.sessions);
    }
    sessions.sort_by_key(|session| std::cmp::Reverse(session.last_active_at));
    let permissions: Vec<PermissionRequest> = client.get("/api/permissions").await?;
    if options.place.json {
        let told = json!({"projects": projects, "sessions": sessions, "permissions": permissions});
        return print(&json_line(&told)?);
    }
    if sessions.is_empty() {
        return print("there are no sessions; `liminal new --cli demo help` starts one");
    }
    print(&table(&projects, &sessions, &permissions))
}

fn table(
    projects: &[Project],
    sessions: &[SessionListItem],
    permissions: &[PermissionRequest],
) -> String {
    let mut lines = Vec::new();
    for session in sessions {
        let project = projects.iter().find(|project| project.id == session.project_id);
        let path = project.map_or("", |project| project.path.as_str());
        lines.push(format!(
            "{}  {:10}  {:12}  {}  {}",
            session.session_id,
            doing(session),
            shown(session.cli_type.as_str()),
            shown(path),
            shown(&session.title),
        ));
        let waiting = permissions.iter().filter(|request| request.session_id == session.session_id);
        lines.extend(waiting.map(|request| format!("  {}", asked(request))));
    }
    lines.join("\n")
}

/// A dead agent does nothing, whatever it did last.
fn doing(session: &SessionListItem) -> String {
    let word = |value: serde_json::Result<serde_json::Value>| {
        value.ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    };
    match session.status {
        contract::SessionState::Open => word(serde_json::to_value(session.activity)),
        contract::SessionState::Loading | contract::SessionState::Dead => {
            word(serde_json::to_value(session.status))
        }
    }
}
