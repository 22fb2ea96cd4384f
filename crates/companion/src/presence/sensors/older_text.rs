//! Titles of programs that do not use `_NET_WM_NAME`, which is UTF-8: xterm is one.
//!
//! A title that is decoded wrongly, or in part, would not match the built-in privacy list. So one
//! that cannot be read whole is none.
//! <https://www.x.org/releases/X11R7.7/doc/xorg-docs/ctext/ctext.html>

use std::borrow::Cow;

use encoding_rs::{self as charsets, Encoding};

const ESCAPE: u8 = 0x1b;
const CONTROL_SEQUENCE: u8 = 0x9b;
/// Ends the name of the character set in an extended segment.
const START_OF_TEXT: u8 = 0x02;

/// The text: UTF-8, as many write it, Latin-1, or compound text, which switches between character
/// sets by escape sequences. Empty where a part of it cannot be decoded.
pub(super) fn read(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) if !text.contains(char::from(ESCAPE)) => return text,
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    compound_text(&bytes).unwrap_or_default()
}

/// The characters of one half of the code: bytes below 128, or those from 128 on.
#[derive(Clone, Copy)]
enum Charset {
    /// The lower half of all ISO 8859.
    Ascii,
    Latin1,
    /// One byte a character, as this encoding has it from 128 on.
    Single(&'static Encoding),
    /// Two bytes a character: this encoding with 128 added to each, after these bytes.
    Double(&'static Encoding, &'static [u8]),
}

impl Charset {
    /// The set of 94 characters with this final byte.
    fn of_94(end: u8) -> Option<Self> {
        match end {
            // The Roman half of JIS X 0201 differs in two signs.
            b'B' | b'J' => Some(Self::Ascii),
            b'I' => Some(Self::Single(charsets::SHIFT_JIS)),
            _ => None,
        }
    }

    /// The upper half of ISO 8859 with this final byte.
    fn of_96(end: u8) -> Option<Self> {
        Some(Self::Single(match end {
            b'A' => return Some(Self::Latin1),
            b'B' => charsets::ISO_8859_2,
            b'C' => charsets::ISO_8859_3,
            b'D' => charsets::ISO_8859_4,
            b'F' => charsets::ISO_8859_7,
            b'G' => charsets::ISO_8859_6,
            b'H' => charsets::ISO_8859_8,
            b'L' => charsets::ISO_8859_5,
            b'M' => charsets::WINDOWS_1254,
            b'T' => charsets::WINDOWS_874,
            b'V' => charsets::ISO_8859_10,
            b'Y' => charsets::ISO_8859_13,
            b'_' => charsets::ISO_8859_14,
            b'b' => charsets::ISO_8859_15,
            b'f' => charsets::ISO_8859_16,
            _ => return None,
        }))
    }

    /// The set of 94 × 94 characters with this final byte.
    fn of_pairs(end: u8) -> Option<Self> {
        match end {
            b'A' => Some(Self::Double(charsets::GBK, &[])),
            b'B' => Some(Self::Double(charsets::EUC_JP, &[])),
            b'C' => Some(Self::Double(charsets::EUC_KR, &[])),
            b'D' => Some(Self::Double(charsets::EUC_JP, &[0x8f])),
            _ => None,
        }
    }

    /// Reads one character from the start of `bytes` into `text`; the rest.
    fn read<'a>(self, bytes: &'a [u8], text: &mut String) -> Option<&'a [u8]> {
        let (first, rest) = bytes.split_first()?;
        match self {
            Self::Ascii => text.push(char::from(first & 0x7f)),
            Self::Latin1 => text.push(char::from(first | 0x80)),
            Self::Single(encoding) => text.push_str(&decoded(encoding, &[first | 0x80])?),
            Self::Double(encoding, before) => {
                let (second, rest) = rest.split_first()?;
                let pair = [first | 0x80, second | 0x80];
                let is_in_one_half = (first ^ second) < 0x80 && pair[1] > 0xa0;
                let pair = is_in_one_half.then(|| [before, &pair].concat())?;
                text.push_str(&decoded(encoding, &pair)?);
                return Some(rest);
            }
        }
        Some(rest)
    }
}

fn compound_text(mut bytes: &[u8]) -> Option<String> {
    let mut text = String::new();
    let (mut left, mut right) = (Charset::Ascii, Charset::Latin1);
    while let Some((first, rest)) = bytes.split_first() {
        bytes = match first {
            &ESCAPE => match rest {
                [b'%', b'G', rest @ ..] => utf8(rest, &mut text)?,
                [b'%', b'/', b'0'..=b'4', rest @ ..] => extended_segment(rest, &mut text)?,
                [b'$', b'(', end, rest @ ..] => {
                    left = Charset::of_pairs(*end)?;
                    rest
                }
                [b'$', b')', end, rest @ ..] => {
                    right = Charset::of_pairs(*end)?;
                    rest
                }
                [b'(', end, rest @ ..] => {
                    left = Charset::of_94(*end)?;
                    rest
                }
                [b')', end, rest @ ..] => {
                    right = Charset::of_94(*end)?;
                    rest
                }
                [b'-', end, rest @ ..] => {
                    right = Charset::of_96(*end)?;
                    rest
                }
                _ => return None,
            },
            // The direction of what follows.
            &CONTROL_SEQUENCE => match rest {
                [b']', rest @ ..] | [b'1' | b'2', b']', rest @ ..] => rest,
                _ => return None,
            },
            0x80..=0x9f => return None,
            0x00..=0x20 | 0x7f => {
                text.push(char::from(*first));
                rest
            }
            0x21..=0x7e => left.read(bytes, &mut text)?,
            0xa0..=0xff => right.read(bytes, &mut text)?,
        };
    }
    Some(text)
}

