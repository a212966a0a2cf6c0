//! Who may talk to the server: holders of the start token, holders of tokens that were made with a name, and browsers
//! that came with a login code.
//!
//! Only hashes are kept, in memory and on disk. Whatever was opened with a credential ends with it ([`Grant`]).

mod attempts;
mod grant;
mod kept;
mod private_file;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::secret::{Secret, SecretHash};
use attempts::Attempts;
use kept::{Kept, KeptBrowser, KeptFile, KeptToken};

pub(crate) use attempts::Refused;
pub(crate) use grant::Grant;
pub use kept::CredentialsError;

/// How long a login code can be used.
const CODE_LIFETIME: Duration = Duration::from_secs(600);
/// Codes that wait to be used; the oldest is forgotten first.
const CODES: usize = 16;
/// Browsers that are logged in; the oldest is logged out first.
const BROWSERS: usize = 256;
/// Tokens with a name; one more is refused, for somebody relies on each.
const TOKENS: usize = 256;
const LONGEST_NAME: usize = 64;

#[derive(Debug)]
pub struct Credentials {
    instance: String,
    /// Where what outlives the server is kept; nowhere without a data directory.
    file: Option<KeptFile>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Lives as long as the server, and is written nowhere.
    start_token: Option<Held>,
    codes: Vec<(SecretHash, Instant)>,
    browsers: Vec<Browser>,
    tokens: Vec<(String, Held)>,
    wrong_tokens: Attempts,
    wrong_cookies: Attempts,
    wrong_codes: Attempts,
}

/// A browser that is logged in. Its cookie alone is not enough: browsers send cookies to every port of a host, so other
/// servers on this machine may know it. The page's key they never see.
#[derive(Debug)]
struct Browser {
    cookie: Held,
    page_key: SecretHash,
}

/// What a login is worth: both are needed together.
pub(crate) struct Login {
    pub(crate) cookie: Secret,
    /// For the page alone, which keeps it where only its own origin can read it.
    pub(crate) page_key: Secret,
    pub(crate) grant: Grant,
}

/// A secret that somebody holds, and what ends with it.
#[derive(Debug)]
struct Held {
    hash: SecretHash,
    grant: Grant,
}

impl From<KeptBrowser> for Browser {
    fn from(kept: KeptBrowser) -> Self {
        Self { cookie: Held::by_browser(kept.cookie), page_key: kept.page_key }
    }
}

impl Held {
    fn by(holder: &str, hash: SecretHash) -> Self {
        Self { hash, grant: Grant::to(holder) }
    }

    /// A browser has no name; the beginning of a hash tells it from others.
    fn by_browser(cookie: SecretHash) -> Self {
        Self::by(&format!("browser {}", cookie.short_name()), cookie)
    }

    fn by_name(name: &str, hash: SecretHash) -> Self {
        Self::by(&format!("token {name}"), hash)
    }

    fn by_start_token(hash: SecretHash) -> Self {
        Self::by("start token", hash)
    }
}

impl Credentials {
    /// Keeps nothing beyond the life of the server, and of the token only its hash.
    pub fn new(start_token: &Secret) -> Self {
        let start_token = start_token.hash();
        let instance = start_token.short_name();
        let state =
            State { start_token: Some(Held::by_start_token(start_token)), ..State::default() };
        Self { instance, file: None, state: Mutex::new(state) }
    }

    /// With what an earlier server kept in this file, which is made if it is missing.
    pub fn open(path: &Path, start_token: &Secret) -> Result<Self, CredentialsError> {
        let file = KeptFile::at(path);
        let kept = match file.read()? {
            Some(kept) => kept,
            None => {
                let fresh = Kept::named(Secret::random()?.hash().short_name());
                file.write(&fresh)?;
                fresh
            }
        };
        let state = State {
            start_token: Some(Held::by_start_token(start_token.hash())),
            browsers: kept.browsers.into_iter().map(Browser::from).collect(),
            tokens: kept
                .tokens
                .into_iter()
                .map(|token| {
                    let held = Held::by_name(&token.name, token.hash);
                    (token.name, held)
                })
                .collect(),
            ..State::default()
        };
        Ok(Self { instance: kept.instance, file: Some(file), state: Mutex::new(state) })
    }

