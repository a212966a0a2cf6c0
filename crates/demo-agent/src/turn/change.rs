//! An edit: shown as a diff, asked for, and only then written.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    Diff, PermissionOption, PermissionOptionKind, RequestPermissionOutcome,
    RequestPermissionRequest, ToolCallContent, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
use serde_json::json;

use super::tools::{at, call, failed};
use super::{Stop, Turn};
use crate::mode::Mode;
use crate::project::{Project, Proposal, Refusal};

const ONCE: &str = "allow-once";
const ALWAYS: &str = "allow-always";
const NO: &str = "reject-once";

enum Answer {
    Yes,
    No,
    /// The client could not ask.
    Nobody(Error),
}

impl Turn {
    /// Proposes what `propose` makes of the files as they are now, and does it if the user agrees.
    pub(super) async fn change(
        &mut self,
        propose: impl FnOnce(&Project) -> Result<Proposal, Refusal> + Send + 'static,
    ) -> Result<(), Stop> {
        if self.running.session.mode() == Mode::ReadOnly {
            return self
                .say("This session is **read-only**, so I change nothing. Choose another mode, then ask again.\n")
                .await;
        }
        let proposal = match self.look(move |project, _| propose(project)).await? {
            Ok(proposal) => proposal,
            Err(refusal) => return self.say(&format!("I cannot edit that: {refusal}.\n")).await,
        };
        if proposal.old.as_ref() == Some(&proposal.new) {
            return self.say(&format!("`{}` already says that.\n", proposal.name)).await;
        }
        let verb = if proposal.old.is_some() { "Edit" } else { "Create" };
        let title = format!("{verb} {}", proposal.name);
        let call = call(title.clone(), ToolKind::Edit)
            .status(ToolCallStatus::Pending)
            .content(vec![diff(&proposal)])
            .locations(at(proposal.path.clone()))
            .raw_input(json!({ "path": proposal.name }));
        self.begin_call(call).await?;
        match self.may_write(&proposal, title).await? {
            Answer::Yes => self.write(proposal).await,
            Answer::No => {
                self.end_call(failed("rejected".to_owned())).await?;
                self.say(&format!("You said no, so `{}` stays as it is.\n", proposal.name)).await
            }
            Answer::Nobody(error) => {
                self.end_call(failed(format!("nobody could be asked: {}", error.message))).await?;
                self.say("I could not ask you, so I changed nothing.\n").await
            }
        }
    }

    async fn may_write(&self, proposal: &Proposal, title: String) -> Result<Answer, Stop> {
        let session = &self.running.session;
        if session.mode() == Mode::AutoEdit || session.may_edit() {
            return Ok(Answer::Yes);
        }
        let Some(call) = self.open_call.clone() else { return Ok(Answer::No) };
        let fields = ToolCallUpdateFields::new()
            .title(title)
            .kind(ToolKind::Edit)
            .status(ToolCallStatus::Pending)
            .content(vec![diff(proposal)])
            .locations(at(proposal.path.clone()));
        let request = RequestPermissionRequest::new(
            session.id.clone(),
            ToolCallUpdate::new(call, fields),
            options(),
        );
        // Dropped when the turn is cancelled, which tells the client that the question is withdrawn.
        let answer = tokio::select! {
            biased;
            () = self.running.cancelled.cancelled() => return Err(Stop::Cancelled),
            answer = self.updates.client.send_request(request).block_task() => answer,
        };
        let outcome = match answer {
            Ok(answer) => answer.outcome,
            Err(error) => return Ok(Answer::Nobody(error)),
        };
        match outcome {
            RequestPermissionOutcome::Cancelled => Err(Stop::Cancelled),
            RequestPermissionOutcome::Selected(selected) => match &*selected.option_id.0 {
                ONCE => Ok(Answer::Yes),
                ALWAYS => {
                    session.allow_edits();
                    Ok(Answer::Yes)
                }
                _ => Ok(Answer::No),
            },
            // What a later protocol may add is not a yes.
            _ => Ok(Answer::No),
        }
    }

    async fn write(&mut self, proposal: Proposal) -> Result<(), Stop> {
        self.change_call(ToolCallUpdateFields::new().status(ToolCallStatus::InProgress)).await?;
        let name = proposal.name.clone();
        let content = vec![diff(&proposal)];
        let project = self.running.session.project.clone();
        // From here on nobody cancels: a file that was written is told to be written.
        let written = tokio::task::spawn_blocking(move || project.apply(&proposal)).await;
        let written = written.map_err(|error| Stop::Failed(Error::into_internal_error(error)))?;
        if let Err(refusal) = written {
            self.end_call_regardless(failed(refusal.to_string())).await?;
            return self.say(&format!("I wrote nothing: {refusal}.\n")).await;
        }
        let done = ToolCallUpdateFields::new().status(ToolCallStatus::Completed).content(content);
        self.end_call_regardless(done).await?;
        self.say(&format!("Done: `{name}` is written.\n")).await
    }
}

fn diff(proposal: &Proposal) -> ToolCallContent {
    let diff = Diff::new(proposal.path.clone(), proposal.new.clone());
    ToolCallContent::Diff(diff.old_text(proposal.old.clone()))
}

fn options() -> Vec<PermissionOption> {
    vec![
        PermissionOption::new(ONCE, "Allow", PermissionOptionKind::AllowOnce),
        PermissionOption::new(
            ALWAYS,
            "Allow all edits in this session",
            PermissionOptionKind::AllowAlways,
        ),
        PermissionOption::new(NO, "Reject", PermissionOptionKind::RejectOnce),
    ]
}
