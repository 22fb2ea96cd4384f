//! Parameters of a header, such as those of `Content-Disposition`.

/// The text of a parameter in `form-data; name="image"; filename=a.png`, quoted or not. Its name counts
/// in any case (RFC 2045, section 5.1). `None` where it is missing, or no UTF-8.
#[must_use]
pub fn parameter(header: &[u8], name: &str) -> Option<String> {
    let (_, mut rest) = split(header, b';');
    while !rest.is_empty() {
        let (key, value) = split(rest, b'=');
        // Before it there may be words without a value.
        let key = key.rsplit(|byte| *byte == b';').next().unwrap_or(key);
        let value = value.trim_ascii_start();
        let (text, next) = match value.strip_prefix(b"\"") {
            Some(quoted) => quoted_text(quoted),
            None => {
                let (text, next) = split(value, b';');
                (text.trim_ascii_end().to_vec(), next)
            }
        };
        if key.trim_ascii().eq_ignore_ascii_case(name.as_bytes()) {
            return String::from_utf8(text).ok();
        }
        rest = next;
    }
    None
}

/// What is before and after the first of these bytes.
fn split(bytes: &[u8], at: u8) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| *byte == at);
    end.map_or((bytes, &[]), |end| (&bytes[..end], &bytes[end + 1..]))
}

/// The text up to the closing quotation mark, and what follows. Only a quotation mark is escaped: a
/// backslash may be one of a path of Windows.
fn quoted_text(quoted: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut text = Vec::new();
    let mut rest = quoted;
    loop {
        match rest {
            [] => return (text, rest),
            [b'\\', b'"', next @ ..] => {
                text.push(b'"');
                rest = next;
            }
            [b'"', next @ ..] => return (text, next),
            [byte, next @ ..] => {
                text.push(*byte);
                rest = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_in_every_form_that_clients_send() {
        for (header, name, file_name) in [
            (
                r#"form-data; name="image"; filename="a.png""#,
                Some("image"),
                Some("a.png"),
            ),
            (
                r#"form-data; Name="image"; Filename="a.png""#,
                Some("image"),
                Some("a.png"),
            ),
            (
                r#"form-data;FILENAME=a.png;NAME=image"#,
                Some("image"),
                Some("a.png"),
            ),
            (
                r#"form-data; name = "image" ; filename = a b.png "#,
                Some("image"),
                Some("a b.png"),
            ),
            (
                r#"form-data; filename="name=x; name=y"; name=image"#,
                Some("image"),
                Some("name=x; name=y"),
            ),
            (
                r#"form-data; filename*=UTF-8''b.png; name=image; filename="a.png""#,
                Some("image"),
                Some("a.png"),
            ),
            (r#"form-data; lonely; name="image""#, Some("image"), None),
            (
                r#"form-data; name="a \"b\"; c"; filename="C:\d\a.png""#,
                Some("a \"b\"; c"),
                Some(r"C:\d\a.png"),
            ),
            (r#"form-data; name="open"#, Some("open"), None),
            (r#"form-data; filename=""; name="#, Some(""), Some("")),
            ("form-data", None, None),
            ("", None, None),
            (
                "form-data; filename=灯.png; name=image",
                Some("image"),
                Some("灯.png"),
            ),
        ] {
            let found = |name| parameter(header.as_bytes(), name);
            assert_eq!(found("name").as_deref(), name, "{header}");
            assert_eq!(found("filename").as_deref(), file_name, "{header}");
        }
        // A file name in another encoding does not hide the name of the part.
        let header = b"form-data; filename=\"\xb5\xc6.png\"; name=\"image\"";
        assert_eq!(parameter(header, "name").as_deref(), Some("image"));
        assert_eq!(parameter(header, "filename"), None);
    }
}
