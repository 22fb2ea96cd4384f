//! Medians of noisy measurements, and the table that is printed at the end: Markdown, so that it can
//! be kept.

use std::fmt;

/// Numbers of the same thing, measured again and again, from the smallest on; there is one at least.
#[derive(Clone)]
pub(crate) struct Figures(Vec<f64>);

impl Figures {
    pub(crate) fn new(mut numbers: Vec<f64>) -> Self {
        assert!(!numbers.is_empty(), "something was measured");
        numbers.sort_by(f64::total_cmp);
        Self(numbers)
    }

    /// The one in the middle; between two, their mean.
    pub(crate) fn median(&self) -> f64 {
        let length = self.0.len();
        f64::midpoint(self.0[(length - 1) / 2], self.0[length / 2])
    }

    /// The slowest but one of a hundred.
    pub(crate) fn p99(&self) -> f64 {
        self.0[(self.0.len() * 99).div_ceil(100) - 1]
    }

    pub(crate) fn largest(&self) -> f64 {
        self.0[self.0.len() - 1]
    }

    /// The median and the range, with so many digits.
    pub(crate) fn spelt(&self, digits: usize) -> String {
        let (median, from, to) = (self.median(), self.0[0], self.largest());
        format!("{median:.digits$} ({from:.digits$}–{to:.digits$})")
    }
}

/// Times in milliseconds.
impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ms, p99 {:.2} ms", self.median(), self.p99())
    }
}

/// What a ratio is to be.
pub(crate) enum Aim {
    AtLeast(f64),
    AtMost(f64),
}

/// One thing that was measured.
#[derive(Clone, Default)]
pub(crate) struct Line {
    /// What.
    pub(crate) what: String,
    /// What Porchlight came to.
    pub(crate) ours: String,
    /// What the other came to.
    pub(crate) other: Option<String>,
    /// Ours over the other's.
    pub(crate) ratio: Option<String>,
    /// The aim, and whether it is reached.
    pub(crate) aim: Option<(String, bool)>,
}

impl Line {
    /// A number that must be below this one.
    pub(crate) fn below(
        what: impl Into<String>,
        ours: String,
        number: f64,
        aim: f64,
        unit: &str,
    ) -> Self {
        Self {
            what: what.into(),
            ours,
            aim: Some((format!("< {aim} {unit}"), number < aim)),
            ..Self::default()
        }
    }

    /// What Porchlight and another measured in turns: the medians, and those of the ratios.
    pub(crate) fn turns(
        what: impl Into<String>,
        other: &str,
        unit: &str,
        [ours, theirs]: [Vec<f64>; 2],
        aim: Aim,
    ) -> Self {
        let ratios = ours.iter().zip(&theirs).map(|(our, their)| our / their);
        let ratios = Figures::new(ratios.collect());
        let median = |numbers| format!("{:.1}{unit}", Figures::new(numbers).median());
        Self {
            what: what.into(),
            ours: median(ours),
            other: Some(format!("{other} {}", median(theirs))),
            ratio: Some(ratios.spelt(3)),
            aim: Some(match aim {
                Aim::AtLeast(aim) => (format!("≥ {aim}"), ratios.median() >= aim),
                Aim::AtMost(aim) => (format!("≤ {aim}"), ratios.median() <= aim),
            }),
        }
    }

    /// Whether there is an aim that is not reached.
    pub(crate) fn is_missed(&self) -> bool {
        matches!(self.aim, Some((_, false)))
    }
}

/// The lines below each other, under a heading.
pub(crate) fn print(lines: &[Line]) -> String {
    let mut rows = vec![
        "| measured | Porchlight | the other | ratio | aim | reached |".to_owned(),
        "| --- | --- | --- | --- | --- | --- |".to_owned(),
    ];
    let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "–".to_owned());
    for line in lines {
        let (aim, reached) = match &line.aim {
            None => ("–", "–"),
            Some((aim, true)) => (aim.as_str(), "yes"),
            Some((aim, false)) => (aim.as_str(), "**no**"),
        };
        let (what, ours) = (&line.what, &line.ours);
        let (other, ratio) = (or_dash(&line.other), or_dash(&line.ratio));
        rows.push(format!(
            "| {what} | {ours} | {other} | {ratio} | {aim} | {reached} |"
        ));
    }
    rows.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Figures, Line, print};

    #[test]
    fn a_missed_aim_is_marked() {
        let line = |number| Line::below("memory", format!("{number} MiB"), number, 2.0, "MiB");
        let table = print(&[line(1.0), line(3.0)]);
        let rows: Vec<_> = table.lines().skip(2).collect();
        assert_eq!(rows[0], "| memory | 1 MiB | – | – | < 2 MiB | yes |");
        assert_eq!(rows[1], "| memory | 3 MiB | – | – | < 2 MiB | **no** |");
    }

    #[test]
    fn medians_and_percentiles_are_those_of_the_sorted_numbers() {
        assert_eq!(Figures::new(vec![9.0, 1.0, 2.0]).median(), 2.0);
        assert_eq!(Figures::new(vec![4.0, 1.0, 2.0, 9.0]).median(), 3.0);
        let numbers: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!(Figures::new(numbers).p99(), 198.0);
        assert_eq!(Figures::new(vec![5.0]).p99(), 5.0);
    }
}
