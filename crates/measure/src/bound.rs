//! A bound, whether it is met, and the line that says so.
//!
//! `cargo xtask bench` reads these lines: only `ok` at their end means met.

use std::fmt;

use crate::bootstrap::Estimate;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

/// A named promise and the figure that is held against it.
#[derive(Clone, Debug)]
pub struct Bound<'a> {
    /// Its id, `nfr_…`.
    pub name: &'a str,
    /// What is compared with what.
    pub text: &'a str,
    pub limit: Limit,
    pub figure: Estimate,
    /// What the figures are counted in; nothing for ratios.
    pub unit: &'a str,
}

impl Bound<'_> {
    /// Whether the figures are too uncertain to tell: the limit lies within their interval.
    fn is_open(&self) -> bool {
        let (Limit::AtMost(limit) | Limit::AtLeast(limit)) = self.limit;
        self.figure.low < limit && limit < self.figure.high
    }

    /// The figure itself decides. Its interval tells how sure that is, and excuses nothing: fewer samples would be easier to pass with.
    pub fn is_met(&self) -> bool {
        match self.limit {
            Limit::AtMost(limit) => self.figure.value <= limit,
            Limit::AtLeast(limit) => self.figure.value >= limit,
        }
    }
}

impl fmt::Display for Bound<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, text, limit, figure, unit } = self;
        let (word, limit) = match limit {
            Limit::AtMost(limit) => ("at most", limit),
            Limit::AtLeast(limit) => ("at least", limit),
        };
        let verdict = if self.is_met() { "ok" } else { "MISSED" };
        let Estimate { value, low, high } = figure;
        write!(f, "bound: {name}: {text}: {word} {limit}{unit} ({value:.2}{unit}")?;
        if low < high {
            write!(f, ", 95 % interval {low:.2} to {high:.2}")?;
        }
        if self.is_open() {
            f.write_str(", which does not settle it")?;
        }
        write!(f, "): {verdict}")
    }
}

impl Estimate {
    /// A figure that was counted, not sampled.
    pub fn exact(value: f64) -> Self {
        Self { value, low: value, high: value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(limit: Limit, low: f64, high: f64) -> Bound<'static> {
        let figure = Estimate { value: f64::midpoint(low, high), low, high };
        Bound { name: "nfr_a", text: "a to b", limit, figure, unit: "" }
    }

    #[test]
    fn an_interval_that_reaches_the_limit_excuses_no_miss() {
        assert!(bound(Limit::AtMost(2.0), 1.0, 1.5).is_met());
        assert!(bound(Limit::AtMost(2.0), 1.4, 2.4).is_met());
        assert!(!bound(Limit::AtMost(2.0), 1.9, 2.5).is_met());
        assert!(bound(Limit::AtLeast(3.0), 2.9, 3.4).is_met());
        assert!(!bound(Limit::AtLeast(3.0), 2.5, 3.1).is_met());
    }

    #[test]
    fn what_is_not_a_number_is_never_met() {
        assert!(!bound(Limit::AtMost(2.0), f64::NAN, f64::NAN).is_met());
        assert!(!bound(Limit::AtLeast(2.0), f64::NAN, f64::NAN).is_met());
    }

    #[test]
    fn the_line_says_what_was_compared_and_how_it_went() {
        let line = bound(Limit::AtMost(2.0), 1.0, 1.5).to_string();
        let expected = "bound: nfr_a: a to b: at most 2 (1.25, 95 % interval 1.00 to 1.50): ok";
        assert_eq!(line, expected);
        let open = bound(Limit::AtLeast(1.2), 1.0, 1.5).to_string();
        assert!(open.ends_with("1.00 to 1.50, which does not settle it): ok"), "{open}");
        let counted = Bound {
            figure: Estimate::exact(3.0),
            unit: " ms",
            ..bound(Limit::AtMost(2.0), 0.0, 0.0)
        };
        assert_eq!(counted.to_string(), "bound: nfr_a: a to b: at most 2 ms (3.00 ms): MISSED");
    }
}
