//! The lines `bound: <text>: ok` or `bound: <text>: MISSED` that a benchmark prints.

pub(super) struct Bounds {
    met: usize,
    pub(super) missed: Vec<String>,
}

impl Bounds {
    pub(super) fn read(output: &str) -> Self {
        let mut bounds = Self { met: 0, missed: Vec::new() };
        for text in output.lines().filter_map(|line| line.trim().strip_prefix("bound: ")) {
            // Only the exact word counts as met: a misspelt verdict must not pass.
            if text.ends_with(": ok") {
                bounds.met += 1;
            } else {
                bounds.missed.push(text.to_owned());
            }
        }
        bounds
    }

    pub(super) fn are_absent(&self) -> bool {
        self.met == 0 && self.missed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn met_and_missed_bounds_are_told_apart() {
        let bounds = Bounds::read("| a | 1 |\nbound: a < 2 ms: ok\nbound: b: c < 1: MISSED\n");
        assert_eq!(bounds.met, 1);
        assert_eq!(bounds.missed, ["b: c < 1: MISSED"]);
    }

    #[test]
    fn a_misspelt_verdict_is_not_met() {
        assert_eq!(Bounds::read("bound: a < 2 ms: okay").missed.len(), 1);
    }

    #[test]
    fn output_without_bounds_is_noticed() {
        assert!(Bounds::read("| a | 1 |\n").are_absent());
        assert!(!Bounds::read("bound: a: ok\n").are_absent());
    }
}
