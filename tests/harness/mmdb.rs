//! Files in the MaxMind DB format, version 2.0: a binary tree over the bits of
//! an address, and a section of values that its leaves point into.

use std::net::IpAddr;
use std::path::Path;

use serde_json::{Value, json};

/// What one side of a node leads to.
#[derive(Clone, Copy)]
enum Side {
    Empty,
    Node(u32),
    Value(u32),
}

/// Writes a file of this type; each row is a network (`8.8.8.0/24`) and what
/// is known of it. `bits` is 32 for IPv4 alone and 128 for both.
pub fn write(file: &Path, database_type: &str, bits: u8, rows: &[(&str, Value)]) {
    let mut nodes = vec![[Side::Empty; 2]];
    let mut values = Vec::new();
    for (network, value) in rows {
        let offset = u32::try_from(values.len()).expect("a small file");
        encode(value, &mut values);
        insert(&mut nodes, &path_of(network, bits), offset);
    }
    let count = u32::try_from(nodes.len()).expect("a small file");
    let mut bytes = Vec::new();
    for side in nodes.iter().flatten() {
        // A pointer into the values counts the 16 zeros before them.
        let record = match *side {
            Side::Empty => count,
            Side::Node(number) => number,
            Side::Value(offset) => count + 16 + offset,
        };
        bytes.extend(record.to_be_bytes());
    }
    bytes.extend([0; 16]);
    bytes.extend(values);
    bytes.extend(b"\xab\xcd\xefMaxMind.com");
    let version = if bits == 32 { 4 } else { 6 };
    control(MAP, 9, &mut bytes);
    for (name, number) in [
        ("binary_format_major_version", 2),
        ("binary_format_minor_version", 0),
        ("ip_version", version),
        ("record_size", 32),
    ] {
        encode(&Value::from(name), &mut bytes);
        whole(UINT16, number, &mut bytes);
    }
    encode(&Value::from("build_epoch"), &mut bytes);
    whole(UINT64, 1_760_000_000, &mut bytes);
    for (name, value) in [
        ("node_count", Value::from(count)),
        ("database_type", Value::from(database_type)),
        ("languages", json!(["en"])),
        ("description", json!({ "en": "a test" })),
    ] {
        encode(&Value::from(name), &mut bytes);
        encode(&value, &mut bytes);
    }
    std::fs::write(file, bytes).expect("to write");
}

/// The bits that lead to a network; IPv4 is under 96 zeros in a file of both.
fn path_of(network: &str, bits: u8) -> Vec<usize> {
    let (first, length) = network.split_once('/').expect("a network");
    let length: usize = length.parse().expect("a length");
    let (address, width) = match first.parse().expect("an address") {
        IpAddr::V4(ip) => (u128::from(u32::from(ip)), 32),
        IpAddr::V6(ip) => (u128::from(ip), 128),
    };
    let own = (0..length).map(|bit| usize::from(address >> (width - 1 - bit) & 1 == 1));
    std::iter::repeat_n(0, usize::from(bits) - width)
        .chain(own)
        .collect()
}

fn insert(nodes: &mut Vec<[Side; 2]>, path: &[usize], offset: u32) {
    let (&last, before) = path.split_last().expect("a network with a length");
    let mut node = 0;
    for &bit in before {
        node = match nodes[node][bit] {
            Side::Node(next) => next as usize,
            Side::Empty => {
                let next = nodes.len();
                nodes.push([Side::Empty; 2]);
                nodes[node][bit] = Side::Node(u32::try_from(next).expect("a small file"));
                next
            }
            Side::Value(_) => panic!("a network within another"),
        };
    }
    nodes[node][last] = Side::Value(offset);
}

const TEXT: u8 = 2;
const DOUBLE: u8 = 3;
const UINT16: u8 = 5;
const UINT32: u8 = 6;
const MAP: u8 = 7;
const UINT64: u8 = 9;
const ARRAY: u8 = 11;
const BOOLEAN: u8 = 14;

/// A whole number, of the width that its type has.
fn whole(kind: u8, number: u64, into: &mut Vec<u8>) {
    let width = match kind {
        UINT16 => 2,
        UINT32 => 4,
        _ => 8,
    };
    control(kind, width, into);
    into.extend(&number.to_be_bytes()[8 - width..]);
}

/// A value: a control byte of type and size, then its content. Readers are
/// strict about types, and whole numbers in rows are 32 bits wide.
fn encode(value: &Value, into: &mut Vec<u8>) {
    match value {
        Value::String(text) => {
            control(TEXT, text.len(), into);
            into.extend(text.as_bytes());
        }
        Value::Number(number) => match number.as_u64() {
            Some(number) => whole(UINT32, number, into),
            None => {
                control(DOUBLE, 8, into);
                into.extend(number.as_f64().expect("a number").to_be_bytes());
            }
        },
        Value::Object(fields) => {
            control(MAP, fields.len(), into);
            for (name, value) in fields {
                encode(&Value::from(name.as_str()), into);
                encode(value, into);
            }
        }
        Value::Array(items) => {
            control(ARRAY, items.len(), into);
            items.iter().for_each(|item| encode(item, into));
        }
        Value::Bool(yes) => control(BOOLEAN, usize::from(*yes), into),
        Value::Null => panic!("the format knows no null"),
    }
}

fn control(kind: u8, size: usize, into: &mut Vec<u8>) {
    let (short, long) = match u8::try_from(size) {
        Ok(size @ 0..29) => (size, None),
        Ok(size) => (29, Some(size - 29)),
        Err(_) => panic!("a longer value than any test needs"),
    };
    // Types above seven are in a separate byte.
    match kind {
        0..8 => into.push(kind << 5 | short),
        _ => into.extend([short, kind - 7]),
    }
    into.extend(long);
}
