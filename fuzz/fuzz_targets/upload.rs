//! The body of an upload: any bytes in the place of the form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use porchlight_fuzz::{TOKEN, sent};

fuzz_target!(|body: &[u8]| {
    let mut request = format!(
        "POST /images/add HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: multipart/form-data; boundary=porchlight\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    let answer = sent(&request, false);
    assert!(
        answer.starts_with(b"HTTP/1.1 "),
        "{}",
        String::from_utf8_lossy(&answer)
    );
});
