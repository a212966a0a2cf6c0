//! Quantiles of samples.

/// Which value of the samples, when they are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantile {
    Median,
    P95,
    P99,
}

impl Quantile {
    /// Interpolates between the two nearest samples. Of no samples it is not a number.
    pub fn of(self, samples: &[f64]) -> f64 {
        let mut sorted = samples.to_vec();
        self.of_mut(&mut sorted)
    }

    /// The same, for samples whose order does not matter any more.
    pub(crate) fn of_mut(self, samples: &mut [f64]) -> f64 {
        samples.sort_unstable_by(f64::total_cmp);
        let last = samples.len().saturating_sub(1);
        let (below, weight) = match self {
            Self::Median => (last / 2, if last.is_multiple_of(2) { 0.0 } else { 0.5 }),
            // Counted in twentieths, so that no float decides on an index.
            Self::P95 => (last * 19 / 20, f64::from(small(last * 19 % 20)) / 20.0),
            Self::P99 => (last * 99 / 100, f64::from(small(last * 99 % 100)) / 100.0),
        };
        let at = |index: usize| samples.get(index.min(last)).copied().unwrap_or(f64::NAN);
        at(below) + (at(below + 1) - at(below)) * weight
    }
}

fn small(number: usize) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

/// The largest sample, or not a number if there is none.
pub fn largest(samples: &[f64]) -> f64 {
    samples.iter().copied().fold(f64::NAN, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle_or_between_the_two_there() {
        assert_eq!(Quantile::Median.of(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(Quantile::Median.of(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(Quantile::Median.of(&[7.0]), 7.0);
    }

    #[test]
    fn p95_of_twenty_one_is_the_second_largest() {
        let samples: Vec<f64> = (0..21_u8).rev().map(f64::from).collect();
        assert_eq!(Quantile::P95.of(&samples), 19.0);
    }

    #[test]
    fn p95_of_eleven_lies_between_the_two_largest() {
        let samples: Vec<f64> = (0..11_u8).map(f64::from).collect();
        assert_eq!(Quantile::P95.of(&samples), 9.5);
    }

    #[test]
    fn nothing_has_no_quantile_and_no_largest() {
        assert!(Quantile::Median.of(&[]).is_nan() && largest(&[]).is_nan());
        assert_eq!(largest(&[1.0, 3.0, 2.0]), 3.0);
    }
}
