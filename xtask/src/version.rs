//! Version numbers as compilers and interpreters print them.

use std::fmt;

/// Major, minor and patch; they compare in that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl Version {
    /// The version of these three numbers.
    pub(crate) const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// The first word of `text` that starts like a version: `v20.19.0`, `rustc
    /// 1.95.0-nightly (…)` and `1.95` are all read. Numbers left out are 0.
    pub(crate) fn find(text: &str) -> Option<Self> {
        text.split_whitespace().find_map(Self::parse)
    }

    fn parse(word: &str) -> Option<Self> {
        let word = word.strip_prefix('v').unwrap_or(word);
        let plain = word.split(['-', '+']).next()?;
        let mut numbers = plain.split('.').map(|number| number.parse::<u32>().ok());
        let major = numbers.next()??;
        let minor = numbers.next().unwrap_or(Some(0))?;
        let patch = numbers.next().unwrap_or(Some(0))?;
        Some(Self::new(major, minor, patch))
    }

    /// The first of the three numbers.
    pub(crate) fn major(self) -> u32 {
        self.major
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_print() {
        for (printed, expected) in [
            ("v20.19.0\n", Version::new(20, 19, 0)),
            (
                "rustc 1.95.0 (59807616e 2026-04-14)",
                Version::new(1, 95, 0),
            ),
            (
                "rustc 1.97.0-nightly (abc 2026-05-01)",
                Version::new(1, 97, 0),
            ),
            ("1.95", Version::new(1, 95, 0)),
        ] {
            assert_eq!(Version::find(printed), Some(expected), "{printed}");
        }
    }

    #[test]
    fn text_without_a_version_has_none() {
        for printed in ["", "command not found", "v", "one.two"] {
            assert_eq!(Version::find(printed), None, "{printed}");
        }
    }

    #[test]
    fn numbers_compare_as_numbers() {
        assert!(Version::new(20, 9, 0) < Version::new(20, 19, 0));
        assert!(Version::new(20, 19, 0) < Version::new(22, 0, 0));
        assert!(Version::new(1, 95, 1) > Version::new(1, 95, 0));
    }
}
