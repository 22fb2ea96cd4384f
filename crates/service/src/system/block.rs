//! Facts as HTML that needs no style sheet.

use std::fmt::Write;

use super::facts::Fact;
use crate::text::{LONGEST_LINE, one_line};

/// The colours of the labels, in turn: each can be read on a light page and
/// on a dark one, which the page's own colour of text, left to the values, can
/// as well.
const COLOURS: [&str; 4] = ["#c2701c", "#2f8f5b", "#3a7fc4", "#9a5fc0"];

/// One line a fact. Labels are ours; values are escaped, quotes included, so
/// that they stay text wherever a page puts them.
pub(super) fn html(facts: &[Fact]) -> String {
    let mut html = String::from(
        "<div style=\"font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;\
         line-height:1.6;white-space:pre-wrap\">",
    );
    for (number, fact) in facts.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let value = one_line(&fact.value, LONGEST_LINE);
        let value = html_escape::encode_quoted_attribute(&value);
        let end = if number + 1 < facts.len() { "<br>" } else { "" };
        let _ = write!(
            html,
            "<span style=\"color:{colour};font-weight:600\">{}</span>: {value}{end}",
            fact.label,
        );
    }
    html.push_str("</div>");
    html
}

#[cfg(test)]
mod tests {
    use super::html;
    use crate::system::facts::Fact;

    #[test]
    fn every_fact_is_a_line_and_every_value_is_escaped() {
        let facts = [
            Fact {
                label: "OS",
                value: "A & B <script>alert('\"')</script>".to_owned(),
            },
            Fact {
                label: "Host",
                value: format!(
                    "</script><img src=x onerror=alert(1)>\u{202e}\n\u{1b}{}",
                    "\u{301}".repeat(10_000)
                ),
            },
        ];
        let html = html(&facts);
        assert_eq!(html.matches("<br>").count(), 1);
        assert!(html.contains("A &amp; B &lt;script&gt;"), "{html}");
        assert!(!html.contains("<script>"), "{html}");
        assert!(!html.contains("alert('"), "{html}");
        assert!(!html.contains("<img"), "{html}");
        assert!(!html.contains(['\u{202e}', '\n', '\u{1b}']), "{html}");
        assert_eq!(html.matches('\u{301}').count(), 8);
    }
}
