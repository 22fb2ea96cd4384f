//! Writes log events so that their text cannot forge other events.

use std::io::{self, Write};

use crate::text;

/// Writes each event as one event, whatever text it contains: continuation lines are indented,
/// control characters are escaped, and text is cleaned. The library does this only for messages,
/// not for fields.
pub(super) struct Events<W> {
    pub(super) to: W,
    pub(super) coloured: bool,
}

impl<W: Write> Write for Events<W> {
    /// Collects one event as the library writes it.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let mut line = one_event(text.trim_end_matches('\n'), self.coloured);
        line.push('\n');
        self.to.write_all(line.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

fn one_event(text: &str, coloured: bool) -> String {
    let text = text::clean(text);
    let mut line = String::with_capacity(text.len() + 1);
    for (at, character) in text.char_indices() {
        match character {
            '\n' => line.push_str("\n    "),
            '\u{1b}' if coloured && is_colour(&text[at + 1..]) => line.push(character),
            control if control.is_control() => line.extend(control.escape_default()),
            other => line.push(other),
        }
    }
    line
}

/// Whether an escape sequence that continues like this only changes colours.
fn is_colour(rest: &str) -> bool {
    let codes = rest.strip_prefix('[').unwrap_or_default();
    codes
        .trim_start_matches(|code: char| code.is_ascii_digit() || code == ';')
        .starts_with('m')
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use tracing_subscriber::fmt;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[test]
    fn outside_text_cannot_forge_a_log_event() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("porchlight.2026-01-01.log");
        let opened = file.clone();
        let writer = move || Events {
            to: File::options()
                .append(true)
                .create(true)
                .open(&opened)
                .expect("a file"),
            coloured: false,
        };
        let layer = fmt::layer().with_ansi(false).with_writer(writer);
        let hostile = format!(
            "a\n2026-01-01T00:00:00Z ERROR porchlight: forged\r\u{1b}[2J\u{9b}K\u{202e}b{}",
            "\u{301}".repeat(10_000)
        );
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            tracing::warn!(error = %hostile, "{hostile}");
        });
        let lines = crate::log::lines::newest_lines(folder.path(), 10).expect("lines");
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!(lines[0].level, "WARN");
        let text = std::fs::read_to_string(file).expect("a file");
        assert_eq!(
            text.len(),
            text.replace(['\r', '\u{1b}', '\u{9b}', '\u{202e}'], "")
                .len()
        );
        assert_eq!(text.lines().count(), 3);
        assert!(text.lines().skip(1).all(|line| line.starts_with("    ")));
        assert_eq!(text.matches('\u{301}').count(), 2 * 8);
    }

    #[test]
    fn only_colour_escapes_of_the_library_are_kept() {
        let text = "\u{1b}[2mtime\u{1b}[0m \u{1b}[2J\u{1b}]0;m\u{7}";
        let kept = "\u{1b}[2mtime\u{1b}[0m \\u{1b}[2J\\u{1b}]0;m\\u{7}";
        assert_eq!(one_event(text, true), kept);
        assert!(!one_event(text, false).contains('\u{1b}'));
    }
}
