//! Reads the fields of a JSON object and says where it went wrong.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};

const LONGEST_ID: usize = 512;

/// What is wrong with an input, and where: `payload.callId`, or empty for the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    pub path: String,
    pub message: String,
}

impl Issue {
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for Issue {}

/// One JSON object and the path that leads to it. `null` counts as absent.
pub(crate) struct Fields<'a> {
    map: &'a Map<String, Value>,
    path: String,
}

impl<'a> Fields<'a> {
    pub(crate) fn root(value: &'a Value) -> Result<Self, Issue> {
        match value.as_object() {
            Some(map) => Ok(Self { map, path: String::new() }),
            None => Err(Issue::new("", "must be an object")),
        }
    }

    pub(crate) fn issue(&self, name: &str, message: impl Into<String>) -> Issue {
        Issue::new(self.path_of(name), message)
    }

    pub(crate) fn text(&self, name: &str) -> Result<&'a str, Issue> {
        self.required(name, Self::optional_text)
    }

    /// A string that must not be empty, nor longer than a name has a reason to be.
    pub(crate) fn id(&self, name: &str) -> Result<&'a str, Issue> {
        let text = self.text(name)?;
        if text.is_empty() {
            Err(self.issue(name, "must not be empty"))
        } else if text.len() > LONGEST_ID {
            Err(self.issue(name, format!("must not be longer than {LONGEST_ID} bytes")))
        } else {
            Ok(text)
        }
    }

    pub(crate) fn one_of(
        &self,
        name: &str,
        allowed: &[&'static str],
    ) -> Result<&'static str, Issue> {
        let text = self.text(name)?;
        let found = allowed.iter().copied().find(|candidate| *candidate == text);
        found.ok_or_else(|| self.issue(name, format!("must be one of {}", allowed.join(", "))))
    }

    pub(crate) fn parsed<T>(&self, name: &str) -> Result<T, Issue>
    where
        T: FromStr<Err: fmt::Display>,
    {
        self.text(name)?.parse().map_err(|error: T::Err| self.issue(name, error.to_string()))
    }

    pub(crate) fn boolean(&self, name: &str) -> Result<bool, Issue> {
        self.required(name, |fields, name| fields.optional(name, "a boolean", Value::as_bool))
    }

    pub(crate) fn count(&self, name: &str) -> Result<u64, Issue> {
        self.required(name, Self::optional_count)
    }

    pub(crate) fn object(&self, name: &str) -> Result<Self, Issue> {
        self.required(name, Self::optional_object)
    }

    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<&'a str>, Issue> {
        self.optional(name, "a string", Value::as_str)
    }

    pub(crate) fn optional_count(&self, name: &str) -> Result<Option<u64>, Issue> {
        self.optional(name, "a whole number that is not negative", Value::as_u64)
    }

    pub(crate) fn optional_number(&self, name: &str) -> Result<Option<f64>, Issue> {
        self.optional(name, "a number", Value::as_f64)
    }

    pub(crate) fn optional_object(&self, name: &str) -> Result<Option<Self>, Issue> {
        let map = self.optional(name, "an object", Value::as_object)?;
        Ok(map.map(|map| Self { map, path: self.path_of(name) }))
    }

    pub(crate) fn to_map(&self) -> Map<String, Value> {
        self.map.clone()
    }

    fn required<T>(
        &self,
        name: &str,
        read: impl Fn(&Self, &str) -> Result<Option<T>, Issue>,
    ) -> Result<T, Issue> {
        read(self, name)?.ok_or_else(|| self.issue(name, "is required"))
    }

    fn optional<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, Issue> {
        let Some(value) = self.map.get(name).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        read(value).map(Some).ok_or_else(|| self.issue(name, format!("must be {expected}")))
    }

    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }
}