    /// Tells this installation's cookies from those of others on this machine, also after a restart.
    pub(crate) fn instance(&self) -> &str {
        &self.instance
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

    /// Uses up a login code; returns what it is worth. Blocks while it is written down.
    pub(crate) fn log_in(&self, code: &str) -> Result<Login, Refused> {
        let hash = SecretHash::of(code);
        // When the system's generator fails there is no login, and nothing is used up.
        let (Ok(cookie), Ok(page_key)) = (Secret::random(), Secret::random()) else {
            return Err(Refused::default());
        };
        self.with_state(|state| {
            let used = state.codes.iter().position(|(known, _)| known.matches(&hash));
            let expires = used.map(|used| state.codes.remove(used).1);
            if expires.is_none_or(|expires| expires <= Instant::now()) {
                return Err(state.wrong_codes.refuse(Instant::now()));
            }
            let excess = (state.browsers.len() + 1).saturating_sub(BROWSERS);
            state.browsers.drain(..excess).for_each(|oldest| oldest.cookie.grant.end());
            let held = Held::by_browser(cookie.hash());
            let grant = held.grant.clone();
            state.browsers.push(Browser { cookie: held, page_key: page_key.hash() });
            if let Err(error) = self.keep(state) {
                tracing::warn!(%error, "this login is forgotten when the server stops");
            }
            Ok(Login { cookie, page_key, grant })
        })
    }

    /// Ends the cookie and what was opened with it. Blocks while it is written down.
    pub(crate) fn log_out(&self, cookie: &str) -> Result<(), CredentialsError> {
        let hash = SecretHash::of(cookie);
        self.with_state(|state| {
            state.browsers.retain(|known| {
                let stays = !known.cookie.hash.matches(&hash);
                if !stays {
                    known.cookie.grant.end();
                }
                stays
            });
            self.keep(state)
        })
    }

    /// Makes a token that is good until everything is rotated. Blocks while it is written down.
    pub fn create_token(&self, name: &str) -> Result<Secret, CredentialsError> {
        if name.is_empty() || name.len() > LONGEST_NAME || name.chars().any(char::is_control) {
            return Err(CredentialsError::BadName(LONGEST_NAME));
        }
        let token = Secret::random()?;
        self.with_state(|state| {
            if state.tokens.iter().any(|(known, _)| known == name) {
                return Err(CredentialsError::NameTaken(name.to_owned()));
            }
            if state.tokens.len() >= TOKENS {
                return Err(CredentialsError::TooMany(TOKENS));
            }
            state.tokens.push((name.to_owned(), Held::by_name(name, token.hash())));
            // A token that the next start does not know is not handed out.
            self.keep(state).inspect_err(|_| drop(state.tokens.pop()))?;
            Ok(token)
        })
    }

    /// Ends every credential there is, the start token too, and whatever was opened with one. Blocks while it is
    /// written down; if it cannot be, the credentials are ended until the server stops, and the error says so.
    pub fn rotate(&self) -> Result<(), CredentialsError> {
        self.with_state(|state| {
            let State { start_token, browsers, tokens, codes, .. } = state;
            let tokens = tokens.drain(..).map(|(_, held)| held);
            let cookies = browsers.drain(..).map(|browser| browser.cookie);
            let ended = start_token.take().into_iter().chain(cookies).chain(tokens);
            ended.for_each(|held| held.grant.end());
            codes.clear();
            self.keep(state)
        })
    }

    pub(crate) fn check_token(&self, token: &str) -> Result<Grant, Refused> {
        let hash = SecretHash::of(token);
        self.with_state(|state| {
            let mut known =
                state.start_token.iter().chain(state.tokens.iter().map(|(_, held)| held));
            match known.find(|held| held.hash.matches(&hash)) {
                Some(held) => Ok(held.grant.clone()),
                None => Err(state.wrong_tokens.refuse(Instant::now())),
            }
        })
    }

    /// One of these cookies must be known, and the key be that of its page. Others of the same name may have been set by
    /// another port of this machine.
    pub(crate) fn check_browser<'a>(
        &self,
        cookies: impl Iterator<Item = &'a str>,
        page_key: Option<&str>,
    ) -> Result<Grant, Refused> {
        let hashes: Vec<_> = cookies.map(SecretHash::of).collect();
        let page_key = page_key.map(SecretHash::of);
        self.with_state(|state| {
            let is_known = |browser: &&Browser| {
                hashes.iter().any(|hash| browser.cookie.hash.matches(hash))
                    && page_key.as_ref().is_some_and(|key| browser.page_key.matches(key))
            };
            match state.browsers.iter().find(is_known) {
                Some(browser) => Ok(browser.cookie.grant.clone()),
                // No cookie, or no key, is no attempt: a browser that follows a link brings the one without the other.
                None if hashes.is_empty() || page_key.is_none() => Err(Refused::default()),
                None => Err(state.wrong_cookies.refuse(Instant::now())),
            }
        })
    }

    fn keep(&self, state: &State) -> Result<(), CredentialsError> {
        let Some(file) = &self.file else { return Ok(()) };
        let browsers = state.browsers.iter().map(|browser| KeptBrowser {
            cookie: browser.cookie.hash.clone(),
            page_key: browser.page_key.clone(),
        });
        let tokens = state.tokens.iter();
        let tokens =
            tokens.map(|(name, held)| KeptToken { name: name.clone(), hash: held.hash.clone() });
        file.write(&Kept {
            instance: self.instance.clone(),
            browsers: browsers.collect(),
            tokens: tokens.collect(),
        })
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
mod tests;
