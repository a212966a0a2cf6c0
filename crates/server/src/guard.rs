//! What a request must bring before any route sees it: our own name, no foreign page, a credential.
//!
//! A process of our own user that comes by the socket in the data directory needs none of these: no page can reach it.

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::stream::{self, StreamExt as _};

use crate::audit::{Caller, Change, Record};
use crate::credentials::{Grant, Refused};
use crate::error::ApiError;
use crate::serving::Peer;
use crate::state::AppState;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Sent by our page with every request.
const PAGE_KEY: HeaderName = HeaderName::from_static("liminal-page-key");
/// Begins the subprotocol that holds the key.
const PAGE_KEY_PROTOCOL: &str = "liminal.page-key.";

const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
trusted-types 'none'";

/// Of everything but the page: what agents made is in it, so that nothing of it may run, also where a browser shows it.
const ANSWER_SECURITY_POLICY: &str = "default-src 'none'; sandbox; base-uri 'none'; form-action 'none'; \
frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The names under which the server may be addressed. A page under any other name, even one that resolves to us, is
/// a stranger.
#[derive(Debug)]
pub struct AllowedHosts {
    hosts: Vec<String>,
    origins: Vec<String>,
    cookie_name: String,
}

impl AllowedHosts {
    pub fn loopback(port: u16, instance: &str) -> Self {
        let mut hosts: Vec<_> =
            ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")).into();
        if port == 80 {
            // Browsers leave the default port out.
            hosts.extend(["127.0.0.1", "localhost", "[::1]"].map(str::to_owned));
        }
        let origins = hosts.iter().map(|host| format!("http://{host}")).collect();
        Self { hosts, origins, cookie_name: format!("liminal_{instance}") }
    }

    /// Names the installation, because browsers share cookies between the ports of a host.
    pub(crate) fn cookie_name(&self) -> &str {
        &self.cookie_name
    }

    fn has_host(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
    }

    fn has_origin(&self, origin: &HeaderValue) -> bool {
        self.origins.iter().any(|known| known.as_bytes() == origin.as_bytes())
    }
}

/// The first check, on every route: DNS rebinding ends here.
pub(crate) async fn check_host(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    // Paths hold no secrets: codes travel in fragments and bodies, tokens in headers.
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let response = match peer(&request) {
        Some(Peer::Local { .. }) => next.run(request).await,
        Some(Peer::Network { .. }) if names_us(&state.hosts, &request) => next.run(request).await,
        Some(Peer::Agent { pid }) => {
            tracing::warn!(target: "security", pid, %method, path, "self_approval_attempt: an agent's process was refused");
            ApiError::forbidden_peer().into()
        }
        Some(Peer::Network { .. }) | None => ApiError::forbidden_host().into(),
    };
    tracing::debug!(%method, path, status = response.status().as_u16(), "answered");
    let policy = if is_page(&path) { CONTENT_SECURITY_POLICY } else { ANSWER_SECURITY_POLICY };
    with_security_headers(response, policy)
}

/// By which methods a path can be asked is told where that is the answer. Whoever is refused learns nothing of what there is.
pub(crate) async fn hide_methods(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().remove(header::ALLOW);
    }
    response
}

/// Nothing but the page itself may be asked for by a foreign page.
pub(crate) async fn check_origin(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let is_foreign = headers
        .get_all(header::ORIGIN)
        .iter()
        .any(|origin| !state.hosts.has_origin(origin))
        || headers.get(SEC_FETCH_SITE).is_some_and(|site| site != "same-origin" && site != "none");
    if must_be_ours(&request) && is_foreign {
        return ApiError::forbidden_origin().into();
    }
    next.run(request).await
}

/// A server that is about to stop takes nothing new. What ends something may still be asked for.
pub(crate) async fn check_draining(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    if state.drain.has_begun() && changes_something(&request) && !ends_something(&request) {
        return ApiError::draining(state.drain.left()).into();
    }
    next.run(request).await
}

/// A token or a cookie, or the socket in the data directory. What was let in knows by what.
pub(crate) async fn check_credential(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    match granted(&state, &request) {
        Ok(grant) => {
            if let Some(peer) = peer(&request) {
                peer.admit();
            }
            request.extensions_mut().insert(grant.clone());
            let record = recorded(&state, &grant, &mut request);
            let Some(response) = run_while_granted(&grant, request, next).await else {
                // It may have been done all the same, so its record ends as one without an answer.
                drop(record);
                return ApiError::unauthorized(Refused::default()).into();
            };
            if let Some(record) = record {
                record.end_with(&response);
            }
            response
        }
        Err(error) => error.into(),
    }
}

/// What it changes is written down at its end, by whoever is at it then.
fn recorded(state: &AppState, grant: &Grant, request: &mut Request) -> Option<Record> {
    let caller = Caller::new(grant, peer(request)?);
    request.extensions_mut().insert(caller.clone());
    let record = state.audit.begin(&caller, Change::of_request(request)?);
    request.extensions_mut().insert(record.notes.clone());
    Some(record)
}

