//! One page of the sessions on disk; pure.

use std::time::{Duration, SystemTime};

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{ListSessionsRequest, ListSessionsResponse, SessionInfo};

use crate::session_files::Summary;

const PAGE: usize = 50;

/// `found` is in order. The cursor names the last session of the page before, so that a session that is used meanwhile
/// moves nobody else.
pub(super) fn page(
    found: Vec<Summary>,
    request: &ListSessionsRequest,
) -> Result<ListSessionsResponse, Error> {
    let after = match &request.cursor {
        None => None,
        Some(cursor) => Some(parsed(cursor).ok_or_else(Error::invalid_params)?),
    };
    let mut rest = found.into_iter().filter(|session| {
        request.cwd.as_ref().is_none_or(|cwd| *cwd == session.cwd)
            && after.as_ref().is_none_or(|(changed, id)| {
                session.changed < *changed || (session.changed == *changed && *session.id.0 > **id)
            })
    });
    let page: Vec<_> = rest.by_ref().take(PAGE).collect();
    let cursor = rest.next().and(page.last()).map(cursor);
    Ok(ListSessionsResponse::new(page.into_iter().map(info).collect()).next_cursor(cursor))
}

fn info(session: Summary) -> SessionInfo {
    let changed = jiff::Timestamp::try_from(session.changed).ok();
    SessionInfo::new(session.id, session.cwd)
        .title(session.title)
        .updated_at(changed.map(|changed| changed.to_string()))
}

fn cursor(session: &Summary) -> String {
    let since = session.changed.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}.{:09}/{}", since.as_secs(), since.subsec_nanos(), session.id.0)
}

fn parsed(cursor: &str) -> Option<(SystemTime, &str)> {
    let (changed, id) = cursor.split_once('/')?;
    let (seconds, nanoseconds) = changed.split_once('.')?;
    let since = Duration::from_secs(seconds.parse().ok()?)
        .checked_add(Duration::from_nanos(nanoseconds.parse().ok()?))?;
    Some((SystemTime::UNIX_EPOCH.checked_add(since)?, id))
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::SessionId;

    use super::*;

    fn summary(number: usize, changed: SystemTime) -> Summary {
        let cwd = if number.is_multiple_of(2) { "/even" } else { "/odd" }.into();
        let id = SessionId::new(format!("{number:03}"));
        Summary { id, cwd, title: format!("title {number}"), changed }
    }

    fn all(request: &ListSessionsRequest, found: &[Summary]) -> Vec<String> {
        let mut request = request.clone();
        let mut ids = Vec::new();
        loop {
            let page = page(found.to_vec(), &request).unwrap();
            assert!(page.sessions.len() <= PAGE);
            ids.extend(page.sessions.iter().map(|it| it.session_id.0.to_string()));
            match page.next_cursor {
                Some(cursor) => request = request.cursor(cursor),
                None => return ids,
            }
        }
    }

    #[test]
    fn pages_together_are_the_list_also_when_times_are_equal() {
        let now = SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 42);
        let found: Vec<_> = (0..120)
            .map(|number| summary(number, now - Duration::from_secs(number as u64 / 70)))
            .collect();
        let ids: Vec<_> = found.iter().map(|session| session.id.0.to_string()).collect();
        assert_eq!(all(&ListSessionsRequest::new(), &found), ids);
        let even = all(&ListSessionsRequest::new().cwd(std::path::PathBuf::from("/even")), &found);
        assert_eq!(even.len(), 60);
    }

    #[test]
    fn a_session_says_when_it_was_used_last() {
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let info = info(summary(1, changed));
        assert_eq!(info.updated_at.as_deref(), Some("2023-11-14T22:13:20Z"));
    }

    #[test]
    fn a_cursor_that_is_not_ours_is_refused() {
        for cursor in ["", "1/2", "x.y/z", "99999999999999999999.0/a", "18446744073709551615.0/a"] {
            let request = ListSessionsRequest::new().cursor(cursor.to_owned());
            assert!(page(Vec::new(), &request).is_err(), "{cursor}");
        }
    }
}
