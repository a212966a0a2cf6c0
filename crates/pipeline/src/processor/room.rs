//! How much open items may hold. A program that never ends its items must not fill the memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contract::{ErrorCode, EventError};

/// Bytes of one item while it is open: as many as one line may bring.
const LONGEST: usize = 8 << 20;
/// Bytes that all open items hold together.
const MOST: usize = 32 << 20;
/// What an item costs besides what it says.
const OVERHEAD: usize = 512;

/// What the open items hold together.
#[derive(Debug, Default)]
pub(super) struct Room {
    held: Arc<AtomicUsize>,
}

/// What one of them holds; given back when it is dropped, however it ends.
#[derive(Debug)]
pub(super) struct Share {
    held: Arc<AtomicUsize>,
    bytes: usize,
}

impl Room {
    /// For an item that opens with so many bytes.
    pub(super) fn open(&self, bytes: usize) -> Result<Share, EventError> {
        let mut share = Share { held: self.held.clone(), bytes: 0 };
        share.grow(OVERHEAD + bytes)?;
        Ok(share)
    }
}

impl Share {
    pub(super) fn grow(&mut self, bytes: usize) -> Result<(), EventError> {
        let of_item = self.bytes.saturating_add(bytes);
        if of_item > LONGEST + OVERHEAD {
            return Err(too_large(format!("an item of more than {LONGEST} bytes")));
        }
        if self.held.load(Ordering::Relaxed).saturating_add(bytes) > MOST {
            return Err(too_large(format!("open items of more than {MOST} bytes together")));
        }
        self.bytes = of_item;
        self.held.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

fn too_large(message: String) -> EventError {
    EventError { code: ErrorCode::PAYLOAD_TOO_LARGE, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s_35_an_open_item_holds_at_most_eight_mebibytes() {
        assert_eq!(LONGEST, 8 << 20);
        let room = Room::default();
        let mut share = room.open(LONGEST).unwrap();
        assert_eq!(share.grow(1).unwrap_err().code, ErrorCode::PAYLOAD_TOO_LARGE);
        drop(share);
        assert!(room.open(LONGEST + 1).is_err());
        let mut growing = room.open(LONGEST - 1).unwrap();
        growing.grow(1).unwrap();
        assert!(growing.grow(1).is_err());
    }

    #[test]
    fn s_35_all_open_items_hold_at_most_thirty_two_mebibytes() {
        let room = Room::default();
        let shares: Vec<_> = (0..3).map(|_| room.open(LONGEST).unwrap()).collect();
        let left = MOST - 3 * (LONGEST + OVERHEAD) - OVERHEAD;
        assert!(room.open(left + 1).is_err());
        let last = room.open(left).unwrap();
        assert!(room.open(0).is_err(), "not one more");
        drop(last);
        drop(shares);
        assert_eq!(room.held.load(Ordering::Relaxed), 0, "all of it is given back");
    }
}
