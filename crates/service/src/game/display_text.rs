//! Display texts of the interface: play time, achievements, price.

/// For a game without achievements, or without visible ones.
pub(super) const NO_ACHIEVEMENTS: &str = "无成就数据";

/// For a game that is free.
pub(super) const FREE: &str = "免费";

/// Minutes as `12小时34分钟`.
pub(super) fn playtime(minutes: u64) -> String {
    format!("{}小时{}分钟", minutes / 60, minutes % 60)
}

/// The share of achievements reached, with one decimal: `12.5%`.
pub(super) fn achievements(reached: usize, of: usize) -> String {
    if of == 0 {
        return NO_ACHIEVEMENTS.to_owned();
    }
    // In thousandths, halves up, so that no rounding of floats shows; and
    // nothing but all of them is 100.0%.
    let thousandths = (reached * 2000 + of) / (of * 2);
    let thousandths = if reached < of {
        thousandths.min(999)
    } else {
        1000
    };
    format!("{}.{}%", thousandths / 10, thousandths % 10)
}

#[cfg(test)]
mod tests {
    use super::{NO_ACHIEVEMENTS, achievements, playtime};

    #[test]
    fn playtime_is_hours_and_minutes() {
        for (minutes, text) in [
            (0, "0小时0分钟"),
            (34, "0小时34分钟"),
            (60, "1小时0分钟"),
            (100_000, "1666小时40分钟"),
        ] {
            assert_eq!(playtime(minutes), text);
        }
    }

    #[test]
    fn achievements_have_one_decimal() {
        for (reached, of, text) in [
            (0, 0, NO_ACHIEVEMENTS),
            (0, 8, "0.0%"),
            (1, 3, "33.3%"),
            (2, 3, "66.7%"),
            (8, 8, "100.0%"),
            (9_999, 10_000, "99.9%"),
        ] {
            assert_eq!(achievements(reached, of), text, "{reached} of {of}");
        }
    }
}
