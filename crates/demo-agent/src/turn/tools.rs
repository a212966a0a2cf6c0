//! The tools that look: list, read, search.

use std::path::PathBuf;

use agent_client_protocol::v1::schema::{
    Content, SessionNotification, SessionUpdate, ToolCall, ToolCallContent, ToolCallId,
    ToolCallLocation, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use serde_json::json;
use uuid::Uuid;

use super::{SLOWNESS, Stop, Turn};
use crate::project::{Found, Listing, Refusal, Text};
use crate::story::{counted, title};

const MOST_LOCATIONS: usize = 20;

impl Turn {
    /// None when it was refused; the user has been told why.
    pub(super) async fn list(&mut self, path: String) -> Result<Option<Listing>, Stop> {
        let call = call(format!("List files in {}", title(&path)), ToolKind::Search)
            .raw_input(json!({ "path": path }));
        self.begin_call(call).await?;
        let listing = self.look(move |project, abandoned| project.list(&path, abandoned)).await?;
        let Some(listing) = self.unless_refused(listing).await? else { return Ok(None) };
        let mut text = listing.names.join("\n");
        if listing.is_cut {
            text.push_str("\n…");
        }
        let output = json!({ "files": listing.names.len(), "isCut": listing.is_cut });
        let fields = done(text, vec![ToolCallLocation::new(listing.directory.clone())]);
        self.end_call(fields.raw_output(output)).await?;
        Ok(Some(listing))
    }

    pub(super) async fn read(&mut self, path: String) -> Result<Option<Text>, Stop> {
        let call = call(format!("Read {}", title(&path)), ToolKind::Read)
            .raw_input(json!({ "path": path }));
        self.begin_call(call).await?;
        let text = self.look(move |project, _| project.read(&path)).await?;
        let Some(text) = self.unless_refused(text).await? else { return Ok(None) };
        let output = json!({ "lines": text.text.lines().count(), "isCut": text.is_cut });
        let fields = done(text.text.clone(), vec![ToolCallLocation::new(text.path.clone())]);
        self.end_call(fields.raw_output(output)).await?;
        Ok(Some(text))
    }

    pub(super) async fn search(&mut self, text: String) -> Result<Found, Stop> {
        let call = call(format!("Search for “{}”", title(&text)), ToolKind::Search)
            .raw_input(json!({ "text": text }));
        self.begin_call(call).await?;
        let found = self.look(move |project, abandoned| project.search(&text, abandoned)).await?;
        let project = &self.running.session.project;
        let lines = found
            .hits
            .iter()
            .map(|hit| format!("{}:{}: {}", project.name_of(&hit.path), hit.line, hit.text));
        let text = lines.collect::<Vec<_>>().join("\n");
        let locations = found.hits.iter().take(MOST_LOCATIONS);
        let locations = locations.map(|hit| ToolCallLocation::new(hit.path.clone()).line(hit.line));
        let summary = format!(
            "{} in {}",
            counted(found.hits.len(), "hit"),
            counted(found.files, "text file")
        );
        let text = if text.is_empty() { summary } else { text };
        let fields = done(text, locations.collect());
        let output =
            json!({ "hits": found.hits.len(), "files": found.files, "isCut": found.is_cut });
        self.end_call(fields.raw_output(output)).await?;
        Ok(found)
    }

    pub(super) async fn begin_call(&mut self, call: ToolCall) -> Result<ToolCallId, Stop> {
        let id = call.tool_call_id.clone();
        self.open_call = Some(id.clone());
        self.tell(SessionUpdate::ToolCall(call)).await?;
        // So that one sees it work.
        self.pause(self.pace * SLOWNESS).await?;
        Ok(id)
    }

    pub(super) async fn change_call(&mut self, fields: ToolCallUpdateFields) -> Result<(), Stop> {
        let Some(id) = self.open_call.clone() else { return Ok(()) };
        self.tell(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields))).await
    }

    pub(super) async fn end_call(&mut self, fields: ToolCallUpdateFields) -> Result<(), Stop> {
        self.change_call(fields).await?;
        self.open_call = None;
        Ok(())
    }

    /// Says why something was refused, in the call and to the user.
    pub(super) async fn unless_refused<T>(
        &mut self,
        outcome: Result<T, Refusal>,
    ) -> Result<Option<T>, Stop> {
        match outcome {
            Ok(outcome) => Ok(Some(outcome)),
            Err(refusal) => {
                self.end_call(failed(refusal.to_string())).await?;
                self.say(&format!("That did not work: {refusal}.\n")).await?;
                Ok(None)
            }
        }
    }

    /// Tells how a call ended even when the turn has been cancelled: what was done is done.
    pub(super) async fn end_call_regardless(
        &mut self,
        fields: ToolCallUpdateFields,
    ) -> Result<(), Stop> {
        let Some(id) = self.open_call.take() else { return Ok(()) };
        let update = SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields));
        let session = self.running.session.id.clone();
        let notification = SessionNotification::new(session, update.clone());
        self.updates.send(notification).await.map_err(Stop::Failed)?;
        self.remember(update)
    }
}

pub(super) fn call(title: String, kind: ToolKind) -> ToolCall {
    let id = ToolCallId::new(format!("call-{}", Uuid::new_v4()));
    ToolCall::new(id, title).kind(kind).status(ToolCallStatus::InProgress)
}

pub(super) fn failed(why: String) -> ToolCallUpdateFields {
    ToolCallUpdateFields::new().status(ToolCallStatus::Failed).content(vec![text(why)])
}

fn done(content: String, locations: Vec<ToolCallLocation>) -> ToolCallUpdateFields {
    ToolCallUpdateFields::new()
        .status(ToolCallStatus::Completed)
        .content(vec![text(content)])
        .locations(locations)
}

fn text(text: String) -> ToolCallContent {
    ToolCallContent::Content(Content::new(text))
}

pub(super) fn at(path: PathBuf) -> Vec<ToolCallLocation> {
    vec![ToolCallLocation::new(path)]
}
