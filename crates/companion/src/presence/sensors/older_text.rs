//! Titles of programs that do not use `_NET_WM_NAME`, which is UTF-8: xterm is one.
//! A title that is decoded wrongly would not match the built-in privacy list.

/// The text: UTF-8, as many write it, Latin-1, or compound text, which switches
/// between character sets by escape sequences.
pub(super) fn read(mut bytes: Vec<u8>) -> String {
    const ESCAPE: u8 = 0x1b;
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains(char::from(ESCAPE)) => return text,
        Ok(text) => bytes = text.into_bytes(),
        Err(error) => bytes = error.into_bytes(),
    }
    // Multi-byte sets (`ESC $ (`) use seven bits. The decoder relies on that.
    for part in bytes.split_mut(|byte| *byte == ESCAPE) {
        if part.starts_with(b"$(") {
            part.iter_mut().for_each(|byte| *byte &= 0x7f);
        }
    }
    xim_ctext::compound_text_to_utf8(&bytes)
        .unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned())
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
        // No input can panic the thread.
        for broken in [
            &b"\x1b$(A\xff\xfe"[..],
            b"\x1b",
            b"\x1b$(",
            b"\x1b$(Z!!",
            b"\x1b%G\xff",
        ] {
            read(broken.to_vec());
        }
    }
}
