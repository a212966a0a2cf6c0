//! Connections that come at the very moment something happens: between what is the case and what is new nothing is lost.

use std::sync::Arc;

use contract::{
    AgentConnection, PermissionAnswer, PermissionId, PermissionRequest, SessionState, SessionStatus,
};
use session::{News, Outbox, Publication, SessionService, Subscriber};
use testkit::{Sample, TestService};

/// As a connection does it: first it is made known, then it is told what is the case.
struct Newcomer {
    connection: Arc<Subscriber>,
    state: Vec<Arc<SessionStatus>>,
}

impl Newcomer {
    fn to(service: &SessionService) -> Self {
        let connection = Arc::new(Subscriber::new(1 << 20));
        service.connect(&connection);
        Self { connection, state: service.current_state() }
    }

    /// How it stands with the agents, as far as it was told.
    fn agent(&self) -> Option<AgentConnection> {
        let mut last = None;
        while let Some(entry) = self.connection.with_outbox(Outbox::pop) {
            if let Publication::News(news) = &entry.publication
                && let News::Agent { status, .. } = **news
            {
                last = Some(status);
            }
        }
        last
    }

    fn has_waiting(&self, id: &PermissionId) -> bool {
        let waiting = self.state.iter().flat_map(|status| status.permissions.iter().flatten());
        let mut waits = waiting.into_iter().any(|request| request.permission_id == *id);
        while let Some(entry) = self.connection.with_outbox(Outbox::pop) {
            let is_it = |request: &PermissionRequest| request.permission_id == *id;
            if matches!(&entry.publication, Publication::PermissionRequested(it) if is_it(it)) {
                waits = true;
            }
            if matches!(&entry.publication, Publication::PermissionResolved(it) if is_it(it)) {
                waits = false;
            }
        }
        waits
    }
}

/// Newcomers, one after the other, until something is the case and then some.
fn newcomers(service: &SessionService, is_over: impl Fn(&SessionService) -> bool) -> Vec<Newcomer> {
    let mut come = Vec::new();
    while !is_over(service) {
        come.push(Newcomer::to(service));
    }
    come.extend((0..10).map(|_| Newcomer::to(service)));
    come
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_comes_while_something_is_asked_or_answered_knows_whether_it_waits() {
    let test = TestService::start().await;
    let (session, _) = test.create("scripted").await;
    for n in 0..150 {
        let id = PermissionId::from(format!("p{n}").as_str());
        let request = Sample::new(&session, "turn").permission(id.as_str());
        let service = test.service.clone();
        let coming = tokio::task::spawn_blocking(move || {
            newcomers(&service, |service| !service.permissions().is_empty())
        });
        let decision = test.agent.ask(request).await;
        let come = coming.await.unwrap();
        // The session has told everything once it takes the next request.
        test.watch(&session).await;
        assert!(come.iter().all(|newcomer| newcomer.has_waiting(&id)), "{id} is asked");

        let service = test.service.clone();
        let coming = tokio::task::spawn_blocking(move || {
            newcomers(&service, |service| service.permissions().is_empty())
        });
        let answer =
            PermissionAnswer { option_id: Some("allow".into()), ..PermissionAnswer::default() };
        test.service.answer(&session, id.clone(), answer).await.unwrap();
        let come = coming.await.unwrap();
        assert!(!come.iter().any(|newcomer| newcomer.has_waiting(&id)), "{id} is answered");
        drop(decision);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_comes_while_an_agent_dies_knows_that_it_is_gone() {
    let test = TestService::start().await;
    let (session, _) = test.create("scripted").await;
    for round in 0..150 {
        let service = test.service.clone();
        let (over, is_over) = std::sync::mpsc::channel();
        let coming = tokio::task::spawn_blocking(move || {
            newcomers(&service, |_| is_over.try_recv().is_ok())
        });
        test.agent.exit(&session, "it is gone").await;
        while test.service.status(&session).await.unwrap().state != SessionState::Dead {
            tokio::task::yield_now().await;
        }
        over.send(()).unwrap();
        let come = coming.await.unwrap();
        test.watch(&session).await;
        let told: Vec<_> = come.iter().map(Newcomer::agent).collect();
        let gone = Some(AgentConnection::Disconnected);
        assert!(told.iter().all(|told| *told == gone), "{round}: {told:?}");
        test.service.load(&session).await.unwrap();
    }
}
