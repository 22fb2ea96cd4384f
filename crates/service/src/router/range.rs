//! The requested byte range of an image: RFC 9110, section 14.
//!
//! The libraries that parse this header reject a suffix that is longer than the
//! image, where the RFC requires the whole image.

use std::ops::Range;

use headers::{ETag, HeaderMapExt as _, IfRange};
use http::HeaderMap;
use http::header::{IF_RANGE, RANGE};

use crate::router::error::ErrorReply;

/// The single requested range of an image of `size` bytes; `None`, for the
/// whole image, if it is not a byte range, has several ranges, or is of another
/// version of the image.
pub(crate) fn wanted_range(
    headers: &HeaderMap,
    tag: &ETag,
    size: u64,
) -> Result<Option<Range<u64>>, ErrorReply> {
    let Some(wanted) = headers.get(RANGE).and_then(|value| value.to_str().ok()) else {
        return Ok(None);
    };
    let Some((first, last)) = one_range(wanted) else {
        return Ok(None);
    };
    // One that cannot be read matches no version.
    let other_version = headers.contains_key(IF_RANGE)
        && headers
            .typed_get::<IfRange>()
            .is_none_or(|version| version.is_modified(Some(tag), None));
    if other_version {
        return Ok(None);
    }
    let range = match (first, last) {
        (Some(first), Some(last)) => first..last.saturating_add(1).min(size),
        (Some(first), None) => first..size,
        (None, Some(suffix)) => size.saturating_sub(suffix)..size,
        (None, None) => return Ok(None),
    };
    if range.is_empty() {
        Err(ErrorReply::OutsideOf(size))
    } else {
        Ok(Some(range))
    }
}

/// `bytes=FIRST-LAST` with either end left out; `None` when it is malformed.
fn one_range(value: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (unit, range) = value.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    let (first, last) = (end_of(first)?, end_of(last)?);
    let backwards = matches!((first, last), (Some(first), Some(last)) if first > last);
    (unit.eq_ignore_ascii_case("bytes") && !backwards).then_some((first, last))
}

/// A number or nothing; one that is too large for any image is as good as the
/// largest. `None` for anything else.
fn end_of(text: &str) -> Option<Option<u64>> {
    match text {
        "" => Some(None),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(Some(digits.parse().unwrap_or(u64::MAX)))
        }
        _ => None,
    }
}
