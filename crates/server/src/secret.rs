//! Secrets: made by the system's generator, kept as hashes, compared in constant time.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
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
        Ok(Self(hexadecimal(&bytes)))
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

    /// Tells installations apart and gives nothing away: four bytes of a hash of 256 random bits.
    pub(crate) fn short_name(&self) -> String {
        self.0.first_chunk::<4>().map(|beginning| hexadecimal(beginning)).unwrap_or_default()
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        write!(text, "{byte:02x}").unwrap_or_default();
    }
    text
}

impl Serialize for SecretHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hexadecimal(&self.0))
    }
}

impl<'de> Deserialize<'de> for SecretHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits: Option<Vec<u8>> = text
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        let bytes = digits.and_then(|digits| digits.try_into().ok());
        bytes.map(Self).ok_or_else(|| serde::de::Error::custom("a hash has 64 hexadecimal digits"))
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
