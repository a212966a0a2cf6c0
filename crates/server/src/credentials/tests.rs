//! What credentials promise.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use proptest::prelude::*;

use super::attempts::BURST;
use super::*;

fn credentials() -> (Secret, Credentials) {
    let token = Secret::random().unwrap();
    let credentials = Credentials::new(&token);
    (token, credentials)
}

fn opened(path: &Path) -> Result<Credentials, CredentialsError> {
    Credentials::open(path, &Secret::random().unwrap())
}

impl Credentials {
    fn accepts_token(&self, token: &str) -> bool {
        self.check_token(token).is_ok()
    }

    fn accepts_login(&self, login: &Login) -> bool {
        self.accepts(&[login.cookie.reveal()], Some(login.page_key.reveal()))
    }

    fn accepts(&self, cookies: &[&str], page_key: Option<&str>) -> bool {
        self.check_browser(cookies.iter().copied(), page_key).is_ok()
    }

    fn logged_in(&self) -> Login {
        self.log_in(self.login_code().unwrap().reveal()).ok().unwrap()
    }
}

#[tokio::test]
async fn a_login_code_works_once() {
    let (_, credentials) = credentials();
    let code = credentials.login_code().unwrap();
    let login = credentials.log_in(code.reveal()).ok().unwrap();
    assert!(credentials.log_in(code.reveal()).is_err());
    assert!(credentials.accepts_login(&login));
    credentials.log_out(login.cookie.reveal()).unwrap();
    assert!(!credentials.accepts_login(&login));
}

#[tokio::test(start_paused = true)]
async fn a_login_code_lives_ten_minutes() {
    let (_, credentials) = credentials();
    let (early, late) = (credentials.login_code().unwrap(), credentials.login_code().unwrap());
    tokio::time::advance(CODE_LIFETIME - Duration::from_secs(1)).await;
    assert!(credentials.log_in(early.reveal()).is_ok());
    tokio::time::advance(Duration::from_secs(1)).await;
    assert!(credentials.log_in(late.reveal()).is_err());
}

#[tokio::test]
async fn one_kind_of_credential_does_not_pass_for_another() {
    let (token, credentials) = credentials();
    let code = credentials.login_code().unwrap();
    assert!(credentials.accepts_token(token.reveal()));
    assert!(!credentials.accepts_token(code.reveal()));
    assert!(!credentials.accepts(&[token.reveal()], Some(token.reveal())));
    assert!(credentials.log_in(token.reveal()).is_err());
    assert!(!credentials.accepts_token("") && !credentials.accepts(&[""], Some("")));
}

#[tokio::test]
async fn a_cookie_is_worth_nothing_without_the_key_of_its_page() {
    let (_, credentials) = credentials();
    let (one, two) = (credentials.logged_in(), credentials.logged_in());
    let (cookie, key) = (one.cookie.reveal(), one.page_key.reveal());
    assert!(credentials.accepts(&[cookie], Some(key)));
    assert!(credentials.accepts(&["planted", cookie], Some(key)), "others may stand beside it");
    assert!(!credentials.accepts(&[cookie], None));
    assert!(!credentials.accepts(&[cookie], Some("")));
    assert!(!credentials.accepts(&[cookie], Some(cookie)));
    assert!(!credentials.accepts(&[cookie], Some(two.page_key.reveal())), "another browser's key");
    assert!(!credentials.accepts(&[], Some(key)) && !credentials.accepts(&[key], Some(key)));
}

#[tokio::test]
async fn cookies_and_named_tokens_outlive_the_server_and_the_start_token_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("credentials.json");
    let start_token = Secret::random().unwrap();
    let first = Credentials::open(&path, &start_token).unwrap();
    let (login, token) = (first.logged_in(), first.create_token("ci").unwrap());
    let kept = std::fs::read_to_string(&path).unwrap();
    for secret in [&login.cookie, &login.page_key, &token, &start_token] {
        assert!(!kept.contains(secret.reveal()), "only hashes are kept");
    }
    let second = opened(&path).unwrap();
    assert_eq!(first.instance(), second.instance(), "a browser finds its cookie again");
    assert!(second.accepts_login(&login) && second.accepts_token(token.reveal()));
    assert!(!second.accepts_token(start_token.reveal()));
    second.log_out(login.cookie.reveal()).unwrap();
    assert!(!opened(&path).unwrap().accepts_login(&login), "a logout holds as well");
}

#[tokio::test]
async fn rotating_ends_everything_for_good() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("credentials.json");
    let start_token = Secret::random().unwrap();
    let credentials = Credentials::open(&path, &start_token).unwrap();
    let (login, token) = (credentials.logged_in(), credentials.create_token("ci").unwrap());
    let (cookie, page_key) = (login.cookie.reveal(), login.page_key.reveal());
    let code = credentials.login_code().unwrap();
    let grants = [
        credentials.check_token(start_token.reveal()).unwrap(),
        credentials.check_token(token.reveal()).unwrap(),
        credentials.check_browser([cookie].into_iter(), Some(page_key)).unwrap(),
    ];
    credentials.rotate().unwrap();
    for grant in &grants {
        grant.ended().await;
    }
    for known in [&credentials, &opened(&path).unwrap()] {
        assert!(!known.accepts_token(start_token.reveal()) && !known.accepts_token(token.reveal()));
        assert!(!known.accepts_login(&login) && known.log_in(code.reveal()).is_err());
    }
    credentials.create_token("ci").unwrap();
}

