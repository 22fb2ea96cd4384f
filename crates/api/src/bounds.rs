//! Whole numbers with bounds, for settings.

use serde::{Deserialize, Deserializer};

use crate::Message;

/// Reads a whole number from `MIN` to `MAX`; for `deserialize_with`.
///
/// # Errors
/// When it is none, with the bounds in the message.
pub fn within<'de, D: Deserializer<'de>, const MIN: u64, const MAX: u64>(
    deserializer: D,
) -> Result<u64, D::Error> {
    let number = i64::deserialize(deserializer)?;
    u64::try_from(number)
        .ok()
        .filter(|number| (MIN..=MAX).contains(number))
        .ok_or_else(|| {
            serde::de::Error::custom(Message::OutOfBounds {
                value: number.into(),
                min: MIN.into(),
                max: MAX.into(),
            })
        })
}
