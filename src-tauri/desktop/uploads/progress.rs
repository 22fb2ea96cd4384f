//! How far an upload has come, in thousandths: reading the file is the first
//! half, what is made of it the second.

use porchlight_core::images::Progress;

const READ: u64 = 500;
const BEGUN: u16 = 520;
const DECODED: u16 = 700;
const ENCODED: u16 = 950;

/// A stage in thousandths of the whole.
pub(super) fn permille(stage: Progress) -> u16 {
    match stage {
        Progress::Read { bytes, of } => part(bytes, of, READ),
        Progress::Started => BEGUN,
        Progress::Decoded => DECODED,
        Progress::Frames { done, of } => {
            let rest = u64::from(ENCODED - BEGUN);
            BEGUN + part(done.into(), of.into(), rest)
        }
        Progress::Encoded => ENCODED,
    }
}

/// The part of `whole`, and never more: a file can grow while it is read.
fn part(done: u64, of: u64, whole: u64) -> u16 {
    let share = u128::from(done.min(of)) * u128::from(whole) / u128::from(of.max(1));
    u16::try_from(share).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_is_further_than_the_one_before() {
        let read = |bytes| Progress::Read { bytes, of: 1_000 };
        let frames = |done| Progress::Frames { done, of: 3 };
        let still = [read(1), read(2), read(500), read(1_000)];
        let ends = [Progress::Started, Progress::Decoded, Progress::Encoded];
        let animation = [Progress::Started, frames(1), frames(2), frames(3)];
        let still: Vec<u16> = still.into_iter().chain(ends).map(permille).collect();
        assert_eq!(still, [0, 1, 250, 500, 520, 700, 950]);
        let animation = animation.map(permille);
        assert!(animation.is_sorted_by(|before, after| before < after));
        assert!(animation[3] <= permille(Progress::Encoded));
    }

    #[test]
    fn a_file_that_grows_or_is_empty_or_vast_stays_within_its_part() {
        let of = |bytes, of| permille(Progress::Read { bytes, of });
        assert_eq!(of(9, 3), 500);
        assert_eq!(of(0, 0), 0);
        assert_eq!(of(5, 0), 0);
        assert_eq!(of(u64::MAX, u64::MAX), 500);
        assert_eq!(permille(Progress::Frames { done: 5, of: 0 }), 520);
    }
}