#[tokio::test]
async fn a_name_is_given_to_one_token_and_can_be_read() {
    let (_, credentials) = credentials();
    credentials.create_token("ci").unwrap();
    assert!(matches!(credentials.create_token("ci"), Err(CredentialsError::NameTaken(_))));
    for name in ["", "two\nlines", &"x".repeat(LONGEST_NAME + 1)] {
        assert!(matches!(credentials.create_token(name), Err(CredentialsError::BadName(_))));
    }
}

#[tokio::test]
async fn what_is_kept_is_private_and_a_file_that_is_not_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("credentials.json");
    let credentials = opened(&path).unwrap();
    credentials.create_token("ci").unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside it");

    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(opened(&path).unwrap_err().to_string().contains("can be read by others"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();

    let elsewhere = dir.path().join("elsewhere");
    std::fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    assert!(opened(&path).unwrap_err().to_string().contains("is a link"));
}

#[tokio::test]
async fn a_planted_link_is_not_written_through() {
    let dir = tempfile::tempdir().unwrap();
    let (path, victim) = (dir.path().join("credentials.json"), dir.path().join("victim"));
    std::fs::write(&victim, "untouched").unwrap();
    std::os::unix::fs::symlink(&victim, dir.path().join("credentials.new")).unwrap();
    opened(&path).unwrap().create_token("ci").unwrap();
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "untouched");
}

#[tokio::test]
async fn a_file_that_cannot_be_understood_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("credentials.json");
    drop(opened(&path).unwrap());
    std::fs::write(&path, "{").unwrap();
    let error = opened(&path).unwrap_err().to_string();
    assert!(error.contains("credentials.json cannot be understood"), "{error}");
}

/// Something that is nearly this: cut, longer, in other letters, with one character changed, moved or added.
fn resembling(secret: &str) -> impl Strategy<Value = String> + use<> {
    let (secret, length) = (secret.to_owned(), secret.len());
    (0..8_u8, 0..length, any::<char>(), "\\PC{1,8}").prop_map(move |(kind, at, c, text)| {
        let (head, tail) = secret.split_at(at);
        match kind {
            0 => head.to_owned(),
            1 => tail.to_owned(),
            2 => format!("{secret}{text}"),
            3 => format!("{text}{secret}"),
            4 => format!("{head}{c}{tail}"),
            5 => format!("{head}{c}{}", &tail[1..]),
            6 => format!("{tail}{head}"),
            _ => format!("{head}{}", tail.to_uppercase()),
        }
    })
}

#[test]
fn s_04_nothing_that_resembles_a_secret_matches_it() {
    let (token, credentials) = credentials();
    let login = credentials.logged_in();
    let (cookie, key) = (login.cookie.reveal(), login.page_key.reveal());
    let hash = token.hash();
    let guesses = (resembling(token.reveal()), resembling(cookie), resembling(key));
    proptest!(ProptestConfig::with_cases(2000), |((guess, near_cookie, near_key) in guesses)| {
        let is_token = guess == token.reveal();
        prop_assert_eq!(hash.matches(&SecretHash::of(&guess)), is_token);
        prop_assert_eq!(credentials.accepts_token(&guess), is_token);
        let is_cookie = near_cookie == cookie;
        prop_assert_eq!(credentials.accepts(&[&near_cookie], Some(key)), is_cookie);
        prop_assert_eq!(credentials.accepts(&[cookie], Some(&near_key)), near_key == key);
    });
    assert!(credentials.accepts_token(token.reveal()) && credentials.accepts_login(&login));
}

/// Guessing costs the guesser its answers, and whoever knows better nothing.
#[tokio::test(start_paused = true)]
async fn s_11_of_ten_thousand_wrong_tokens_a_few_are_heard_and_right_ones_get_in_all_the_while() {
    let (token, credentials) = credentials();
    let login = credentials.logged_in();
    let mut heard = 0;
    for n in 0..10_000 {
        let refused = credentials.check_token(&format!("guess {n}")).err().unwrap();
        heard += u32::from(refused.retry_after.is_none());
        assert!(n % 100 > 0 || credentials.accepts_token(token.reveal()));
        assert!(n % 100 > 0 || credentials.accepts_login(&login));
    }
    assert_eq!(heard, BURST);
    let other_kind = credentials.check_browser(["guess"].into_iter(), Some("guess"));
    assert_eq!(other_kind.err().unwrap(), Refused::default(), "each kind has its own count");
}
