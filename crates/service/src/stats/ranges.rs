//! The calls of a range, for the owner: step by step, and by endpoint.

use super::table::{self, What};
use super::{Endpoint, HourCount, Stats};
use crate::clock::timestamp::Timestamp;
use crate::db::DatabaseError;
use crate::error::message::Message;
use crate::stats::window::{Calls, PathCalls};

/// The times between which calls are summed: from 2 to 400 of them, each later
/// than the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edges(Vec<Timestamp>);

impl Edges {
    /// The most there can be.
    pub const MOST: usize = 400;

    /// Checks them.
    ///
    /// # Errors
    /// When they are too few, too many, or not rising.
    pub fn new(edges: Vec<Timestamp>) -> Result<Self, Message> {
        let enough = (2..=Self::MOST).contains(&edges.len());
        if enough && edges.is_sorted_by(|earlier, later| earlier < later) {
            Ok(Self(edges))
        } else {
            Err(crate::detail!(
                "a range is given by 2 to 400 times, each later than the one before"
            ))
        }
    }

    /// The first of them.
    #[must_use]
    pub fn first(&self) -> Timestamp {
        self.0[0]
    }

    /// The last of them.
    #[must_use]
    pub fn last(&self) -> Timestamp {
        self.0[self.0.len() - 1]
    }

    /// The step that contains a time of the range.
    fn step_of(&self, time: Timestamp) -> usize {
        self.0.partition_point(|edge| *edge <= time) - 1
    }
}

/// The calls of a range. An hour belongs to the step in which it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallsBetween {
    /// Calls from each edge to the next one.
    pub steps: Vec<Calls>,
    /// Calls of each endpoint that was called, most called first, then in the
    /// order of the interface.
    pub paths: Vec<PathCalls>,
}

impl Stats {
    /// The calls of a range. Those of the last second may be missing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn between(&self, edges: Edges) -> Result<CallsBetween, DatabaseError> {
        let mut steps = vec![Calls::default(); edges.0.len() - 1];
        let mut paths = [Calls::default(); Endpoint::COUNT];
        for row in self.hours_between(edges.first(), edges.last()).await? {
            add(&mut steps[edges.step_of(row.hour)], &row);
            add(&mut paths[row.endpoint as usize], &row);
        }
        let called = Endpoint::all().zip(paths);
        let mut paths: Vec<PathCalls> = called
            .filter(|(_, calls)| in_all(calls) > 0)
            .map(|(endpoint, calls)| PathCalls {
                key: endpoint.path().to_owned(),
                calls,
                last: self.total(endpoint).last_updated.map(Timestamp::as_millis),
            })
            .collect();
        paths.sort_by_key(|path| std::cmp::Reverse(in_all(&path.calls)));
        Ok(CallsBetween { steps, paths })
    }

    /// Calls in each of the last `hours` hours, the running one last.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn by_hour(&self, hours: u16) -> Result<Vec<u64>, DatabaseError> {
        let first = self.first_of_the_last(hours);
        let mut counts = vec![0; usize::from(hours)];
        for row in self.hours_between(first, FOR_EVER).await? {
            let place = table::hour_of(row.hour) - table::hour_of(first);
            if let Some(count) = usize::try_from(place).ok().and_then(|p| counts.get_mut(p)) {
                *count += row.count;
            }
        }
        Ok(counts)
    }

    /// How many calls of the last `hours` hours, the running one among them,
    /// were answered with an image: by its bytes, by `304 Not Modified`, or by
    /// a redirect to it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn images_served(&self, hours: u16) -> Result<u64, DatabaseError> {
        let with_an_image = |row: &HourCount| {
            matches!(
                row.endpoint,
                Endpoint::RandomImage | Endpoint::Image | Endpoint::ShortImage
            ) && matches!(row.class, 2 | 3)
        };
        let first = self.first_of_the_last(hours);
        let deletions = self.sum(What::Deletions, first, FOR_EVER).await?;
        let rows = self.hours_between(first, FOR_EVER).await?;
        let served = rows.iter().filter(|row| with_an_image(row));
        let answered: u64 = served.map(|row| row.count).sum();
        Ok(answered.saturating_sub(deletions))
    }

    /// When the last `hours` hours began, the running one counted in.
    fn first_of_the_last(&self, hours: u16) -> Timestamp {
        table::start_of(table::hour_of(self.0.clock.now()) - i64::from(hours) + 1)
    }
}

const FOR_EVER: Timestamp = Timestamp::from_millis(i64::MAX);

fn add(calls: &mut Calls, row: &HourCount) {
    let of_class = match row.class {
        0 => &mut calls.hung_up,
        1 | 2 => &mut calls.good,
        3 => &mut calls.redirected,
        4 => &mut calls.refused,
        _ => &mut calls.failed,
    };
    *of_class += row.count;
}

fn in_all(calls: &Calls) -> u64 {
    calls.good + calls.redirected + calls.refused + calls.failed + calls.hung_up
}

#[cfg(test)]
mod tests;
