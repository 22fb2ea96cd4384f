//! Creation times as other servers write them: the interface does not specify
//! their format.

use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::clock::timestamp::Timestamp;

/// The tolerance for another clock that is ahead of ours, in milliseconds.
const AHEAD: i64 = 24 * 60 * 60 * 1000;

/// A number beyond this counts milliseconds; as seconds it would be the year 5138.
const SECONDS_END: f64 = 1e11;

/// The time of a value, when it is between 1970 and `now`. Without a time zone it is read as UTC.
pub(super) fn read(value: &Value, now: Timestamp) -> Option<Timestamp> {
    let millis = match value {
        Value::Number(number) => of_number(number.as_f64()?),
        Value::String(text) => of_text(text.trim())?,
        _ => return None,
    };
    let latest = now.as_millis().saturating_add(AHEAD);
    (1..=latest)
        .contains(&millis)
        .then(|| Timestamp::from_millis(millis))
}

fn of_number(number: f64) -> i64 {
    let is_seconds = number.abs() < SECONDS_END;
    (if is_seconds { number * 1000.0 } else { number }) as i64
}

fn of_text(text: &str) -> Option<i64> {
    let in_utc = |time: DateTime| time.to_zoned(TimeZone::UTC).ok();
    let zoned = || -> Option<jiff::Timestamp> {
        text.parse()
            .ok()
            .or_else(|| rfc2822::parse(text).ok().map(|time| time.timestamp()))
    };
    let civil = || {
        let time = text.parse::<DateTime>().ok();
        let time = time.or_else(|| text.parse::<Date>().ok().map(DateTime::from));
        time.and_then(in_utc).map(|time| time.timestamp())
    };
    match text.parse::<f64>() {
        Ok(number) => Some(of_number(number)),
        Err(_) => zoned().or_else(civil).map(jiff::Timestamp::as_millisecond),
    }
}

#[cfg(test)]
mod tests {
    use crate::clock::timestamp::Timestamp;
    use serde_json::json;

    use super::read;

    #[test]
    fn a_time_is_read_in_the_forms_that_servers_write() {
        let now = Timestamp::from_millis(1_800_000_000_000);
        for (written, millis) in [
            (json!("2026-01-31T08:15:00.000Z"), 1_769_847_300_000),
            (json!("2026-01-31T09:15:00+01:00"), 1_769_847_300_000),
            (json!("2026-01-31 08:15:00"), 1_769_847_300_000),
            (json!("2026-01-31T08:15:00.250"), 1_769_847_300_250),
            (json!("Sat, 31 Jan 2026 08:15:00 GMT"), 1_769_847_300_000),
            (json!("2026-01-31"), 1_769_817_600_000),
            (json!(1_769_847_300), 1_769_847_300_000),
            (json!(1_769_847_300_250_i64), 1_769_847_300_250),
            (json!(1_769_847_300.25), 1_769_847_300_250),
            (json!("1769847300"), 1_769_847_300_000),
        ] {
            let read = read(&written, now).map(Timestamp::as_millis);
            assert_eq!(read, Some(millis), "{written}");
        }
    }

    #[test]
    fn invalid_and_impossible_times_are_none() {
        let now = Timestamp::from_millis(1_800_000_000_000);
        for written in [
            json!(null),
            json!("yesterday"),
            json!(""),
            json!("9999-01-01T00:00:00Z"),
            json!(-5),
            json!(1e300),
            json!("NaN"),
            json!({}),
        ] {
            assert_eq!(read(&written, now), None, "{written}");
        }
    }
}
