//! Builds the server from its parts and runs it.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use server::{Credentials, Secret, Server};
use session::{AllowedRoots, Environment, Recorder, SessionService, SessionServiceParts};
use store::{Journal, MemoryJournal, SqliteJournal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::agents::Agents;
use crate::announce::Announcement;
use crate::arguments::ServeOptions;
use crate::data_dir::DataDir;
use crate::settings::Settings;
use crate::shutdown::StopSignals;
use crate::{listeners, open_browser};

/// How long requests and sessions have to end once the server is told to stop.
const STOP_DEADLINE: Duration = Duration::from_secs(8);

pub(crate) async fn serve(settings: Settings, options: &ServeOptions) -> anyhow::Result<()> {
    let mut signals = StopSignals::listen()?;
    let listeners = listeners::bind(settings.listen).await.with_context(|| {
        format!("cannot listen on {} (is Liminal Builder running already?)", settings.listen)
    })?;
    let data_dir = settings.data_dir.as_deref().map(DataDir::take).transpose()?;
    let token = Secret::random()?;
    let credentials = Arc::new(Credentials::new(&token));
    let stop = CancellationToken::new();
    let tasks = TaskTracker::new();
    let service = session_service(settings, data_dir.as_ref(), options, &stop, &tasks).await?;
    let settled = service.settle().await.context("the journal cannot be read")?;
    if settled > 0 {
        tracing::info!(
            sessions = settled,
            "the server before this one ended in the middle of them"
        );
    }
    let address = listeners.first().context("there is a listener")?.local_addr()?;
    let url = format!("http://{address}/#login={}", credentials.login_code()?.reveal());
    let server = Server { service: Arc::new(service), credentials, stop: stop.clone() };
    let mut serving = tasks.spawn(server.run(listeners));

    Announcement { url: url.clone(), token: &token }.print(options.ready)?;
    let wants_browser = options.ready.is_none() && !options.no_open;
    let _doorway = wants_browser.then(|| open_browser::open(&url)).flatten();
    tokio::select! {
        () = signals.received() => {}
        ended = &mut serving => ended??,
    }
    tracing::info!("stopping");
    stop.cancel();
    tasks.close();
    if tokio::time::timeout(STOP_DEADLINE, tasks.wait()).await.is_err() {
        tracing::warn!("not everything ended in time");
    }
    Ok(())
}

async fn session_service(
    settings: Settings,
    data_dir: Option<&DataDir>,
    options: &ServeOptions,
    stop: &CancellationToken,
    tasks: &TaskTracker,
) -> anyhow::Result<SessionService> {
    let environment = Environment::default();
    let recorder = options.record.clone().map(Recorder::new).transpose();
    let agents = Agents {
        settings: &settings,
        data_dir,
        environment: environment.clone(),
        tasks: tasks.clone(),
        recorder: recorder.context("cannot record")?,
    };
    let idle_limit = settings.idle_limit;
    let service = SessionService::new(SessionServiceParts {
        providers: agents.registry().await?,
        journal: journal(data_dir)?,
        allowed_roots: AllowedRoots::resolve(settings.allowed_roots).await,
        environment,
        autonomous: settings.autonomous,
        stop: stop.clone(),
        tasks: tasks.clone(),
    });
    Ok(service.with_idle_limit(idle_limit))
}

/// What sessions said, for good where there is a place to keep it.
fn journal(data_dir: Option<&DataDir>) -> anyhow::Result<Arc<dyn Journal>> {
    let Some(data_dir) = data_dir else {
        tracing::warn!("there is no data directory: sessions are forgotten when the server stops");
        return Ok(Arc::new(MemoryJournal::default()));
    };
    let path = data_dir.join("journal.db");
    let journal = SqliteJournal::open(&path);
    Ok(Arc::new(journal.with_context(|| format!("the journal {}", path.display()))?))
}
