//! A whole session as a file. It is read and written page by page, however long it is.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use contract::{HistoryPage, Seq, SessionId, SessionListItem, TurnEvent, UpsertObject};
use futures_util::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use session::{ServiceError, SessionService};
use store::{HistoryQuery, PageLimit};

use super::markdown;
use crate::error::ApiError;
use crate::openapi::{Answers, ApiRoutes, Description, about, lines_of, of_session};
use crate::state::AppState;
use crate::url_path::UrlPath;
use crate::url_query::UrlQuery;

/// What is held at once; a single item may be larger.
const PAGE: PageLimit = PageLimit { entries: 200, bytes: 1 << 20 };

pub(super) fn routes() -> ApiRoutes {
    ApiRoutes::of("sessions").get(
        "/api/session/{sessionId}/export",
        export,
        about("exportSession", "The whole session as a file").refuses(of_session()),
    )
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExportQuery {
    #[serde(default)]
    format: Format,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Format {
    /// To be read.
    #[default]
    Markdown,
    /// A line each for the session, its items and its turn events.
    Jsonl,
}

async fn export(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    UrlQuery(ExportQuery { format }): UrlQuery<ExportQuery>,
) -> Result<ExportFile, ApiError> {
    let described = state.service.describe(&session).await?;
    let newest = HistoryQuery::Newest { limit: PageLimit { entries: 1, bytes: 0 } };
    let export = Export {
        until: state.service.history(&session, newest).await?.seq,
        service: state.service,
        format,
        next: Next::Head(described),
        session: session.clone(),
    };
    let pieces = stream::try_unfold(export, Export::next_piece);
    let headers = [
        (header::CONTENT_TYPE, format.content_type().to_owned()),
        (header::CONTENT_DISPOSITION, format.disposition(&session)),
    ];
    Ok(ExportFile((headers, Body::from_stream(pieces)).into_response()))
}

/// Of either format.
struct ExportFile(Response);

impl IntoResponse for ExportFile {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Answers for ExportFile {
    fn describe(description: &mut Description<'_>) {
        let lines = json!({ "anyOf": [
            description.schema::<SessionLine<'_>>(),
            description.schema::<UpsertObject>(),
            description.schema::<TurnEvent>(),
        ] });
        let content = json!({
            Format::Markdown.content_type(): { "schema": { "type": "string" } },
            Format::Jsonl.content_type(): lines_of(&lines),
        });
        description.answers(StatusCode::OK, &content);
    }
}

/// An export under way.
struct Export {
    service: Arc<SessionService>,
    session: SessionId,
    format: Format,
    next: Next,
    /// Where the timeline ended when it was asked for: one that grows as fast as it is read would have no end.
    until: Seq,
}

enum Next {
    Head(SessionListItem),
    PageFrom(Seq),
    Nothing,
}

impl Export {
    async fn next_piece(mut self) -> Result<Option<(Bytes, Self)>, ServiceError> {
        let piece = match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::Nothing => return Ok(None),
            Next::Head(session) => {
                self.next = Next::PageFrom(Seq(0));
                self.format.head(&session)
            }
            Next::PageFrom(position) => {
                let wanted = HistoryQuery::From { position, limit: PAGE };
                let page = self.service.history(&self.session, wanted).await?;
                if page.more && page.seq < self.until {
                    self.next = Next::PageFrom(page.seq.next());
                }
                let told = in_order(page).into_iter().filter(|part| part.place() <= self.until);
                told.map(|part| self.format.part(&part)).collect()
            }
        };
        Ok(Some((Bytes::from(piece), self)))
    }
}

/// What a timeline is made of.
enum Part {
    Item(Box<UpsertObject>),
    Turn(Box<TurnEvent>),
}

impl Part {
    fn place(&self) -> Seq {
        match self {
            Self::Item(item) => item.position.unwrap_or_default(),
            Self::Turn(event) => event.seq.unwrap_or_default(),
        }
    }
}

fn in_order(page: HistoryPage) -> Vec<Part> {
    let items = page.entries.into_iter().map(|item| Part::Item(Box::new(item)));
    let turns = page.turns.into_iter().map(|event| Part::Turn(Box::new(event)));
    let mut parts: Vec<_> = items.chain(turns).collect();
    parts.sort_by_key(Part::place);
    parts
}

impl Format {
    fn content_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Jsonl => "application/x-ndjson",
        }
    }

    /// Always a file to be kept, never a page to be shown.
    fn disposition(self, session: &SessionId) -> String {
        let extension = match self {
            Self::Markdown => "md",
            Self::Jsonl => "jsonl",
        };
        let is_plain = |char: &char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
        let name: String = session.as_str().chars().filter(is_plain).collect();
        format!("attachment; filename=\"session-{name}.{extension}\"")
    }

    fn head(self, session: &SessionListItem) -> String {
        match self {
            Self::Markdown => markdown::head(session),
            Self::Jsonl => line(&SessionLine::Session(session)),
        }
    }

    fn part(self, part: &Part) -> String {
        match (self, part) {
            (Self::Markdown, Part::Item(item)) => markdown::item(item),
            (Self::Markdown, Part::Turn(event)) => markdown::turn(event),
            (Self::Jsonl, Part::Item(item)) => line(item),
            (Self::Jsonl, Part::Turn(event)) => line(event),
        }
    }
}

/// The first line says what the others belong to.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(inline)]
enum SessionLine<'a> {
    Session(&'a SessionListItem),
}

/// What we made can be written; if not, a line is missing rather than the rest.
fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).map(|line| line + "\n").unwrap_or_default()
}
