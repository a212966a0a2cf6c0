//! How sure a figure is: its interval by the bootstrap.
//!
//! The samples are drawn anew, with replacement, many times; the figure of each draw is taken, and the middle 95 % of
//! them are the interval. Nothing is assumed about how the samples are distributed, which for times nobody knows.

use crate::quantile::Quantile;
use crate::random::Random;

const DRAWS: usize = 2000;
/// Any will do, as long as it stays.
const SEED: u64 = 20_250_101;

/// A figure and its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// A quantile of some samples.
pub fn of_one(quantile: Quantile, samples: &[f64]) -> Estimate {
    let pairs: Vec<(f64, f64)> = samples.iter().map(|sample| (*sample, 1.0)).collect();
    estimate(quantile, &pairs)
}

/// How the quantiles of two things compare that were measured in the same rounds. Rounds are drawn, not samples, so
/// that a machine that was busy in some of them was so for both.
pub fn of_ratio(quantile: Quantile, ours: &[f64], theirs: &[f64]) -> Estimate {
    let pairs: Vec<(f64, f64)> = ours.iter().copied().zip(theirs.iter().copied()).collect();
    estimate(quantile, &pairs)
}

fn estimate(quantile: Quantile, rounds: &[(f64, f64)]) -> Estimate {
    let mut random = Random::seeded(SEED);
    let figure = |rounds: &[(f64, f64)]| {
        let (mut ours, mut theirs): (Vec<f64>, Vec<f64>) = rounds.iter().copied().unzip();
        quantile.of_mut(&mut ours) / quantile.of_mut(&mut theirs)
    };
    let mut drawn: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let draw = |_| rounds.get(random.below(rounds.len())).copied();
            figure(&(0..rounds.len()).filter_map(draw).collect::<Vec<_>>())
        })
        .collect();
    drawn.sort_unstable_by(f64::total_cmp);
    let at = |index: usize| drawn.get(index).copied().unwrap_or(f64::NAN);
    Estimate { value: figure(rounds), low: at(DRAWS * 25 / 1000), high: at(DRAWS * 975 / 1000 - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples around `middle`, the same in every run.
    fn around(middle: f64, seed: u64, count: usize) -> Vec<f64> {
        let mut random = Random::seeded(seed);
        (0..count).map(|_| middle * (0.9 + random.below(201) as f64 / 1000.0)).collect()
    }

    #[test]
    fn the_interval_holds_the_true_ratio_and_is_narrow() {
        let (ours, theirs) = (around(30.0, 1, 60), around(20.0, 2, 60));
        let ratio = of_ratio(Quantile::Median, &ours, &theirs);
        assert!(ratio.low <= 1.5 && 1.5 <= ratio.high, "{ratio:?}");
        assert!(ratio.low <= ratio.value && ratio.value <= ratio.high, "{ratio:?}");
        assert!(ratio.high - ratio.low < 0.2, "{ratio:?}");
    }

    #[test]
    fn about_95_of_100_intervals_hold_the_truth() {
        let holds = |round: u64| {
            let (ours, theirs) = (around(30.0, 2 * round, 25), around(20.0, 2 * round + 1, 25));
            let ratio = of_ratio(Quantile::Median, &ours, &theirs);
            ratio.low <= 1.5 && 1.5 <= ratio.high
        };
        let held = (1000..1100).filter(|round| holds(*round)).count();
        assert!((88..=100).contains(&held), "{held}");
    }

    #[test]
    fn what_slows_a_whole_round_down_does_not_widen_the_interval() {
        let theirs = around(20.0, 3, 30);
        let ours: Vec<f64> = theirs.iter().map(|sample| sample * 2.0).collect();
        let ratio = of_ratio(Quantile::P95, &ours, &theirs);
        assert_eq!((ratio.low, ratio.value, ratio.high), (2.0, 2.0, 2.0));
    }

    #[test]
    fn the_same_samples_give_the_same_interval() {
        let samples = around(10.0, 4, 15);
        assert_eq!(of_one(Quantile::P95, &samples), of_one(Quantile::P95, &samples));
        let single = of_one(Quantile::Median, &[5.0]);
        assert_eq!((single.low, single.value, single.high), (5.0, 5.0, 5.0));
    }
}
