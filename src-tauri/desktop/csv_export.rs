//! Calls and views of readers as a file for a spreadsheet: CSV as RFC 4180 has it.

use std::fmt::Write as _;

use jiff::{Span, civil};
use porchlight_service::stats::{DayViews, HourCount};

/// Hours are written in UTC.
const CALLS: &str = "hour_utc,path,status_class,calls\r\n";
/// Days are those of the owner's clock.
const VIEWS: &str = "day,picture,views\r\n";

/// The calls, a row for each hour, path and class of status.
pub(super) fn calls(rows: &[HourCount]) -> String {
    let mut text = CALLS.to_owned();
    for row in rows {
        let (hour, path) = (row.hour, quoted(row.endpoint.path()));
        let class = match row.class {
            0 => "hung up".to_owned(),
            class => format!("{class}xx"),
        };
        let calls = row.count;
        write!(text, "{hour},{path},{class},{calls}\r\n").expect("a text takes what it is given");
    }
    text
}

/// The views, a row for each day and picture.
pub(super) fn views(rows: &[DayViews]) -> String {
    let mut text = VIEWS.to_owned();
    for row in rows {
        let (day, picture, views) = (date(row.day), row.hash, row.count);
        write!(text, "{day},{picture},{views}\r\n").expect("a text takes what it is given");
    }
    text
}

/// A date by its days since that of the Unix epoch; the nearest one that a
/// calendar has.
fn date(days: i64) -> civil::Date {
    let span = Span::new().try_days(days);
    let epoch = civil::date(1970, 1, 1);
    span.map_or(civil::Date::MAX, |span| epoch.saturating_add(span))
}

/// A field that may hold anything.
fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use porchlight_service::clock::timestamp::Timestamp;
    use porchlight_service::stats::Endpoint;

    use super::*;

    fn row(hour: i64, endpoint: Endpoint, class: u8, count: u64) -> HourCount {
        HourCount {
            hour: Timestamp::from_millis(hour * 3_600_000),
            endpoint,
            class,
            count,
        }
    }

    #[test]
    fn each_row_of_the_calls_export_has_hour_path_class_and_calls() {
        let rows = [
            row(480_000, Endpoint::ShortImage, 2, 12),
            row(480_001, Endpoint::Check, 0, 1),
        ];
        assert_eq!(
            calls(&rows),
            "hour_utc,path,status_class,calls\r\n\
             2024-10-04T00:00:00.000Z,\"/i/{hash}\",2xx,12\r\n\
             2024-10-04T01:00:00.000Z,\"/check\",hung up,1\r\n"
        );
        assert_eq!(calls(&[]), CALLS);
    }

    #[test]
    fn each_row_of_the_views_export_has_day_image_and_views() {
        let hash: porchlight_service::text::image_hash::ImageHash =
            "ab".repeat(16).parse().expect("a hash");
        let row = |day, count| DayViews { day, hash, count };
        assert_eq!(
            views(&[row(20_779, 3), row(-1, 1)]),
            format!("day,picture,views\r\n2026-11-22,{hash},3\r\n1969-12-31,{hash},1\r\n")
        );
        assert_eq!(views(&[]), VIEWS);
    }

    #[test]
    fn a_quote_in_a_field_is_doubled() {
        assert_eq!(quoted("a\"b,c\r\n"), "\"a\"\"b,c\r\n\"");
    }
}
