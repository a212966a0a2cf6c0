//! Builds the server from its parts and runs it.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use contract::{Activity, SessionStatus};
use server::{Audit, Credentials, Drain, Limits, LocalDoor, Secret, Server};
use session::{AllowedRoots, Environment, Recorder, Secrets, SessionService, SessionServiceParts};
use store::{Journal, MemoryJournal, SqliteJournal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::agent_settings::EXTERNAL;
use crate::agents::Agents;
use crate::announce::Announcement;
use crate::arguments::ServeOptions;
use crate::data_dir::DataDir;
use crate::local_socket::SocketFile;
use crate::predecessor::{self, TakenOver};
use crate::settings::Settings;
use crate::shutdown::StopSignals;
use crate::{agents, listeners, local_socket, open_browser, orphans};

/// Where hashes of cookies and tokens are kept.
pub(crate) const CREDENTIALS: &str = "credentials.json";
/// Who changed what.
pub(crate) const AUDIT: &str = "audit.jsonl";

/// How long turns may run on once the server is told to stop.
const DRAIN: Duration = Duration::from_secs(4);
/// How long requests and sessions have to end after that.
const STOP_DEADLINE: Duration = Duration::from_secs(5);
/// How often it is looked whether turns still run.
const LOOK: Duration = Duration::from_millis(50);

pub(crate) async fn serve(
    settings: Settings,
    options: &ServeOptions,
    secrets: &Secrets,
) -> anyhow::Result<()> {
    let mut signals = StopSignals::listen()?;
    let listeners = listeners::bind(settings.listen).await.with_context(|| {
        format!("cannot listen on {} (is Liminal Builder running already?)", settings.listen)
    })?;
    let data_dir = settings.data_dir.as_deref().map(DataDir::take).transpose()?;
    let token = Secret::random()?;
    secrets.hide(token.reveal());
    for (name, value) in settings.agents.iter().flat_map(|agent| &agent.env) {
        secrets.hide_variable(name, value);
    }
    let credentials = Arc::new(credentials(data_dir.as_ref(), &token)?);
    let stop = CancellationToken::new();
    let tasks = TaskTracker::new();
    orphans::adopt(&stop, &tasks).context("orphans cannot be inherited")?;
    let legacy_window = settings.legacy_window;
    let service =
        session_service(settings, data_dir.as_ref(), options, secrets, &stop, &tasks).await?;
    let settled = service.settle().await.context("the journal cannot be read")?;
    service.recall_uses().await.context("the journal cannot be read")?;
    if settled > 0 {
        tracing::info!(
            sessions = settled,
            "the server before this one ended in the middle of them"
        );
    }
    let address = listeners.first().context("there is a listener")?.local_addr()?;
    let url = format!("http://{address}/#login={}", credentials.login_code()?.reveal());
    let (local, _socket_file) = data_dir.as_ref().map(local_door).transpose()?.flatten().unzip();
    let (service, drain) = (Arc::new(service), Arc::new(Drain::default()));
    let server = Server {
        service: service.clone(),
        credentials,
        audit: Arc::new(audit(data_dir.as_ref())?),
        legacy_window,
        local,
        limits: Limits::default(),
        drain: drain.clone(),
        stop: stop.clone(),
    };
    let mut serving = tasks.spawn(server.run(listeners));
    tasks.spawn({
        let service = service.clone();
        async move { service.mend().await }
    });

    Announcement { url: url.clone(), token: &token }.print(options.ready)?;
    let wants_browser = options.ready.is_none() && !options.no_open;
    let _doorway = wants_browser.then(|| open_browser::open(&url)).flatten();
    tokio::select! {
        () = signals.received() => {}
        ended = &mut serving => ended??,
    }
    tokio::select! {
        () = wind_up(&service, &drain, &stop, &tasks) => Ok(()),
        () = signals.received() => bail!("stopped at once, by a second signal"),
    }
}

/// Lets what runs come to its end for a while, then ends everything.
async fn wind_up(
    service: &SessionService,
    drain: &Drain,
    stop: &CancellationToken,
    tasks: &TaskTracker,
) {
    tracing::info!("stopping");
    service.begin_to_drain();
    drain.begin(DRAIN);
    let quiet = async {
        while service.current_state().iter().any(|status| is_at_work(status)) {
            tokio::time::sleep(LOOK).await;
        }
    };
    if tokio::time::timeout(DRAIN, quiet).await.is_err() {
        tracing::info!("turns that still run are interrupted");
    }
    stop.cancel();
    tasks.close();
    if tokio::time::timeout(STOP_DEADLINE, tasks.wait()).await.is_err() {
        tracing::warn!("not everything ended in time");
    }
}

/// Whether an agent of ours runs a turn. What is fed from outside cannot end any more, as nothing new is taken.
fn is_at_work(status: &SessionStatus) -> bool {
    status.activity == Activity::Running && status.cli_type.as_str() != EXTERNAL
}

fn credentials(data_dir: Option<&DataDir>, token: &Secret) -> anyhow::Result<Credentials> {
    let Some(data_dir) = data_dir else { return Ok(Credentials::new(token)) };
    Credentials::open(&data_dir.join(CREDENTIALS), token).context("the credentials")
}

/// Who changed what, where there is a place to keep it.
fn audit(data_dir: Option<&DataDir>) -> anyhow::Result<Audit> {
    let Some(data_dir) = data_dir else { return Ok(Audit::default()) };
    let path = data_dir.join(AUDIT);
    Audit::open(&path).with_context(|| format!("the audit log {}", path.display()))
}

/// The command line's way in. Without it everything else still works, such as where the directory's name is too long.
fn local_door(data_dir: &DataDir) -> anyhow::Result<Option<(LocalDoor, SocketFile)>> {
    match local_socket::open(data_dir, agents::records(data_dir)?) {
        Ok(door) => Ok(Some(door)),
        Err(error) => {
            tracing::warn!(%error, "the command line cannot reach this server");
            Ok(None)
        }
    }
}

async fn session_service(
    settings: Settings,
    data_dir: Option<&DataDir>,
    options: &ServeOptions,
    secrets: &Secrets,
    stop: &CancellationToken,
    tasks: &TaskTracker,
) -> anyhow::Result<SessionService> {
    let environment = Environment::default().with_secrets(secrets.clone());
    let recorder = options.record.clone().map(Recorder::new).transpose();
    let agents = Agents {
        settings: &settings,
        data_dir,
        environment: environment.clone(),
        tasks: tasks.clone(),
        recorder: recorder.context("cannot record")?,
        open_files: agent_process::allow_many_open_files(),
    };
    let journal = journal(data_dir)?;
    if let Some(data_dir) = data_dir {
        take_over(data_dir, &*journal, &environment).await;
    }
    let (idle_limit, max_agents) = (settings.idle_limit, settings.max_agents);
    let (bypass, caps) = (settings.bypass, settings.caps);
    let service = SessionService::new(SessionServiceParts {
        providers: agents.registry().await?,
        journal,
        allowed_roots: AllowedRoots::resolve(settings.allowed_roots).await,
        environment,
        autonomous: settings.autonomous,
        stop: stop.clone(),
        tasks: tasks.clone(),
    });
    let service = service.with_idle_limit(idle_limit).with_bypass(bypass).with_caps(caps);
    Ok(match max_agents {
        Some(limit) => service.with_agent_limit(limit.get()),
        None => service,
    })
}

/// What the program before this one kept. Whatever it is, this one starts.
async fn take_over(data_dir: &DataDir, journal: &dyn Journal, environment: &Environment) {
    match predecessor::take_over(&data_dir.join(""), journal, environment).await {
        Ok(taken) if taken == TakenOver::default() => {}
        Ok(taken) => tracing::info!(?taken, "projects and sessions were taken over"),
        Err(error) => tracing::warn!("projects and sessions are not taken over: {error:#}"),
    }
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
