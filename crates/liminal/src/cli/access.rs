//! `liminal open` and `liminal token`: access for browsers and programs.

use anyhow::Context;
use serde_json::json;
use server::{Audit, CreateToken, Credentials, LoginLink, Secret, TokenCreated};

use super::arguments::{ListOptions, Place, TokenCommand};
use crate::data_dir::DataDir;
use crate::serve::{AUDIT, CREDENTIALS};

pub(crate) async fn open(options: ListOptions) -> anyhow::Result<()> {
    let link: LoginLink = options.place.client()?.post("/api/login-link", &json!({})).await?;
    options.place.tell(&link.url, &link)
}

pub(crate) async fn token(command: TokenCommand) -> anyhow::Result<()> {
    match command {
        TokenCommand::Create { name, place } => create(name, &place).await,
        TokenCommand::Rotate { place } => rotate(&place).await,
    }
}

async fn create(name: String, place: &Place) -> anyhow::Result<()> {
    let created = match place.client()?.find().await? {
        Some(client) => client.post("/api/tokens", &CreateToken { name }).await?,
        None => {
            let (data_dir, credentials) = without_server(place)?;
            let token = credentials.create_token(&name)?.reveal().to_owned();
            write_down(&data_dir, "POST /api/tokens")?;
            TokenCreated { name, token }
        }
    };
    place.tell(&created.token, &created)
}

async fn rotate(place: &Place) -> anyhow::Result<()> {
    match place.client()?.find().await? {
        Some(client) => client.post("/api/tokens/rotate", &json!({})).await?,
        None => {
            let (data_dir, credentials) = without_server(place)?;
            credentials.rotate()?;
            write_down(&data_dir, "POST /api/tokens/rotate")?;
        }
    }
    let words = "every token, login and login link has ended; `liminal open` makes a new link";
    place.tell(words, &json!({"rotated": true}))
}

/// As a server would have written it down.
fn write_down(data_dir: &DataDir, action: &'static str) -> anyhow::Result<()> {
    let audit = Audit::open(&data_dir.join(AUDIT)).context("the audit log")?;
    audit.note_without_server(action);
    Ok(())
}

/// What the next server will know. The directory is taken meanwhile, so that none starts.
fn without_server(place: &Place) -> anyhow::Result<(DataDir, Credentials)> {
    let data_dir = DataDir::take(&place.directory()?)?;
    let credentials = Credentials::open(&data_dir.join(CREDENTIALS), &Secret::random()?);
    Ok((data_dir, credentials.context("the credentials")?))
}
