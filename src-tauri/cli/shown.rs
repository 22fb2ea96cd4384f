//! Names and texts of others, so that they do no harm on a terminal.

use std::path::Path;

/// A name on one line, whatever is in it.
pub(super) fn shown(file: &Path) -> String {
    match file.to_str() {
        Some(text) if printable(text) == text => text.to_owned(),
        _ => format!("{file:?}"),
    }
}

/// A text that moves no cursor and breaks no line.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '"' | '\'' | '\\' => c.to_string(),
            c => c.escape_debug().to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_takes_one_line_and_moves_no_cursor() {
        for (name, expected) in [
            ("a b.jpg", "a b.jpg"),
            ("it's \"new\".jpg", "it's \"new\".jpg"),
            ("雪.jpg", "雪.jpg"),
            ("a\nb.jpg", "\"a\\nb.jpg\""),
            ("\u{1b}[2J.jpg", "\"\\u{1b}[2J.jpg\""),
            ("\u{9b}2J\r.jpg", "\"\\u{9b}2J\\r.jpg\""),
            ("\u{202e}gpj.exe", "\"\\u{202e}gpj.exe\""),
            ("a\u{200b}b.jpg", "\"a\\u{200b}b.jpg\""),
        ] {
            assert_eq!(shown(Path::new(name)), expected);
        }
    }

    #[test]
    fn no_hostile_text_reaches_the_terminal() {
        let hostile = format!(
            "</script>\u{1b}]0;title\u{7}\r\n\u{85}\u{2028}\u{202e}\u{feff}{}",
            "\u{301}".repeat(10_000)
        );
        for printed in [printable(&hostile), shown(Path::new(&hostile))] {
            assert!(printed.contains("</script>"));
            assert!(printed.is_ascii(), "only what is printed is left");
        }
    }
}
