//! What people want of a session.

use std::sync::Arc;

use contract::{Delivery, PermissionAnswer, QueuePatch, SendRequest, TurnId};

use super::Step;
use super::life::Life;

impl Life {
    /// Asks for something beside, and lets it get somewhere.
    pub(super) async fn wish(&mut self, step: &Step) {
        let (service, session) = (self.test.service.clone(), self.session.clone());
        match step {
            Step::Send(delivery) => self.send(*delivery, None),
            Step::SendNamed(name) => self.send(Delivery::Queue, Some(*name)),
            Step::Cancel => self.cancel(None),
            Step::Kill => self.beside(async move { drop(service.kill(&session).await) }),
            Step::Load => self.beside(async move { drop(service.load(&session).await) }),
            Step::Archive => {
                self.beside(async move { drop(service.archive(&session, None).await) });
            }
            Step::Unarchive => self.beside(async move { drop(service.unarchive(&session).await) }),
            Step::RemoveProject => {
                let project = self.project.clone();
                self.beside(async move { drop(service.remove_project(&project, None).await) });
            }
            Step::Resume => {
                self.is_awake = true;
                self.beside(async move { drop(service.resume_queue(&session).await) });
            }
            Step::Answer(n, cancel) => self.answer(*n, *cancel),
            queue => self.change_queue(queue).await,
        }
        tokio::task::yield_now().await;
    }

    async fn change_queue(&mut self, step: &Step) {
        let (service, session) = (self.test.service.clone(), self.session.clone());
        let status = service.status(&session).await;
        let queued = status.map(|status| status.queued.clone()).unwrap_or_default();
        let turn = |n: &usize| {
            let known = queued.get(*n).map(|queued| queued.turn_id.clone());
            known.unwrap_or_else(|| format!("turn-{n}").into())
        };
        match step {
            Step::CancelTurn(n) => self.cancel(Some(turn(n))),
            Step::Reword(n) => self.reword(turn(n)),
            Step::Move(n, before) => {
                let before = Some(turn(before));
                self.patch(turn(n), QueuePatch { before, ..QueuePatch::default() });
            }
            Step::Hurry(n) => {
                self.is_awake = true;
                self.patch(turn(n), QueuePatch { send_now: Some(true), ..QueuePatch::default() });
            }
            Step::Remove(n) => {
                let turn = turn(n);
                self.beside(async move { drop(service.remove_queued(&session, turn).await) });
            }
            other => unreachable!("{other:?} is nobody's wish"),
        }
    }

    fn patch(&mut self, turn: TurnId, patch: QueuePatch) {
        let (service, session) = (self.test.service.clone(), self.session.clone());
        self.beside(async move { drop(service.change_queued(&session, turn, patch).await) });
    }

    fn reword(&mut self, turn: TurnId) {
        let words = Arc::<str>::from(format!("reworded {}", self.past.said));
        self.past.said += 1;
        let patch = QueuePatch { content: Some(words.to_string()), ..QueuePatch::default() };
        let (service, session) = (self.test.service.clone(), self.session.clone());
        let (answered, tried) = (self.past.answered.clone(), self.past.tried.clone());
        let wanted = (turn, words);
        tried.lock().unwrap().insert(wanted.clone());
        self.beside(async move {
            if service.change_queued(&session, wanted.0.clone(), patch).await.is_ok() {
                tried.lock().unwrap().remove(&wanted);
                answered.lock().unwrap().insert(wanted.0, wanted.1);
            }
        });
    }

    fn cancel(&mut self, turn: Option<TurnId>) {
        let (service, session) = (self.test.service.clone(), self.session.clone());
        self.beside(async move {
            if let Ok(pending) = service.cancel(&session, turn).await {
                drop(pending.answer().await);
            }
        });
    }

    fn answer(&mut self, n: usize, cancel: bool) {
        let answer = PermissionAnswer {
            option_id: (!cancel).then(|| "allow".into()),
            cancel: cancel.then_some(true),
            ..PermissionAnswer::default()
        };
        let (service, session) = (self.test.service.clone(), self.session.clone());
        let Some(request) = service.permissions().into_iter().nth(n) else { return };
        let id = request.permission_id;
        self.beside(async move { drop(service.answer(&session, id, answer).await) });
    }

    fn send(&mut self, delivery: Delivery, name: Option<usize>) {
        self.is_awake = true;
        let words =
            Arc::<str>::from(name.map_or_else(
                || format!("words {}", self.past.said),
                |name| format!("named {name}"),
            ));
        self.past.said += 1;
        let request = SendRequest {
            content: words.to_string(),
            client_message_id: name.map(|name| format!("name-{name}").as_str().into()),
            delivery: Some(delivery),
            attachments: None,
        };
        let (service, session) = (self.test.service.clone(), self.session.clone());
        let (answered, named) = (self.past.answered.clone(), self.past.named.clone());
        self.beside(async move {
            let Ok(pending) = service.send(&session, request).await else { return };
            let Ok(sent) = pending.answer().await else { return };
            if let Some(name) = name {
                named.lock().unwrap().entry(name).or_default().insert(sent.turn_id.clone());
            }
            answered.lock().unwrap().entry(sent.turn_id).or_insert(words);
        });
    }
}
