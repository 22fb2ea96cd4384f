//! Counts the readers of a day anonymously: an address is stored as a digest
//! with a secret salt, and both are deleted when the day is over. Only a number
//! remains. The digests are in a separate file, the numbers in the database.

use std::collections::HashSet;
use std::net::IpAddr;

use rand::RngExt as _;
use sha2::{Digest as _, Sha256};

use crate::clock::timestamp::Timestamp;
use crate::clock::{Clock, Day};
use crate::stats::window::{DayReaders, ReaderCount};

pub(crate) mod digest_file;
pub(crate) mod table;

/// The most distinct readers of one day; any others are "more". A client with a
/// million addresses must fill neither memory nor disk.
pub(super) const MOST: usize = 100_000;

/// Who calls, as far as the listener knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A reader at this address, or in this IPv6 network.
    At(IpAddr),
    /// A reader from the internet whose address the tunnel does not pass on.
    Unnamed,
}

pub(super) type Salt = [u8; 32];

/// What is remembered of a day.
#[derive(Debug, Clone, Default)]
pub(super) struct Remembered {
    /// The day, and the salt of its digests; `None` before its first reader.
    pub(super) salt: Option<(i64, Salt)>,
    pub(super) digests: Vec<i64>,
}

/// Pending changes of the digests.
#[derive(Debug, Clone, Default)]
pub(super) struct DigestChanges {
    /// Whether those of a past day are to be deleted.
    pub(super) forget: bool,
    /// New ones, with the day and the salt that they are made with.
    pub(super) new: Option<(i64, Salt, Vec<i64>)>,
}

/// The readers of the running day, in memory.
pub(super) struct Readers {
    day: Day,
    salt: Salt,
    seen: HashSet<i64>,
    more: bool,
    /// The count of an earlier run: more than it remembered where the digests
    /// are lost, as after a restore.
    floor: u64,
    new: Vec<i64>,
    changed: bool,
    forget: bool,
    /// Days that have ended since the last time.
    over: Vec<DayReaders>,
}

impl Readers {
    /// Continues with what an earlier run remembered of today, and had counted.
    pub(super) fn open(clock: &Clock, remembered: Remembered, counted: ReaderCount) -> Self {
        let mut readers = Self::start(clock.day_of(clock.now()));
        match remembered.salt {
            Some((day, salt)) if day == readers.day.number => {
                readers.salt = salt;
                readers.seen.extend(remembered.digests);
            }
            Some(_) => readers.forget = true,
            None => {}
        }
        readers.floor = counted.count;
        let lost = counted.count.saturating_sub(readers.seen.len() as u64);
        if lost > 0 {
            tracing::info!(
                "today's count is a lower bound: the digests of {lost} readers are lost"
            );
        }
        readers.more = counted.more || lost > 0;
        readers
    }

    fn start(day: Day) -> Self {
        Self {
            day,
            salt: rand::rng().random(),
            seen: HashSet::new(),
            more: false,
            floor: 0,
            new: Vec::new(),
            changed: false,
            forget: false,
            over: Vec::new(),
        }
    }

    /// A reader has come.
    pub(super) fn came(&mut self, clock: &Clock, reader: Reader) {
        self.look_at_the_clock(clock, clock.now());
        let digest = match reader {
            Reader::At(address) => Some(digest(&self.salt, address)),
            Reader::Unnamed => None,
        };
        match digest {
            Some(digest) if self.seen.contains(&digest) => {}
            Some(digest) if self.seen.len() < MOST => {
                self.seen.insert(digest);
                self.new.push(digest);
                self.changed = true;
            }
            _ => {
                self.changed |= !self.more;
                self.more = true;
            }
        }
    }

    /// The readers of today.
    pub(super) fn today(&mut self, clock: &Clock) -> DayReaders {
        self.look_at_the_clock(clock, clock.now());
        self.count()
    }

    fn count(&self) -> DayReaders {
        DayReaders {
            day: self.day.number,
            readers: ReaderCount {
                count: self.floor.max(self.seen.len() as u64),
                more: self.more,
            },
        }
    }

    /// Resets when the day is over.
    fn look_at_the_clock(&mut self, clock: &Clock, now: Timestamp) {
        if self.day.holds(now) {
            return;
        }
        let mut next = Self::start(clock.day_of(now));
        next.over = std::mem::take(&mut self.over);
        if self.changed {
            next.over.push(self.count());
        }
        next.forget = self.forget || !self.seen.is_empty();
        *self = next;
    }

    /// Takes the pending counts of days, and the changes of the digests.
    pub(super) fn take(&mut self, clock: &Clock) -> (Vec<DayReaders>, DigestChanges) {
        self.look_at_the_clock(clock, clock.now());
        let mut counts = std::mem::take(&mut self.over);
        if std::mem::take(&mut self.changed) {
            counts.push(self.count());
        }
        let new = std::mem::take(&mut self.new);
        let changes = DigestChanges {
            forget: std::mem::take(&mut self.forget),
            new: (!new.is_empty()).then_some((self.day.number, self.salt, new)),
        };
        (counts, changes)
    }

    /// Takes back counts that could not be written.
    pub(super) fn put_back(&mut self, counts: Vec<DayReaders>) {
        self.over.splice(0..0, counts);
    }

    /// Takes back digests that could not be written.
    pub(super) fn put_back_digests(&mut self, changes: DigestChanges) {
        self.forget |= changes.forget;
        if let Some((_, salt, digests)) = changes.new
            && salt == self.salt
        {
            self.new.extend(digests);
        }
    }
}

/// Eight bytes distinguish [`MOST`] readers.
fn digest(salt: &Salt, address: IpAddr) -> i64 {
    let mut digest = Sha256::new_with_prefix(salt);
    match address {
        IpAddr::V4(address) => digest.update(address.octets()),
        IpAddr::V6(address) => digest.update(address.octets()),
    }
    let bytes = digest.finalize();
    i64::from_le_bytes(std::array::from_fn(|n| bytes[n]))
}

#[cfg(test)]
mod tests;
