//! `multipart/form-data` written by hand, so that a test can get it wrong.

/// The boundary of every form made here.
pub const BOUNDARY: &str = "porchlight-boundary-7d91c2";

/// The `Content-Type` of a form made here.
pub fn content_type() -> String {
    format!("multipart/form-data; boundary={BOUNDARY}")
}

/// One part that is a file.
pub fn file_part(field: &str, file_name: &str, declared: &str, bytes: &[u8]) -> Vec<u8> {
    let mut part = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{field}\"; \
         filename=\"{file_name}\"\r\nContent-Type: {declared}\r\n\r\n"
    )
    .into_bytes();
    part.extend_from_slice(bytes);
    part.extend_from_slice(b"\r\n");
    part
}

/// One part that is text, or is meant to be.
pub fn text_part(field: &str, text: &[u8]) -> Vec<u8> {
    let mut part =
        format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n")
            .into_bytes();
    part.extend_from_slice(text);
    part.extend_from_slice(b"\r\n");
    part
}

/// A whole form of these parts: its content type and its body.
pub fn form(parts: &[Vec<u8>]) -> (String, Vec<u8>) {
    let mut body = parts.concat();
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    (content_type(), body)
}

/// A form with one file.
pub fn file(field: &str, file_name: &str, declared: &str, bytes: &[u8]) -> (String, Vec<u8>) {
    form(&[file_part(field, file_name, declared, bytes)])
}
