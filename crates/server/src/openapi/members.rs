//! A JSON object of which some members may be missing.

use serde_json::{Map, Value};

pub(super) fn members<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let there = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(there.collect::<Map<_, _>>())
}
