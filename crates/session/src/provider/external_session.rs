//! The task of one external session: envelopes in, deadlines kept, emissions out.

use std::sync::Arc;

use contract::{ErrorCode, SessionId, StreamEventEnvelope};
use pipeline::{DestroyReason, Emission, UpsertProcessor};
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;

use super::external::Outputs;
use super::{ProviderError, ProviderErrorCode};
use crate::environment::Environment;

/// The way to a session's task.
#[derive(Clone, Debug)]
pub(super) struct ExternalSession {
    /// When full, whoever posts envelopes waits, and so does the connection they come from.
    inputs: mpsc::Sender<Input>,
}

#[derive(Debug)]
enum Input {
    Envelopes(Vec<StreamEventEnvelope>, oneshot::Sender<u64>),
    Flush(oneshot::Sender<()>),
    End(oneshot::Sender<()>),
}

enum Event {
    Input(Input),
    Deadline,
    /// Nobody can reach the session any more.
    Abandoned,
}

struct Task {
    session: SessionId,
    processor: UpsertProcessor,
    inputs: mpsc::Receiver<Input>,
    outputs: Arc<Outputs>,
    environment: Environment,
}

impl ExternalSession {
    pub(super) fn start(
        session: SessionId,
        environment: Environment,
        outputs: Arc<Outputs>,
        tasks: &TaskTracker,
    ) -> Self {
        let (sender, inputs) = mpsc::channel(8);
        let task =
            Task { session, processor: UpsertProcessor::default(), inputs, outputs, environment };
        tasks.spawn(task.run());
        Self { inputs: sender }
    }

    pub(super) async fn ingest(
        &self,
        envelopes: Vec<StreamEventEnvelope>,
    ) -> Result<u64, ProviderError> {
        self.ask(|done| Input::Envelopes(envelopes, done)).await
    }

    /// Returns when text that waited for more of it has been emitted too.
    pub(super) async fn flush(&self) -> Result<(), ProviderError> {
        self.ask(Input::Flush).await
    }

    async fn ask<T>(
        &self,
        input: impl FnOnce(oneshot::Sender<T>) -> Input,
    ) -> Result<T, ProviderError> {
        let gone =
            || ProviderError::new(ProviderErrorCode::ProcessCrash, "the session ended meanwhile");
        let (done, ended) = oneshot::channel();
        self.inputs.send(input(done)).await.map_err(|_| gone())?;
        ended.await.map_err(|_| gone())
    }

    /// Returns when everything that was open has been ended and told.
    pub(super) async fn end(self) {
        let (done, ended) = oneshot::channel();
        if self.inputs.send(Input::End(done)).await.is_ok() {
            // An error means the task ended first, which is what was wanted.
            drop(ended.await);
        }
    }
}

impl Task {
    async fn run(mut self) {
        loop {
            match self.next_event().await {
                Event::Input(Input::Envelopes(envelopes, done)) => {
                    let ignored = self.take(&envelopes).await;
                    // Whoever posted may have gone away; the envelopes are taken all the same.
                    done.send(ignored).ok();
                }
                Event::Input(Input::Flush(done)) => {
                    self.processor.show_all(self.environment.now());
                    self.emit().await;
                    done.send(()).ok();
                }
                Event::Deadline => {
                    self.processor.handle_timeout(self.environment.now());
                    self.emit().await;
                }
                Event::Input(Input::End(done)) => {
                    self.destroy().await;
                    done.send(()).ok();
                    return;
                }
                Event::Abandoned => return self.destroy().await,
            }
        }
    }

    async fn next_event(&mut self) -> Event {
        let deadline = self.processor.poll_timeout();
        tokio::select! {
            biased;
            input = self.inputs.recv() => input.map_or(Event::Abandoned, Event::Input),
            () = self.environment.sleep_until(deadline) => Event::Deadline,
        }
    }

    /// Returns how many had no effect.
    async fn take(&mut self, envelopes: &[StreamEventEnvelope]) -> u64 {
        let before = self.processor.ignored();
        for envelope in envelopes {
            let now = self.environment.now();
            // Text that was due before this envelope came is told before it.
            self.processor.handle_timeout(now);
            self.processor.process(envelope, now);
            self.emit().await;
        }
        self.processor.ignored() - before
    }

    async fn destroy(&mut self) {
        let reason = DestroyReason {
            code: ErrorCode::INTERRUPTED,
            message: "the session was ended".to_owned(),
        };
        self.processor.destroy(Some(&reason), self.environment.now());
        self.emit().await;
    }

    async fn emit(&mut self) {
        while let Some(emission) = self.processor.poll_emission() {
            match emission {
                Emission::Upsert(upsert) => self.outputs.upserts.emit(&self.session, upsert).await,
                Emission::Turn(event) => self.outputs.turns.emit(&self.session, event).await,
            }
        }
    }
}
