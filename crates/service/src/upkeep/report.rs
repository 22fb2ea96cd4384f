//! What a check found, and what a repair did.

use serde::Serialize;

use crate::error::message::Message;
use crate::images::fault::{Fault, Problem};

/// What was checked, and what is wrong.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CheckReport {
    /// Images whose stored bytes are what they were.
    pub images: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Deleted images whose objects wait for their removal. They are no faults.
    pub waiting: u64,
    /// Files among the images that do not belong to the service. They are not
    /// touched.
    pub foreign: u64,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// Why a repair changed nothing; `None` where it went on.
    #[serde(serialize_with = "as_sentence")]
    pub refused: Option<Message>,
}

/// Scripts read it as people do.
pub(super) fn as_sentence<S: serde::Serializer>(
    why: &Option<Message>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    why.as_ref().map(ToString::to_string).serialize(serializer)
}

impl CheckReport {
    pub(super) fn add(&mut self, fault: Fault) {
        self.problems.push(Problem {
            fault,
            mended: None,
        });
    }

    pub(super) fn any(&self, is_one: impl Fn(&Fault) -> bool) -> bool {
        self.problems.iter().any(|problem| is_one(&problem.fault))
    }

    /// How many images are missing, and how many there are, where that is more than 5 and more than
    /// a tenth: they may be on a disk that is not mounted, or in another bucket.
    #[must_use]
    pub fn many_missing(&self) -> Option<(u64, u64)> {
        let count = |is_one: fn(&Fault) -> bool| {
            let found = self
                .problems
                .iter()
                .filter(|problem| is_one(&problem.fault));
            found.count() as u64
        };
        let missing = count(|fault| matches!(fault, Fault::Missing(_)));
        let others = count(|fault| matches!(fault, Fault::Wrong(_) | Fault::Unreadable(..)));
        let of = self.images + others + missing;
        (missing > 5 && missing * 10 > of).then_some((missing, of))
    }

    /// Whether a repair would change anything; it does nothing about a damaged database.
    pub(super) fn has_work(&self) -> bool {
        let is_damaged = self.any(|fault| matches!(fault, Fault::Database(_)));
        !is_damaged && (!self.problems.is_empty() || self.waiting > 0)
    }

    /// Whether nothing is wrong any more.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.problems.iter().all(|problem| problem.mended.is_some())
    }
}

#[cfg(test)]
mod tests {
    use crate::text::image_hash::ImageHash;

    use super::*;

    #[test]
    fn many_are_more_than_five_and_more_than_a_tenth() {
        let hash = ImageHash::from_bytes([0; 16]);
        for (images, missing, wrong, many) in [
            (0, 5, 0, None),
            (0, 6, 0, Some((6, 6))),
            (53, 6, 0, Some((6, 59))),
            (54, 6, 0, None),
            (48, 6, 5, Some((6, 59))),
            (48, 6, 6, None),
            (1, 0, 90, None),
        ] {
            let mut report = CheckReport {
                images,
                ..CheckReport::default()
            };
            (0..missing).for_each(|_| report.add(Fault::Missing(hash)));
            (0..wrong).for_each(|_| report.add(Fault::Wrong(hash)));
            assert_eq!(report.many_missing(), many, "{images} {missing} {wrong}");
        }
    }
}
