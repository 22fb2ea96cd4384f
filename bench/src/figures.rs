//! Medians and spreads of a few noisy measurements.

use std::fmt;

/// Numbers of the same thing, measured again and again.
#[derive(Debug, Clone)]
pub(crate) struct Figures(Vec<f64>);

impl Figures {
    /// # Panics
    /// When there are none.
    pub(crate) fn new(mut numbers: Vec<f64>) -> Self {
        assert!(!numbers.is_empty(), "something was measured");
        numbers.sort_by(f64::total_cmp);
        Self(numbers)
    }

    /// Each of these over the one measured beside it.
    pub(crate) fn ratios(ours: &[f64], others: &[f64]) -> Self {
        Self::new(
            ours.iter()
                .zip(others)
                .map(|(our, other)| our / other)
                .collect(),
        )
    }

    /// The one in the middle; between two, their mean.
    pub(crate) fn median(&self) -> f64 {
        let middle = self.0.len() / 2;
        if self.0.len() % 2 == 1 {
            self.0[middle]
        } else {
            f64::midpoint(self.0[middle - 1], self.0[middle])
        }
    }

    /// A percentile.
    pub(crate) fn percentile(&self, hundredth: usize) -> f64 {
        let place = (self.0.len() * hundredth).div_ceil(100).max(1);
        self.0[place - 1]
    }

    pub(crate) fn smallest(&self) -> f64 {
        self.0[0]
    }

    pub(crate) fn largest(&self) -> f64 {
        self.0[self.0.len() - 1]
    }
}

/// The median, and the range of the others.
impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (median, from, to) = (self.median(), self.smallest(), self.largest());
        write!(f, "{median:.2} ({from:.2}–{to:.2})")
    }
}

#[cfg(test)]
mod tests {
    use super::Figures;

    #[test]
    fn the_median_is_in_the_middle_whatever_the_order() {
        assert_eq!(Figures::new(vec![9.0, 1.0, 2.0]).median(), 2.0);
        assert_eq!(Figures::new(vec![4.0, 1.0, 2.0, 9.0]).median(), 3.0);
    }

    #[test]
    fn one_of_a_hundred_may_be_slower_than_the_99th_percentile() {
        let numbers: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!(Figures::new(numbers).percentile(99), 198.0);
        assert_eq!(Figures::new(vec![5.0]).percentile(99), 5.0);
    }

    #[test]
    fn ratios_are_of_what_was_measured_side_by_side() {
        let ratios = Figures::ratios(&[1.0, 6.0, 4.0], &[2.0, 4.0, 4.0]);
        assert_eq!(ratios.to_string(), "1.00 (0.50–1.50)");
    }
}
