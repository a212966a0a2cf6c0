//! Items that are too long for the stream: told shortened, and while they grow only when it tells something.

use std::collections::HashMap;
use std::sync::Arc;

use contract::{ItemId, ItemStatus, STREAM_LIMIT, UpsertObject};

/// A shortened state looks the same while the item grows, except for how long the whole is. It is told again each time
/// the item has grown by as much as is told of it, so that an item of n bytes costs O(n).
#[derive(Debug, Default)]
pub(crate) struct LongItems {
    /// The last state that was told, of items that have not ended.
    told: HashMap<ItemId, Arc<UpsertObject>>,
}

impl LongItems {
    /// What connections are told of a state; nothing if it would be what they were told before.
    pub(crate) fn shown(&mut self, item: &Arc<UpsertObject>) -> Option<Arc<UpsertObject>> {
        if item.text_size() <= STREAM_LIMIT {
            self.told.remove(&item.item_id);
            return Some(item.clone());
        }
        if self.told.get(&item.item_id).is_some_and(|told| looks_the_same(told, item)) {
            return None;
        }
        if item.is_final() {
            self.told.remove(&item.item_id);
        } else {
            self.told.insert(item.item_id.clone(), item.clone());
        }
        item.shortened().map(Arc::new)
    }
}

fn looks_the_same(told: &UpsertObject, item: &UpsertObject) -> bool {
    let steps = |item: &UpsertObject| item.text_size() / STREAM_LIMIT;
    item.status == ItemStatus::Update
        && told.status == ItemStatus::Update
        && steps(told) == steps(item)
        && told.differs_only_in_text(item)
        && grows(told, item)
}

/// Text that is taken back or replaced is told at once.
fn grows(told: &UpsertObject, item: &UpsertObject) -> bool {
    match (told.growing_text(), item.growing_text()) {
        (Some(told), Some(text)) => text.starts_with(told),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use contract::{MessageOrigin, UpsertBody};

    use super::*;

    fn item(bytes: usize, status: ItemStatus) -> Arc<UpsertObject> {
        let body =
            UpsertBody::Message { content: "x".repeat(bytes).into(), origin: MessageOrigin::Agent };
        let item = UpsertObject::new("t".into(), "s".into(), "i".into(), body);
        Arc::new(UpsertObject { status, ..item })
    }

    #[test]
    fn a_long_item_that_grows_is_told_as_often_as_it_doubles_what_is_told() {
        let mut long = LongItems::default();
        let step = STREAM_LIMIT / 8;
        let told: Vec<_> = (1..=64)
            .filter_map(|n| long.shown(&item(n * step, ItemStatus::Update)))
            .map(|shown| shown.text_size())
            .collect();
        let whole = told.iter().filter(|size| **size < STREAM_LIMIT).count();
        assert_eq!((whole, told.len()), (7, 7 + 1 + 8), "{told:?}");
        let end = long.shown(&item(64 * step + 1, ItemStatus::Complete)).unwrap();
        assert_eq!(end.truncated.unwrap().bytes, 64 * STREAM_LIMIT as u64 / 8 + 1);
        assert!(long.told.is_empty(), "an item that ended is forgotten");
    }

    #[test]
    fn text_that_is_replaced_is_told_at_once() {
        let mut long = LongItems::default();
        let before = item(STREAM_LIMIT + 10, ItemStatus::Update);
        assert!(long.shown(&before).is_some());
        assert!(long.shown(&before).is_none());
        let body = UpsertBody::Message {
            content: "y".repeat(STREAM_LIMIT + 10).into(),
            origin: MessageOrigin::Agent,
        };
        assert!(long.shown(&Arc::new(UpsertObject { body, ..(*before).clone() })).is_some());
    }
}