/// Reads UTF-8 to its end, where there is one; the rest.
fn utf8<'a>(bytes: &'a [u8], text: &mut String) -> Option<&'a [u8]> {
    const END: &[u8] = b"\x1b%@";
    let end = bytes.windows(END.len()).position(|part| part == END);
    let (part, rest) = match end {
        Some(end) => (&bytes[..end], &bytes[end + END.len()..]),
        None => (bytes, &[][..]),
    };
    text.push_str(str::from_utf8(part).ok()?);
    Some(rest)
}

/// Reads a segment that begins with its length and the name of its character set; the rest.
fn extended_segment<'a>(bytes: &'a [u8], text: &mut String) -> Option<&'a [u8]> {
    let [high @ 0x80..=0xff, low @ 0x80..=0xff, rest @ ..] = bytes else {
        return None;
    };
    let length = usize::from(high & 0x7f) * 128 + usize::from(low & 0x7f);
    let (segment, rest) = rest.split_at_checked(length)?;
    let end = segment.iter().position(|byte| *byte == START_OF_TEXT)?;
    let (name, part) = (&segment[..end], &segment[end + 1..]);
    // `big5-0`, as X11 names them.
    let encoding =
        Encoding::for_label(name).or_else(|| Encoding::for_label(name.strip_suffix(b"-0")?))?;
    text.push_str(&decoded(encoding, part)?);
    Some(rest)
}

fn decoded<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
    encoding.decode_without_bom_handling_and_without_replacement(bytes)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_title_is_read_in_every_text_encoding() {
        // As libX11 writes them in a UTF-8 locale.
        for (written, text) in [
            (
                &b"\x1b$(B>7>&\x1b$(ARx\x1b$(B9Tf&>e\x1b$(ARx\x1b$(B9T"[..],
                "招商银行网上银行",
            ),
            (b"\x1b$(B;YIUJu", "支付宝"),
            (b"\x1b$(C@:G`\x1b(B \x1b$(B%F%9%H", "은행 テスト"),
            (b"\x1b-L\xc1\xd1\xd5\xe0\xd1\xd0\xdd\xda", "Сбербанк"),
            (b"Soci\xe9t\xe9 G\xe9n\xe9rale", "Société Générale"),
            ("招商银行".as_bytes(), "招商银行"),
            (b"plain", "plain"),
        ] {
            assert_eq!(read(written.to_vec()), text);
        }
    }

    #[test]
    fn text_after_a_change_of_the_character_set_is_read_too() {
        for (written, text) in [
            (
                &b"secretsite \x1b%G\xe2\x80\x94\x1b%@ Mozilla Firefox Private Browsing"[..],
                "secretsite — Mozilla Firefox Private Browsing",
            ),
            (b"\x1b-B\xb1\x1b-A\xe9 end", "ąé end"),
            // A half of its own for each: ASCII left, the other right, and back.
            (b"a\x1b$)A\xd2\xf8b\x1b$)B\xbb\xd9\x1b)I\xb1z", "a银b支ｱz"),
            (b"\x1b$(D0!\x1b(J-\x1b$(B;Y", "丂-支"),
            // An extended segment: its length, the name of its character set, the text.
            (b"\x1b%/1\x80\x8akoi8-r\x02\xe2\xc1\xce bank", "Бан bank"),
            (b"\x1b%/2\x80\x8bbig5-0\x02\xbb\xc8\xa6\xe6 end", "銀行 end"),
            // Directions are not shown.
            (b"\x9b1]one\x9b2]two\x9b]\x1b-A", "onetwo"),
        ] {
            assert_eq!(read(written.to_vec()), text);
        }
    }

    #[test]
    fn a_text_that_cannot_be_read_whole_is_none() {
        for broken in [
            &b"bank \x1b"[..],
            b"bank \x1b$(",
            b"bank \x1b$(Z!!",
            b"bank \x1b$(G!!",
            b"bank \x1b$(A!",
            b"bank \x1b$(A!!!\x1b(B",
            b"bank \x1b%G\xff\x1b%@",
            b"bank \x1b%/1\xff\xffkoi8-r\x02a",
            b"bank \x1b%/1\x80\x80",
            b"bank \x1b%/2\x80\x8bno-set\x02ab",
            b"bank \x1b-Z\xe9",
            b"bank \x1b(B\x9b7x",
        ] {
            assert_eq!(read(broken.to_vec()), "", "{broken:?}");
        }
    }
}
