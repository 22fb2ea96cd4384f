//! The cause of an error.

use std::error::Error;

/// The message of an error's innermost cause. The outer message of a network
/// error contains only the URL, which can hold a key.
#[must_use]
pub fn deepest(error: &(dyn Error + 'static)) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

#[cfg(test)]
mod tests {
    use super::deepest;

    #[derive(Debug, thiserror::Error)]
    #[error("outside")]
    struct Outside(#[source] std::io::Error);

    #[test]
    fn the_innermost_cause_is_returned() {
        let inside = std::io::Error::other("the cable is out");
        assert_eq!(deepest(&Outside(inside)), "the cable is out");
        assert_eq!(deepest(&std::fmt::Error), std::fmt::Error.to_string());
    }
}
