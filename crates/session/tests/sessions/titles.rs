//! What sessions are called.

use std::sync::Arc;

use contract::{CreateSessionRequest, ErrorCode};
use session::{News, Outbox, Publication};
use testkit::TestService;

use crate::support::Watched;

fn titles(run: &Watched) -> Vec<String> {
    let told = std::iter::from_fn(|| run.connection.with_outbox(Outbox::pop));
    let titles = told.filter_map(|entry| match entry.publication {
        Publication::News(news) => match Arc::unwrap_or_clone(news) {
            News::Titled { title, .. } => Some(title),
            _ => None,
        },
        _ => None,
    });
    titles.collect()
}

async fn listed_title(run: &Watched) -> String {
    let project = run.test.service.projects().await.unwrap().remove(0).id;
    run.test.service.list(&project, true).await.unwrap().remove(0).title
}

#[tokio::test]
async fn a_session_is_called_after_its_first_prompt_and_that_is_told_once() {
    let run = Watched::start().await;
    assert_eq!(listed_title(&run).await, "New Session");
    run.send("  Please fix the flaky\ntest of the outbox, which fails on Mondays  ").await;
    run.send("something else").await;
    run.settle().await;
    let title = "Please fix the flaky test of the outbox, which...";
    assert_eq!(titles(&run), [title]);
    assert_eq!(listed_title(&run).await, title);
}

#[tokio::test]
async fn a_title_that_somebody_chose_stays() {
    let test = TestService::start().await;
    let titled = CreateSessionRequest {
        title: Some("Chosen".to_owned()),
        ..test.create_request("scripted")
    };
    let session = test.service.create(titled).await.unwrap().session_id;
    let connection = test.watch(&session).await;
    let run = Watched { test, session, connection };
    run.send("hello").await;
    run.settle().await;
    assert_eq!(titles(&run), [""; 0]);
    let renamed = run.test.service.rename(&run.session, " Another\none ").await.unwrap();
    assert_eq!(renamed.title, "Another one");
    assert_eq!(titles(&run), ["Another one"]);
    assert_eq!(listed_title(&run).await, "Another one");
    let refused = run.test.service.rename(&run.session, " ").await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::INVALID_REQUEST);
}
