//! The path that a program means where it percent-encodes one, or names a file by its address.

use std::path::{Path, PathBuf};

use percent_encoding::percent_decode;

/// The file that `named` means: the one at this path where there is one, else the one at its
/// percent-decoded path (`a%20b.png`). A `file://` address names a path, too. What is not there stays
/// as it is named. Only a path that `may_be_opened` is looked at. Blocks.
pub fn file_named(named: &Path, may_be_opened: impl Fn(&Path) -> bool) -> PathBuf {
    let is_there = |path: &Path| may_be_opened(path) && path.symlink_metadata().is_ok();
    if is_there(named) {
        return named.to_owned();
    }
    let path = match named.to_str().and_then(path_of_address) {
        Some(path) => PathBuf::from(path),
        None => named.to_owned(),
    };
    let decoded = decoded(&path).filter(|decoded| !is_there(&path) && is_there(decoded));
    decoded.unwrap_or(path)
}

/// The path in `file:///home/me/a.png`. An address of another computer is none.
fn path_of_address(address: &str) -> Option<&str> {
    let rest = without(address, "file://")?;
    let path = without(rest, "localhost").unwrap_or(rest);
    let below = path.strip_prefix('/')?;
    // A drive of Windows comes after the slash.
    Some(if cfg!(windows) { below } else { path })
}

/// What follows `start`, in any case.
fn without<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    let head = text.get(..start.len())?;
    let is_start = head.eq_ignore_ascii_case(start);
    is_start.then(|| &text[start.len()..])
}

fn decoded(path: &Path) -> Option<PathBuf> {
    let encoded = path.as_os_str().as_encoded_bytes();
    let bytes: Vec<u8> = encoded
        .contains(&b'%')
        .then(|| percent_decode(encoded).collect())?;
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt as _;
        Some(std::ffi::OsString::from_vec(bytes).into())
    }
    #[cfg(windows)]
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_literal_path_comes_before_the_decoded_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let means = |name: &Path| file_named(name, Path::is_absolute);
        std::fs::create_dir(at("图片 1")).expect("a folder");
        for name in ["a b.png", "100%.png", "图片 1/雪.png", "c#1&.png"] {
            std::fs::write(at(name), "").expect("a file");
        }
        for (named, file) in [
            ("a b.png", "a b.png"),
            ("a%20b.png", "a b.png"),
            ("100%.png", "100%.png"),
            ("100%25.png", "100%.png"),
            ("%E5%9B%BE%E7%89%87%201/%E9%9B%AA.png", "图片 1/雪.png"),
            ("图片%201/雪.png", "图片 1/雪.png"),
            ("gone%20.png", "gone%20.png"),
            ("a%00b.png", "a%00b.png"),
        ] {
            assert_eq!(means(&at(named)), at(file), "{named}");
        }
        std::fs::write(at("a%20b.png"), "").expect("a file");
        assert_eq!(means(&at("a%20b.png")), at("a%20b.png"));

        let slash = if cfg!(windows) { "/" } else { "" };
        for (start, name, file) in [
            ("file://", "c%231%26.png", "c#1&.png"),
            ("FILE://localhost", "c#1&.png", "c#1&.png"),
            ("file://", "gone.png", "gone.png"),
        ] {
            let address = format!("{start}{slash}{}", at(name).display());
            assert_eq!(means(Path::new(&address)), at(file), "{address}");
        }
        let elsewhere = Path::new("file://server/share/a.png");
        assert_eq!(means(elsewhere), elsewhere);
    }

    #[test]
    fn what_may_not_be_opened_is_not_looked_at() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a b.png");
        std::fs::write(&file, "").expect("a file");
        let encoded = folder.path().join("a%20b.png");
        assert_eq!(file_named(&encoded, |_| true), file);
        assert_eq!(file_named(&encoded, |_| false), encoded);
    }
}
