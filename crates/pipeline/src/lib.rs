//! From what an agent says to upserts worth showing.
//!
//! Pure: time comes in as an argument, deadlines and emissions go out. The same code serves live and replayed input.

mod deadlines;
mod gradient;
mod growing_text;
mod moment;
mod pace;
mod processor;
pub mod surrogates;
mod words;

pub use gradient::{BatchCursor, BatchGradient};
pub use growing_text::{Batching, GrowingText};
pub use moment::{Moment, Now};
pub use pace::Pace;
pub use processor::{DestroyReason, Emission, UpsertProcessor};
pub use words::WordCounter;
