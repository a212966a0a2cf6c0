//! Secrets: made by the system's generator, kept as hashes, compared in constant time.

use std::fmt::{self, Write as _};

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// 256 random bits as hexadecimal. Shown once to whoever may have it, never stored.
pub struct Secret(String);

/// What is kept of a secret. There is no `==`: comparing takes the same time wherever two differ.
#[derive(Clone)]
pub(crate) struct SecretHash([u8; 32]);

impl Secret {
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        let mut text = String::with_capacity(64);
        for byte in bytes {
            write!(text, "{byte:02x}").unwrap_or_default();
        }
        Ok(Self(text))
    }

    /// For whoever may have it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }
}

/// Never written anywhere by accident.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(<hidden>)")
    }
}

impl SecretHash {
    pub(crate) fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    pub(crate) fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(<hidden>)")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn secrets_are_long_and_never_repeat() {
        let secrets: HashSet<String> =
            (0..1000).map(|_| Secret::random().unwrap().reveal().to_owned()).collect();
        assert_eq!(secrets.len(), 1000);
        assert!(secrets.iter().all(|secret| secret.len() == 64));
    }

    #[test]
    fn only_the_whole_secret_matches() {
        let secret = Secret::random().unwrap();
        let hash = secret.hash();
        assert!(hash.matches(&SecretHash::of(secret.reveal())));
        for end in 0..64 {
            assert!(!hash.matches(&SecretHash::of(&secret.reveal()[..end])), "a prefix of {end}");
        }
        for other in [
            format!("{}0", secret.reveal()),
            format!(" {}", secret.reveal()),
            secret.reveal().to_uppercase(),
        ] {
            assert!(!hash.matches(&SecretHash::of(&other)) || other == secret.reveal());
        }
    }

    #[test]
    fn a_secret_does_not_show_when_debugged() {
        let secret = Secret::random().unwrap();
        assert!(!format!("{secret:?} {:?}", secret.hash()).contains(&secret.reveal()[..8]));
    }
}
