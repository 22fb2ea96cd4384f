//! The steps that bring a database up to date, oldest first. A step that has
//! been released is never edited; a change is a new step.

use crate::{images, presence, stats, tokens};

/// Each runs in a transaction of its own.
pub(super) const STEPS: [&str; 9] = [
    tokens::table::CREATE,
    presence::table::CREATE,
    images::table::CREATE,
    stats::table::CREATE,
    stats::table::INDEX_MOST_VIEWED,
    presence::table::HEARD_UNTIL,
    presence::table::FIND_BY_END,
    stats::readers::table::CREATE,
    stats::views_by_day::CREATE,
];

#[cfg(test)]
mod tests;
