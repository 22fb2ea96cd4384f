//! What lies behind an error.

use std::error::Error;

/// What the innermost cause of an error says. The front of an error of the
/// network says only that there was one, and where, which can hold a key.
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
    fn the_innermost_cause_is_what_is_said() {
        let inside = std::io::Error::other("the cable is out");
        assert_eq!(deepest(&Outside(inside)), "the cable is out");
        assert_eq!(deepest(&std::fmt::Error), std::fmt::Error.to_string());
    }
}
