//! Points in time on the wire.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time, in milliseconds since the Unix epoch; on the wire RFC
/// 3339 in UTC with milliseconds: `2026-01-31T08:15:00.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    millis: i64,
}

impl Timestamp {
    /// The point this many milliseconds after the Unix epoch.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self { millis }
    }

    /// The current time of the machine's clock.
    #[must_use]
    pub fn now() -> Self {
        Self::from_millis(jiff::Timestamp::now().as_millisecond())
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub fn as_millis(self) -> i64 {
        self.millis
    }

    /// Whole seconds since the Unix epoch.
    #[must_use]
    pub fn as_seconds(self) -> i64 {
        self.millis.div_euclid(1000)
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A time outside of the calendar's range is shown as its nearest end.
        let time = jiff::Timestamp::from_millisecond(self.millis).unwrap_or(if self.millis < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        });
        write!(f, "{time:.3}")
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let time: jiff::Timestamp = text.parse().map_err(serde::de::Error::custom)?;
        Ok(Self::from_millis(time.as_millisecond()))
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn a_timestamp_is_rfc_3339_in_utc_with_milliseconds() {
        let text = Timestamp::from_millis(1_769_847_300_000).to_string();
        assert_eq!(text, "2026-01-31T08:15:00.000Z");
        assert_eq!(
            Timestamp::from_millis(7).to_string(),
            "1970-01-01T00:00:00.007Z"
        );
    }
}
