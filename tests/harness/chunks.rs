//! Where the parts of an image file start: chunks, segments, blocks and boxes of its format; so
//! that a test can cut there, and forge their lengths.

/// Where a part starts, and where its length is written.
#[derive(Debug, Clone)]
pub struct Part {
    /// The first byte of it.
    pub start: usize,
    /// The bytes of its length; empty where there are none.
    pub length: std::ops::Range<usize>,
}

fn part(start: usize, length: std::ops::Range<usize>) -> Part {
    Part { start, length }
}

fn number(bytes: &[u8], big: bool) -> usize {
    let fold = |number: usize, byte: &u8| number << 8 | usize::from(*byte);
    if big {
        bytes.iter().fold(0, fold)
    } else {
        bytes.iter().rev().fold(0, fold)
    }
}

/// The parts of a whole file; for a format without any, every sixteenth byte.
pub fn parts(file: &[u8]) -> Vec<Part> {
    match file {
        [0x89, b'P', ..] => walk(file, 8, |at| {
            let length = number(file.get(at..at + 4)?, true);
            Some((part(at, at..at + 4), length + 12))
        }),
        [b'R', b'I', b'F', b'F', ..] => walk(file, 12, |at| {
            let length = number(file.get(at + 4..at + 8)?, false);
            Some((part(at, at + 4..at + 8), length.next_multiple_of(2) + 8))
        }),
        [0xff, 0xd8, ..] => walk(file, 2, |at| {
            let length = number(file.get(at + 2..at + 4)?, true);
            // Behind the last header come bits without a length.
            let rest = if file[at + 1] == 0xda { file.len() } else { 0 };
            Some((part(at, at + 2..at + 4), length + 2 + rest))
        }),
        [b'G', b'I', b'F', ..] => gif(file),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] | [_, _, _, _, b'J', b'X', b'L', b' ', ..] => {
            boxes(file, 0, file.len())
        }
        _ => (0..file.len())
            .step_by(16)
            .map(|at| part(at, at..at))
            .collect(),
    }
}

fn walk(
    file: &[u8],
    mut at: usize,
    mut next: impl FnMut(usize) -> Option<(Part, usize)>,
) -> Vec<Part> {
    let mut parts = Vec::new();
    while at < file.len()
        && let Some((part, length)) = next(at)
    {
        parts.push(part);
        at += length;
    }
    parts
}

fn gif(file: &[u8]) -> Vec<Part> {
    let table = |flags: u8| {
        if flags & 0x80 == 0 {
            0
        } else {
            3 << ((flags & 7) + 1)
        }
    };
    let mut parts = Vec::new();
    let mut at = 13 + table(file[10]);
    while at < file.len() && file[at] != 0x3b {
        parts.push(part(at, at..at));
        at += match file[at] {
            0x2c => 11 + table(file[at + 9]),
            _ => 2,
        };
        while file[at] > 0 {
            parts.push(part(at, at..at + 1));
            at += 1 + usize::from(file[at]);
        }
        at += 1;
    }
    parts
}

fn boxes(file: &[u8], mut at: usize, end: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    while at + 8 <= end {
        let length = number(&file[at..at + 4], true);
        let length = if length == 0 { end - at } else { length };
        parts.push(part(at, at..at + 4));
        // Those that hold others, with what comes before them.
        let inside = match &file[at + 4..at + 8] {
            b"meta" => Some(12),
            b"iprp" | b"ipco" | b"moov" => Some(8),
            b"iinf" => Some(14),
            _ => None,
        };
        if let Some(before) = inside {
            parts.extend(boxes(file, at + before, at + length));
        }
        at += length;
    }
    parts
}
