//! The table that is printed at the end: Markdown, so that it can be kept.

/// One thing that was measured.
#[derive(Debug, Clone, Default)]
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
    /// Whether there is an aim that is not reached.
    pub(crate) fn is_missed(&self) -> bool {
        matches!(self.aim, Some((_, false)))
    }

    fn cells(&self) -> [String; 6] {
        let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "–".to_owned());
        let (aim, reached) = match &self.aim {
            None => ("–".to_owned(), "–"),
            Some((aim, true)) => (aim.clone(), "yes"),
            Some((aim, false)) => (aim.clone(), "**no**"),
        };
        [
            self.what.clone(),
            self.ours.clone(),
            or_dash(&self.other),
            or_dash(&self.ratio),
            aim,
            reached.to_owned(),
        ]
    }
}

/// The lines below each other, under a heading.
pub(crate) fn print(lines: &[Line]) -> String {
    let heading = [
        "measured",
        "Porchlight",
        "the other",
        "ratio",
        "aim",
        "reached",
    ];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(lines.iter().map(Line::cells));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; 6] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let rule = widths.map(|width| "-".repeat(width));
    rows.insert(1, rule);
    let row = |cells: &[String; 6]| {
        let cells = cells.iter().zip(widths);
        let cells: Vec<_> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        format!("| {} |", cells.join(" | "))
    };
    rows.iter().map(row).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Line, print};

    #[test]
    fn columns_are_aligned_and_a_missed_target_is_marked() {
        let lines = [
            Line {
                what: "pictures a second".to_owned(),
                ours: "1".to_owned(),
                aim: Some(("≥ 2".to_owned(), false)),
                ..Line::default()
            },
            Line {
                what: "x".to_owned(),
                ours: "12".to_owned(),
                ..Line::default()
            },
        ];
        assert!(lines[0].is_missed() && !lines[1].is_missed());
        let printed = print(&lines);
        let widths: Vec<_> = printed.lines().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "{printed}");
        assert!(printed.contains("| ≥ 2 | **no**  |"), "{printed}");
    }
}
