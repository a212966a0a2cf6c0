//! Projects, agents and what is found.

use contract::{ItemStatus, UpsertBody, UpsertObject};
use serde_json::json;
use testkit::{KeptSession, Sample};

use super::{INVALID, NO_CREDENTIAL, NO_PROJECT, NO_SESSION};
use crate::visitor::{Asked, Visitor, at};

pub(super) async fn exercise(visitor: &Visitor) {
    let project = projects(visitor).await;
    imports(visitor, &project).await;
    finding(visitor).await;
    agents(visitor).await;
    visitor.succeed("removeProject", at(&[&project])).await;
    visitor.refused("removeProject", at(&["nowhere"]), NO_PROJECT).await;
}

async fn projects(visitor: &Visitor) -> String {
    let path = json!({ "path": visitor.server.parts.project.path() });
    let added = visitor.succeed("addProject", at(&[]).body(&path)).await.json();
    let known = (409, "DUPLICATE_PROJECT");
    visitor.refused("addProject", at(&[]).body(&path), known).await;
    let outside = json!({ "path": "/etc" });
    visitor.refused("addProject", at(&[]).body(&outside), (400, "INVALID_PATH")).await;
    visitor.succeed("listProjects", Asked::default()).await;
    let stranger = visitor.server.stranger();
    visitor.refused_as(&stranger, "listProjects", Asked::default(), NO_CREDENTIAL).await;
    visitor.succeed("completeDirectory", at(&[]).query("prefix=/")).await;
    visitor.refused("completeDirectory", at(&[]).query("other=/"), INVALID).await;
    added["id"].as_str().unwrap().to_owned()
}

async fn imports(visitor: &Visitor, project: &str) {
    let turn = Sample::new(&"kept".into(), "t");
    let thought = UpsertObject {
        status: ItemStatus::Complete,
        ..UpsertObject::new(
            "t".into(),
            "kept".into(),
            "t:1:0".into(),
            UpsertBody::Thinking { content: "hm".into(), provider_id: "scripted".into() },
        )
    };
    let events = [
        turn.started().into(),
        thought.into(),
        turn.tool("t:1:1", ItemStatus::Complete, Some("done")).into(),
        turn.message("t:1:2", ItemStatus::Complete, "long ago").into(),
        turn.completed().into(),
    ];
    visitor.server.parts.agent.keep(KeptSession::new("kept", "fix it", events));
    visitor.succeed("listImportableSessions", at(&[project])).await;
    visitor.refused("listImportableSessions", at(&["nowhere"]), NO_PROJECT).await;
    let kept = json!({"cliType": "scripted", "providerSessionId": "kept", "projectId": project});
    visitor.succeed("importSession", at(&[]).body(&kept)).await;
    let other = json!({"cliType": "scripted", "providerSessionId": "other", "projectId": project});
    visitor.refused("importSession", at(&[]).body(&other), NO_SESSION).await;
    visitor.succeed("sessionHistory", at(&["kept"])).await;
    for item in ["t:1:0", "t:1:1", "t:1:2"] {
        visitor.succeed("sessionItem", at(&["kept", item])).await;
    }
}

async fn finding(visitor: &Visitor) {
    let found = visitor.succeed("search", at(&[]).query("q=long")).await.json();
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
    visitor.refused("search", at(&[]).query("q=%20"), INVALID).await;
    visitor.refused("search", at(&[]), INVALID).await;
    visitor.succeed("listFiles", at(&["kept"]).query("q=a")).await;
    visitor.refused("listFiles", at(&["nobody"]), NO_SESSION).await;
}

async fn agents(visitor: &Visitor) {
    visitor.succeed("listAgents", at(&[]).query("refresh=true")).await;
    visitor.refused("listAgents", at(&[]).query("refresh=perhaps"), INVALID).await;
}
