//! A clock on the wall that a test moves under a running program: a small library, compiled here,
//! that the program loads before the system's own.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/clock.c");

/// The clock of the programs that are started with it; as that of the machine until it is moved.
pub struct MovedClock(TempDir);

impl MovedClock {
    /// Compiles the library.
    ///
    /// # Panics
    /// Where there is no compiler of C.
    pub fn new() -> Self {
        let clock = Self(tempfile::tempdir().expect("a folder"));
        clock.is_ahead(0);
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(clock.library())
            .arg(SOURCE)
            .status();
        assert!(built.expect("a compiler").success(), "{SOURCE}");
        clock
    }

    /// From now on it is ahead of the machine's by so many hours; behind where that is below zero.
    pub fn is_ahead(&self, hours: i64) {
        // In place: the programs have it in their memory.
        let bytes = (hours * 3_600).to_ne_bytes();
        let file = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.moved());
        let written = file.and_then(|mut file| std::io::Write::write_all(&mut file, &bytes));
        written.expect("to write");
    }

    /// What a program is started with to have this clock.
    pub fn environment(&self) -> [(&'static str, String); 2] {
        let text = |path: PathBuf| path.to_str().expect("UTF-8").to_owned();
        [
            ("LD_PRELOAD", text(self.library())),
            ("MOVED_CLOCK", text(self.moved())),
        ]
    }

    fn library(&self) -> PathBuf {
        self.0.path().join("clock.so")
    }

    fn moved(&self) -> PathBuf {
        self.0.path().join("moved")
    }
}

impl Default for MovedClock {
    fn default() -> Self {
        Self::new()
    }
}
