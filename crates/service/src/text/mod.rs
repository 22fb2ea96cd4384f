//! Cleans text from outside: names, titles and descriptions that are shown in blogs, menus and
//! logs.
//!
//! Some characters are invisible and change how the text around them is shown: they change its
//! direction, are invisible inside words, or stack over other lines. They are removed on input.

pub mod address;
pub mod image_hash;
pub mod pattern;
pub mod rgba;
pub mod secret;

use std::iter::Peekable;

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

/// The maximum number of characters of a name: of a program, a game, a network.
pub const LONGEST_NAME: usize = 200;

/// The longest name of an album, in characters.
pub const LONGEST_ALBUM: usize = 64;

/// The maximum number of characters of a device's name.
pub const LONGEST_DEVICE_NAME: usize = 64;

/// The maximum number of characters of a description.
pub const LONGEST_LINE: usize = 2_000;

/// Combining marks in a row that stay. No script needs more on one letter.
const MOST_MARKS: usize = 8;

/// The text without bidirectional controls, zero-width characters and long runs of combining marks.
/// Cleaning is idempotent.
#[must_use]
pub fn clean(text: &str) -> String {
    let mut marks = 0;
    let few_marks = |&character: &char| {
        if is_mark(character) {
            marks += 1;
        } else if !is_joiner(character) {
            marks = 0;
        }
        marks <= MOST_MARKS || is_joiner(character)
    };
    let shown = |character: &char| !is_invisible(*character);
    joined(text.chars().filter(shown).filter(few_marks).peekable())
}

/// The text, cleaned, as one line of at most this many characters. Breaks become
/// spaces; other control characters are removed.
#[must_use]
pub fn one_line(text: &str, longest: usize) -> String {
    let line: String = text
        .chars()
        .filter_map(|character| match character {
            '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(' '),
            control if control.is_control() => None,
            other => Some(other),
        })
        .collect();
    clean(&line).trim().chars().take(longest).collect()
}

/// The name of an album: one clean line; `None` where it has no characters, or more than
/// [`LONGEST_ALBUM`].
#[must_use]
pub fn album(text: &str) -> Option<String> {
    name(text, LONGEST_ALBUM)
}

/// The name of a device: one clean line; `None` where it has no characters, or more than
/// [`LONGEST_DEVICE_NAME`].
#[must_use]
pub fn device_name(text: &str) -> Option<String> {
    name(text, LONGEST_DEVICE_NAME)
}

fn name(text: &str, longest: usize) -> Option<String> {
    let name = one_line(text, longest + 1);
    (1..=longest)
        .contains(&name.chars().count())
        .then_some(name)
}

/// The text without joiners, except between two visible characters: emoji and some scripts need
/// them.
fn joined(mut text: Peekable<impl Iterator<Item = char>>) -> String {
    let mut joined = String::new();
    let mut last = None;
    while let Some(character) = text.next() {
        let is_between =
            last.is_some_and(is_visible) && text.peek().copied().is_some_and(is_visible);
        if !is_joiner(character) || is_between {
            joined.push(character);
            last = Some(character);
        }
    }
    joined
}

/// Bidirectional controls, zero-width characters, and what XML does not allow.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{61c}'
            | '\u{fffe}'
            | '\u{ffff}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
    )
}

/// Zero-width non-joiner and joiner.
fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}')
}

fn is_visible(character: char) -> bool {
    !is_joiner(character) && !character.is_whitespace() && !character.is_control()
}

fn is_mark(character: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    GeneralCategoryGroup::Mark.contains(category)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bidi_and_zero_width_characters_are_removed() {
        for invisible in [
            0x61c, 0x200b, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2066,
            0x2067, 0x2068, 0x2069, 0xfeff, 0xfffe, 0xffff,
        ] {
            let character = char::from_u32(invisible).expect("a character");
            let text = format!("{character}gpj{character}.exe{character}");
            assert_eq!(clean(&text), "gpj.exe", "{invisible:x}");
        }
    }

    #[test]
    fn joiners_stay_between_visible_characters_only() {
        for (text, cleaned) in [
            ("👩\u{200d}💻", "👩\u{200d}💻"),
            ("❤\u{fe0f}\u{200d}🔥", "❤\u{fe0f}\u{200d}🔥"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("\u{200d}a\u{200c}", "a"),
            ("a\u{200d} \u{200d}b", "a b"),
            ("a\u{200d}\u{200d}\u{200c}b", "a\u{200c}b"),
            ("a\u{200d}\u{200b}", "a"),
            ("a\u{200d}\u{200b}b", "a\u{200d}b"),
        ] {
            assert_eq!(clean(text), cleaned, "{text:?}");
            assert_eq!(clean(cleaned), cleaned, "{text:?}");
        }
    }

    #[test]
    fn at_most_eight_combining_marks_in_a_row_stay() {
        let pile = "\u{301}".repeat(10_000);
        assert_eq!(
            clean(&format!("a{pile}b{pile}")),
            format!("a{0}b{0}", "\u{301}".repeat(8))
        );
        // Marks of all kinds, and joiners between them, form one run.
        let mixed = "\u{301}\u{200d}\u{489}\u{200b}\u{903}".repeat(100);
        assert_eq!(clean(&mixed).chars().filter(|c| is_mark(*c)).count(), 8);
        // Vietnamese, Thai and Hindi as they are written.
        for plain in ["Tie\u{302}\u{301}ng Vie\u{323}\u{302}t", "ที่นี้", "क्ष्म्य"]
        {
            assert_eq!(clean(plain), plain);
        }
    }

    #[test]
    fn an_album_has_one_to_64_characters() {
        let longest = "光".repeat(64);
        for (text, name) in [
            (" cats\n", Some("cats")),
            (&longest, Some(longest.as_str())),
            (&"a".repeat(65), None),
            (" \u{202e}\u{0} ", None),
        ] {
            assert_eq!(album(text).as_deref(), name, "{text:?}");
        }
    }

    /// The Worker's tests read the same file.
    #[test]
    fn albums_are_cleaned_as_at_the_worker() {
        let rules = include_str!("../../../../edge/tests/harness/rules.json");
        let rules: serde_json::Value = serde_json::from_str(rules).expect("JSON");
        for pair in rules["albums"].as_array().expect("albums") {
            let name = album(pair[0].as_str().expect("a text"));
            assert_eq!(name.as_deref(), pair[1].as_str(), "{pair}");
        }
    }

    #[test]
    fn a_line_is_one_line_and_bounded() {
        assert_eq!(
            one_line(" a\r\nb\u{2028}c\u{7}\u{1b}[31m\u{9b}d ", 100),
            "a  b c[31md"
        );
        assert_eq!(one_line(&"光".repeat(300), 200), "光".repeat(200));
        assert_eq!(one_line("\u{202e}\u{0}", 200), "");
    }
}
