//! Counts the readers of a day anonymously: an address is kept as a digest with a secret key, and
//! both are removed when the day is over. Only a number remains.
//!
//! Today's digests are in a file of their own, `readers.json`: no backup has it, nor a program that
//! keeps a copy of the database. The service runs without it. Where it is lost or damaged, the
//! count of the day, which is in the database, becomes a lower bound.

use std::collections::HashSet;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rand::RngExt as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::table::What;
use crate::clock::{Clock, Day};
use crate::files::private_files;
use crate::stats::window::{DayReaders, ReaderCount};

/// The most distinct readers of one day; any others are "more". A client with a
/// million addresses must fill neither memory nor disk.
const MOST: usize = 100_000;

/// The file is written whole, so a large one is written less often: after one more second for each
/// so many digests.
const DIGESTS_A_SECOND: u64 = 1000;

/// Who calls, as far as the listener knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A reader at this address, or in this IPv6 network.
    At(IpAddr),
    /// A reader from the internet whose address the tunnel does not pass on.
    Unnamed,
}

type Key = [u8; 32];

/// The digests of one day, as they are in the file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Digests {
    /// A date by the owner's clock, as days since that of the Unix epoch.
    day: i64,
    key: Key,
    digests: HashSet<i64>,
}

/// Where they are.
pub(crate) fn file_in(data_folder: &Path) -> PathBuf {
    data_folder.join("readers.json")
}

/// What an earlier run has written; nothing where the file is missing or damaged.
pub(super) fn read(file: &Path) -> Digests {
    if let Err(error) = private_files::remove_unfinished(file) {
        tracing::warn!(%error, "an unfinished file of digests cannot be removed");
    }
    let text = std::fs::read(file).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Writes them; without any there is no file. Blocks.
pub(super) fn write(file: &Path, digests: &Digests) -> io::Result<()> {
    if digests.digests.is_empty() {
        return remove(file);
    }
    private_files::write(file, &serde_json::to_vec(digests)?)
}

/// Removes the file, and what a kill left of one that was being written.
pub(crate) fn remove(file: &Path) -> io::Result<()> {
    private_files::remove_unfinished(file)?;
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The readers of the running day, in memory.
pub(super) struct Readers {
    day: Day,
    known: Digests,
    /// Whether the file differs.
    changed: bool,
    /// When the file may be written again.
    next_write: Instant,
    /// More than are known where digests are lost, as after a restore.
    counted: u64,
    more: bool,
}

impl Readers {
    /// Continues with what an earlier run remembered, and had counted of today.
    pub(super) fn open(clock: &Clock, remembered: Digests, counted: ReaderCount) -> Self {
        let mut readers = Self::start(clock.day_of(clock.now()));
        if remembered.day == readers.day.number {
            readers.known = remembered;
            readers.changed = false;
        }
        let lost = counted.count.saturating_sub(readers.known());
        if lost > 0 {
            tracing::info!(
                "today's count is a lower bound: the digests of {lost} readers are lost"
            );
        }
        readers.counted = counted.count;
        readers.more = counted.more || lost > 0;
        readers
    }

    fn start(day: Day) -> Self {
        Self {
            known: Digests {
                day: day.number,
                key: rand::rng().random(),
                digests: HashSet::new(),
            },
            day,
            changed: true,
            next_write: Instant::now(),
            counted: 0,
            more: false,
        }
    }

    fn known(&self) -> u64 {
        self.known.digests.len() as u64
    }

    /// A reader has come. Returns what that adds to the counts of today.
    pub(super) fn came(&mut self, clock: &Clock, reader: Reader) -> Option<(What, u64)> {
        self.follow(clock);
        if let Reader::At(address) = reader {
            let digest = digest(&self.known.key, address);
            if self.known.digests.contains(&digest) {
                return None;
            }
            if self.known.digests.len() < MOST {
                self.known.digests.insert(digest);
                self.changed = true;
                let new = self.known().saturating_sub(self.counted);
                self.counted += new;
                return (new > 0).then_some((What::Readers, new));
            }
        }
        (!std::mem::replace(&mut self.more, true)).then_some((What::MoreReaders, 1))
    }

    /// The readers of today.
    pub(super) fn today(&mut self, clock: &Clock) -> DayReaders {
        self.follow(clock);
        DayReaders {
            day: self.day.number,
            readers: ReaderCount {
                count: self.counted.max(self.known()),
                more: self.more,
            },
        }
    }

    /// The digests, where the file differs and it is time to write it, or this is the `last` time.
    pub(super) fn take_changed(&mut self, clock: &Clock, last: bool) -> Option<Digests> {
        self.follow(clock);
        let now = Instant::now();
        if !self.changed || now < self.next_write && !last {
            return None;
        }
        self.changed = false;
        self.next_write = now + Duration::from_secs(self.known() / DIGESTS_A_SECOND);
        Some(self.known.clone())
    }

    /// The day of the last call.
    pub(super) fn day(&self) -> i64 {
        self.day.number
    }

    /// Notes that the file could not be written.
    pub(super) fn unwritten(&mut self) {
        self.changed = true;
    }

    /// Starts anew when the day is over.
    fn follow(&mut self, clock: &Clock) {
        let now = clock.now();
        if !self.day.holds(now) {
            *self = Self::start(clock.day_of(now));
        }
    }
}

/// Eight bytes distinguish [`MOST`] readers.
fn digest(key: &Key, address: IpAddr) -> i64 {
    let mut digest = Sha256::new_with_prefix(key);
    match address {
        IpAddr::V4(address) => digest.update(address.octets()),
        IpAddr::V6(address) => digest.update(address.octets()),
    }
    let bytes = digest.finalize();
    i64::from_le_bytes(std::array::from_fn(|n| bytes[n]))
}

#[cfg(test)]
mod tests;
