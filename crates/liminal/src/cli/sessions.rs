//! What is done to one session.

use anyhow::Context;
use contract::{CancelRequest, Cancelled, Killed, PermissionAnswered, SessionCreated, SessionSent};
use serde_json::{Value, json};

use super::arguments::{ApproveOptions, NewOptions, SendOptions, SessionOptions};
use super::client::segment;
use super::text_or_input;

pub(crate) async fn new(options: NewOptions) -> anyhow::Result<()> {
    let client = options.place.client()?;
    let directory = match options.dir {
        Some(directory) => directory,
        None => std::env::current_dir().context("the current directory")?,
    };
    // The server's current directory is another one.
    let directory = std::path::absolute(directory)?;
    let directory = directory.to_str().context("the directory's name is not UTF-8")?;
    let prompt = options.prompt.map(text_or_input).transpose()?;
    let request = json!({"cliType": options.cli, "projectDir": directory});
    let created: SessionCreated = client.post("/api/session/create", &request).await?;
    let id = created.session_id.as_str().to_owned();
    let mut told = serde_json::to_value(&created)?;
    if let Some(content) = prompt {
        let path = format!("/api/session/{}/send", segment(&id));
        let sent: SessionSent = client.post(&path, &json!({"content": content})).await?;
        if let (Value::Object(told), Value::Object(sent)) = (&mut told, serde_json::to_value(sent)?)
        {
            told.extend(sent);
        }
    }
    options.place.tell(&id, &told)
}

pub(crate) async fn send(options: SendOptions) -> anyhow::Result<()> {
    let path = format!("/api/session/{}/send", segment(&options.id));
    let content = text_or_input(options.text)?;
    let sent: SessionSent =
        options.place.client()?.post(&path, &json!({"content": content})).await?;
    options.place.tell(sent.turn_id.as_str(), &sent)
}

pub(crate) async fn cancel(options: SessionOptions) -> anyhow::Result<()> {
    let path = format!("/api/session/{}/cancel", segment(&options.id));
    let done: Cancelled = options.place.client()?.post(&path, &CancelRequest::default()).await?;
    options.place.tell(if done.cancelled { "cancelled" } else { "nothing was running" }, &done)
}

pub(crate) async fn kill(options: SessionOptions) -> anyhow::Result<()> {
    let path = format!("/api/session/{}/kill", segment(&options.id));
    let done: Killed = options.place.client()?.post(&path, &json!({})).await?;
    options.place.tell("killed", &done)
}

pub(crate) async fn approve(options: ApproveOptions) -> anyhow::Result<()> {
    let (session, request) = (segment(&options.id), segment(&options.request));
    let path = format!("/api/session/{session}/permission/{request}");
    let answer = json!({"optionId": options.option});
    let done: PermissionAnswered = options.place.client()?.post(&path, &answer).await?;
    options.place.tell("answered", &done)
}
