//! What benchmarks say: quantiles, ratios with their intervals, and lines that say whether a bound is met.
//!
//! Pure and deterministic: the same samples always give the same interval and the same verdict.

mod bootstrap;
mod bound;
mod quantile;
mod random;

pub use bootstrap::{Estimate, of_one, of_ratio};
pub use bound::{Bound, Limit};
pub use quantile::{Quantile, largest};
pub use random::Random;
