//! Who may talk to the server: holders of the start token, and browsers that came with a login code.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::secret::{Secret, SecretHash};

/// How long a login code can be used.
const CODE_LIFETIME: Duration = Duration::from_secs(600);
/// Codes that wait to be used; the oldest is forgotten first.
const CODES: usize = 16;
/// Browsers that are logged in; the oldest is forgotten first.
const COOKIES: usize = 256;

#[derive(Debug)]
pub struct Credentials {
    start_token: SecretHash,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    codes: Vec<(SecretHash, Instant)>,
    cookies: Vec<SecretHash>,
}

impl Credentials {
    /// Keeps only the hash of the token.
    pub fn new(start_token: &Secret) -> Self {
        Self { start_token: start_token.hash(), state: Mutex::default() }
    }

    /// Makes a login code that can be used once.
    pub fn login_code(&self) -> Result<Secret, getrandom::Error> {
        let code = Secret::random()?;
        self.with_state(|state| {
            keep_last(&mut state.codes, CODES - 1);
            state.codes.push((code.hash(), Instant::now() + CODE_LIFETIME));
        });
        Ok(code)
    }

    /// Uses up a login code; returns the value of the cookie it is worth.
    pub(crate) fn log_in(&self, code: &str) -> Option<Secret> {
        let hash = SecretHash::of(code);
        let cookie = Secret::random().ok()?;
        self.with_state(|state| {
            let used = state.codes.iter().position(|(known, _)| known.matches(&hash))?;
            let (_, expires) = state.codes.remove(used);
            if expires <= Instant::now() {
                return None;
            }
            keep_last(&mut state.cookies, COOKIES - 1);
            state.cookies.push(cookie.hash());
            Some(cookie)
        })
    }

    pub(crate) fn log_out(&self, cookie: &str) {
        let hash = SecretHash::of(cookie);
        self.with_state(|state| state.cookies.retain(|known| !known.matches(&hash)));
    }

    pub(crate) fn accepts_token(&self, token: &str) -> bool {
        self.start_token.matches(&SecretHash::of(token))
    }

    pub(crate) fn accepts_cookie(&self, cookie: &str) -> bool {
        let hash = SecretHash::of(cookie);
        self.with_state(|state| state.cookies.iter().any(|known| known.matches(&hash)))
    }

    fn with_state<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn keep_last<T>(items: &mut Vec<T>, count: usize) {
    let excess = items.len().saturating_sub(count);
    items.drain(..excess);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials() -> (Secret, Credentials) {
        let token = Secret::random().unwrap();
        let credentials = Credentials::new(&token);
        (token, credentials)
    }

    #[tokio::test]
    async fn a_login_code_works_once() {
        let (_, credentials) = credentials();
        let code = credentials.login_code().unwrap();
        let cookie = credentials.log_in(code.reveal()).unwrap();
        assert!(credentials.log_in(code.reveal()).is_none());
        assert!(credentials.accepts_cookie(cookie.reveal()));
        credentials.log_out(cookie.reveal());
        assert!(!credentials.accepts_cookie(cookie.reveal()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_login_code_lives_ten_minutes() {
        let (_, credentials) = credentials();
        let (early, late) = (credentials.login_code().unwrap(), credentials.login_code().unwrap());
        tokio::time::advance(CODE_LIFETIME - Duration::from_secs(1)).await;
        assert!(credentials.log_in(early.reveal()).is_some());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(credentials.log_in(late.reveal()).is_none());
    }

    #[tokio::test]
    async fn one_kind_of_credential_does_not_pass_for_another() {
        let (token, credentials) = credentials();
        let code = credentials.login_code().unwrap();
        assert!(credentials.accepts_token(token.reveal()));
        assert!(
            !credentials.accepts_token(code.reveal())
                && !credentials.accepts_cookie(token.reveal())
        );
        assert!(credentials.log_in(token.reveal()).is_none());
        assert!(!credentials.accepts_token("") && !credentials.accepts_cookie(""));
    }
}
