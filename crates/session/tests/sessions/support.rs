//! Reading what a connection was told.

use std::sync::Arc;

use contract::{Activity, SessionId, TurnEventKind};
use session::{Outbox, Publication, Subscriber};
use testkit::{Sample, TestService};

/// A service with one scripted session and a connection that watches it.
pub(crate) struct Watched {
    pub(crate) test: TestService,
    pub(crate) session: SessionId,
    pub(crate) connection: Arc<Subscriber>,
}

impl Watched {
    pub(crate) async fn start() -> Self {
        Self::of_type("scripted").await
    }

    pub(crate) async fn of_type(cli_type: &str) -> Self {
        Self::on(TestService::start().await, cli_type).await
    }

    pub(crate) async fn on(test: TestService, cli_type: &str) -> Self {
        let (session, _) = test.create(cli_type).await;
        let connection = test.watch(&session).await;
        Self { test, session, connection }
    }

    pub(crate) fn sample(&self, turn: &str) -> Sample {
        Sample::new(&self.session, turn)
    }

    pub(crate) async fn send(&self, content: &str) -> contract::SessionSent {
        let request = TestService::send_request(content);
        self.test.service.send(&self.session, request).await.unwrap().answer().await.unwrap()
    }

    pub(crate) async fn activity(&self) -> Activity {
        self.test.service.status(&self.session).await.unwrap().activity
    }

    /// Waits until everything that was emitted has been handled, then tells what the connection got, a line each.
    pub(crate) async fn story(&self) -> Vec<String> {
        self.settle().await;
        std::iter::from_fn(|| self.connection.with_outbox(Outbox::pop))
            .filter_map(|entry| tell(&entry.publication))
            .collect()
    }

    /// Asks the session often enough that it has also taken in what was emitted before.
    pub(crate) async fn settle(&self) {
        for _ in 0..3 {
            self.test
                .service
                .resync(&self.session, &Arc::new(Subscriber::new(1)), None, None)
                .await
                .unwrap();
            tokio::task::yield_now().await;
        }
    }
}

/// History, status and news are left out: tests that care look at them themselves.
fn tell(publication: &Publication) -> Option<String> {
    match publication {
        Publication::Upsert(upsert) => {
            let code = upsert.error_code.as_ref().map_or(String::new(), |code| format!(" {code}"));
            let content = upsert.content().map_or(String::new(), |content| format!(" {content:?}"));
            Some(format!(
                "{} {} {:?}{code}{content}",
                upsert.seq.unwrap().0,
                upsert.item_id,
                upsert.status
            ))
        }
        Publication::Turn(event) => {
            let kind = match &event.kind {
                TurnEventKind::TurnStarted { .. } => "started".to_owned(),
                TurnEventKind::TurnComplete { status, .. } => format!("{status:?}"),
                TurnEventKind::TurnError { error_code, .. } => format!("failed {error_code}"),
            };
            Some(format!("{} {} {kind}", event.seq.unwrap().0, event.turn_id))
        }
        Publication::PermissionRequested(request) => {
            Some(format!("{} requested", request.permission_id))
        }
        Publication::PermissionResolved(request) => {
            Some(format!("{} {:?}", request.permission_id, request.outcome.unwrap()))
        }
        Publication::Plan(plan) => {
            let steps =
                plan.entries.iter().map(|step| format!(" {} {}", step.status, step.content));
            Some(format!("plan:{}", steps.collect::<String>()))
        }
        Publication::Problem(problem) => Some(format!("problem: {}", problem.message)),
        Publication::History(_)
        | Publication::Status(_)
        | Publication::Glance(_)
        | Publication::Created(_)
        | Publication::News(_) => None,
    }
}
