//! What every journal promises of projects.

use contract::{ItemStatus, Project, SessionId, Timestamp};

use super::{newest, record, said};
use crate::{Journal, SessionRecord, Wanted};

pub(super) async fn a_path_is_one_project(journal: &dyn Journal) {
    let project = |id: &str, path: &str| Project {
        id: id.into(),
        path: path.into(),
        name: "name".into(),
        added_at: Timestamp::default(),
    };
    let add = async |id: &str, path: &str| {
        let added = journal.add_project(project(id, path)).await.unwrap();
        (added.project.id.to_string(), added.is_new)
    };
    let listed = async || -> Vec<_> {
        let projects = journal.projects().await.unwrap().into_iter();
        projects.map(|project| project.id.to_string()).collect()
    };
    assert_eq!(add("p1", "/b").await, ("p1".into(), true));
    assert_eq!(add("p2", "/a").await, ("p2".into(), true));
    assert_eq!(add("p3", "/b").await, ("p1".into(), false));
    assert_eq!(listed().await, ["p1", "p2"], "in the order they were added");
    assert!(journal.remove_project(&"p1".into()).await.unwrap());
    assert!(!journal.remove_project(&"p1".into()).await.unwrap(), "it is not there any more");
    assert!(!journal.remove_project(&"p9".into()).await.unwrap());
    assert_eq!(listed().await, ["p2"]);
    assert_eq!(add("p4", "/b").await, ("p1".into(), true), "it comes back as it was");
    assert_eq!(listed().await, ["p1", "p2"]);
}

pub(super) async fn items_of_removed_projects_are_not_found(journal: &dyn Journal) {
    let project = Project {
        id: "hidden".into(),
        path: "/hidden".into(),
        name: "hidden".into(),
        added_at: Timestamp::default(),
    };
    journal.add_project(project.clone()).await.unwrap();
    let id = SessionId::from("in-hidden");
    let record = SessionRecord { project_id: "hidden".into(), ..record(&id) };
    journal.create_session(record).await.unwrap();
    let words = said(&id, ("a", "Watzmann"), (1, 1), ItemStatus::Complete);
    journal.append(&id, vec![words]).await.unwrap();
    let count =
        async || journal.search(Wanted::parse("watzmann").unwrap(), 10).await.unwrap().len();
    assert_eq!(count().await, 1);
    journal.remove_project(&project.id).await.unwrap();
    assert_eq!(count().await, 0);
    assert_eq!(newest(journal, &id, 10).await.entries.len(), 1, "nothing is lost");
    journal.add_project(project).await.unwrap();
    assert_eq!(count().await, 1);
}