/// A request that takes long, such as one that feeds a session, ends with its credential too. Only the one that ends it
/// itself is answered. None for one that was cut off.
async fn run_while_granted(grant: &Grant, request: Request, next: Next) -> Option<Response> {
    if request.uri().path() == "/api/logout" {
        return Some(next.run(request).await);
    }
    tokio::select! {
        biased;
        response = next.run(request) => Some(response.map(|body| sent_while_granted(grant, body))),
        () = grant.ended() => None,
    }
}

/// A body that is made while it is sent breaks off when the credential ends; it does not look complete. One that is there
/// already was granted whole.
fn sent_while_granted(grant: &Grant, body: Body) -> Body {
    if body.size_hint().exact().is_some() {
        return body;
    }
    let pieces = stream::try_unfold((body.into_data_stream(), grant.clone()), async |state| {
        let (mut pieces, grant) = state;
        tokio::select! {
            biased;
            () = grant.ended() => Err(axum::Error::new(Ended)),
            piece = pieces.next() => Ok(piece.transpose()?.map(|piece| (piece, (pieces, grant)))),
        }
    });
    Body::from_stream(pieces)
}

#[derive(Debug, thiserror::Error)]
#[error("the credential was ended")]
struct Ended;

/// Whoever knows a token could give others access by these routes, and itself access for good.
pub(crate) async fn check_local(request: Request, next: Next) -> Response {
    match peer(&request) {
        Some(Peer::Local { .. }) => next.run(request).await,
        Some(Peer::Network { .. } | Peer::Agent { .. }) | None => ApiError::only_local().into(),
    }
}

/// A cookie alone does not prove that our own page asked: other ports of this machine are sent it too. So it needs the
/// key of the page, and an Origin where one is due.
fn granted(state: &AppState, request: &Request) -> Result<Grant, ApiError> {
    if matches!(peer(request), Some(Peer::Local { .. })) {
        return Ok(Grant::to_command_line());
    }
    let headers = request.headers();
    if let Some(token) = bearer_token(headers) {
        return state.credentials.check_token(token).map_err(ApiError::unauthorized);
    }
    let cookies = cookies(headers, state.hosts.cookie_name());
    let granted = state.credentials.check_browser(cookies, page_key(headers));
    let grant = granted.map_err(ApiError::unauthorized)?;
    if changes_something(request) && !headers.contains_key(header::ORIGIN) {
        return Err(ApiError::cookie_without_origin());
    }
    Ok(grant)
}

fn peer(request: &Request) -> Option<&Peer> {
    request.extensions().get()
}

fn names_us(hosts: &AllowedHosts, request: &Request) -> bool {
    let mut named = request.headers().get_all(header::HOST).iter();
    let host = named.next().and_then(|host| host.to_str().ok());
    host.is_some_and(|host| hosts.has_host(host))
        && named.next().is_none()
        && request.uri().authority().is_none_or(|authority| hosts.has_host(authority.as_str()))
}

/// Links may lead to the page from anywhere.
fn must_be_ours(request: &Request) -> bool {
    changes_something(request) || request.uri().path().starts_with("/api/")
}

/// Browsers always name the origin of these.
fn changes_something(request: &Request) -> bool {
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD);
    !is_safe || request.headers().contains_key(header::UPGRADE)
}

fn ends_something(request: &Request) -> bool {
    let path = request.uri().path();
    ["/cancel", "/kill", "/stop", "/logout", "/rotate"].iter().any(|end| path.ends_with(end))
        || path.contains("/permission/")
}

fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// In a header of its own, or among the subprotocols of a WebSocket: browsers let pages add nothing else to those.
fn page_key(headers: &HeaderMap) -> Option<&str> {
    if let Some(key) = headers.get(PAGE_KEY) {
        return key.to_str().ok();
    }
    let offered = headers.get(header::SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    offered.split(',').find_map(|protocol| protocol.trim().strip_prefix(PAGE_KEY_PROTOCOL))
}

/// All cookies of this name. Other ports of this host can set cookies that we are sent too, so what they hold must
/// neither shadow ours nor spoil the line it stands in.
pub(crate) fn cookies<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(header::COOKIE).iter().map(HeaderValue::as_bytes);
    lines
        .flat_map(|line| line.split(|byte| *byte == b';'))
        .filter_map(|pair| std::str::from_utf8(pair).ok()?.trim().split_once('='))
        .filter_map(move |(found, value)| (found == name).then_some(value))
}

/// Whether the page or a part of it is asked for, or nothing that there is.
fn is_page(path: &str) -> bool {
    !path.starts_with("/api/") && path != "/metrics"
}

fn with_security_headers(mut response: Response, policy: &'static str) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}
