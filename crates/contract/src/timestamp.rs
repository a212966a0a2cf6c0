//! Points in time as the wire writes them: ISO-8601, UTC, milliseconds.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
#[schemars(
    description = "ISO-8601 in UTC with milliseconds.",
    extend("format" = "date-time", "examples" = ["2026-01-31T12:00:00.000Z"])
)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "string"))]
pub struct Timestamp(#[schemars(with = "String")] i64);

/// The text is not a date and time with an offset.
#[derive(Debug, thiserror::Error)]
#[error("must be an ISO-8601 date and time with an offset, such as 2026-01-31T12:00:00.000Z")]
pub struct InvalidTimestamp;

impl Timestamp {
    pub fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub fn as_millis(self) -> i64 {
        self.0
    }
}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        let parsed: jiff::Timestamp = text.parse().map_err(|_| InvalidTimestamp)?;
        Ok(Self(parsed.as_millisecond()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Out of range only if somebody's clock is: the nearest writable time is better than no message at all.
        let nearest = if self.0 < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
        let time = jiff::Timestamp::from_millisecond(self.0).unwrap_or(nearest);
        write!(f, "{time:.3}")
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc_with_milliseconds() {
        let time: Timestamp = "2026-02-15T14:00:00.5+02:00".parse().unwrap();
        assert_eq!(time.to_string(), "2026-02-15T12:00:00.500Z");
        assert_eq!(Timestamp::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in ["", "yesterday", "2026-02-15", "2026-13-01T00:00:00Z", "12"] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_clock_out_of_range_is_still_written() {
        assert!(Timestamp::from_millis(i64::MAX).to_string().starts_with("9999-12-"));
        assert!(Timestamp::from_millis(i64::MIN).to_string().starts_with("-009999-01-"));
    }
}
