//! The `curl` line that uploads an image and works unchanged. Its token comes
//! from a file that only the owner can read, never from the line.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::shell::{Failure, Result, answer, checkout, refused, run};

/// The name of this token in the list. It is distinctive, so a token with it is
/// ours to revoke.
const NAME: &str = "cargo-xtask-run";

/// The line for the service at `address` with its data in `folder`.
///
/// `token` starts a `porchlight token` command and returns its final options. A
/// token is made where there is none yet; the file of an older run is reused
/// while its token is listed.
pub(super) fn curl_line(
    token: impl Fn() -> Result<(Command, Vec<String>)>,
    folder: &Path,
    address: &str,
) -> Result<String> {
    let header = folder.join("curl-header.txt");
    let ask = |words: &[&str]| -> Result<Command> {
        let (mut command, options) = token()?;
        command.args(words).args(options);
        Ok(command)
    };
    let list = answer(&mut ask(&["list", "--json"])?).unwrap_or_default();
    let listed = is_listed(&list);
    if !(listed && header.is_file()) {
        // Its secret went with the file, and no two tokens have the same name.
        if listed {
            run(&mut ask(&["revoke", NAME])?)?;
        }
        let secret = new_token(ask(&["new", "--name", NAME, "--scope", "upload"])?)?;
        write_header(&header, &secret)?;
    }
    Ok(spell(&header, &picture(), address))
}

/// Whether the JSON that `token list` printed names our token.
fn is_listed(list: &str) -> bool {
    let Ok(list) = serde_json::from_str::<Value>(list) else {
        return false;
    };
    list.as_array()
        .is_some_and(|tokens| tokens.iter().any(|token| token["name"] == NAME))
}

/// Runs the command that prints a new token alone, and reads it. The command
/// is named where it fails; what it printed never is.
fn new_token(mut command: Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| refused(&command, &error))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let token = printed.trim();
    if !output.status.success() || token.is_empty() || token.contains(char::is_whitespace) {
        return Err(Failure::new(format!(
            "No token for curl could be made: `porchlight token new` gave none ({}).",
            output.status
        )));
    }
    Ok(token.to_owned())
}

/// Writes the header as curl reads it from a file. The file is the owner's
/// alone from its first byte on, and appears whole or not at all.
fn write_header(file: &Path, token: &str) -> Result<()> {
    let refused = |error: std::io::Error| {
        Failure::new(format!("{} was not written: {error}.", file.display()))
    };
    let folder = file
        .parent()
        .expect("the header file is in the data folder");
    // A temporary file of this library has mode 0600, and renaming keeps that.
    let mut temporary = tempfile::NamedTempFile::new_in(folder).map_err(refused)?;
    writeln!(temporary, "Authorization: Bearer {token}").map_err(refused)?;
    temporary.as_file().sync_all().map_err(refused)?;
    temporary
        .persist(file)
        .map_err(|error| refused(error.error))?;
    Ok(())
}

/// An image that is there: the one that comes with the checkout.
fn picture() -> PathBuf {
    checkout().join("docs").join("sample.jpg")
}

fn spell(header: &Path, picture: &Path, address: &str) -> String {
    format!(
        "curl -H @{} -F image=@{} {}/images/add",
        quoted(&header.to_string_lossy()),
        quoted(&form_path(&picture.to_string_lossy())),
        address.trim_end_matches('/')
    )
}

/// In a form field, curl treats `;` and `,` as the end of the path, unless it
/// is in double quotes.
fn form_path(path: &str) -> String {
    if path.contains([';', ',', '"']) {
        format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        path.to_owned()
    }
}

/// One word for the shell, whatever is in it.
fn quoted(word: &str) -> String {
    if cfg!(windows) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_the_files_and_holds_no_token() {
        let line = spell(
            Path::new("/home/a/porchlight/curl-header.txt"),
            Path::new("/src/docs/sample.jpg"),
            "http://127.0.0.1:4780",
        );
        if cfg!(unix) {
            assert_eq!(
                line,
                "curl -H @'/home/a/porchlight/curl-header.txt' \
                 -F image=@'/src/docs/sample.jpg' http://127.0.0.1:4780/images/add"
            );
        }
    }

    #[test]
    fn the_picture_of_the_line_comes_with_the_checkout() {
        assert!(picture().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_back_any_path_as_one_word() {
        for path in ["/plain", "/with space", "/it's", "/a$b`c\"d"] {
            let printed = answer(
                crate::shell::command("sh").args(["-c", &format!("printf %s {}", quoted(path))]),
            );
            assert_eq!(printed.as_deref(), Some(path));
        }
    }

    #[test]
    fn a_path_that_curl_would_cut_short_is_quoted_for_curl_too() {
        assert_eq!(form_path("/a;b/c.jpg"), "\"/a;b/c.jpg\"");
        assert_eq!(form_path("/a b/c.jpg"), "/a b/c.jpg");
    }

    #[test]
    fn our_token_is_found_by_its_name_alone() {
        assert!(is_listed(
            r#"[{"name":"admin"},{"name":"cargo-xtask-run"}]"#
        ));
        assert!(!is_listed(r#"[{"name":"cargo-xtask-runs"}]"#));
        assert!(!is_listed("[]"));
        assert!(!is_listed(""));
    }

    #[cfg(unix)]
    #[test]
    fn the_header_file_is_the_owners_alone_even_where_an_open_one_was() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("curl-header.txt");
        std::fs::write(&file, "old").expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("opened");

        write_header(&file, "secret").expect("written");

        let mode = std::fs::metadata(&file)
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(
            std::fs::read_to_string(&file).expect("read"),
            "Authorization: Bearer secret\n"
        );
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("listed").count(),
            1,
            "nothing else is left behind"
        );
    }

    /// A stand-in for `porchlight token`, which notes each call in a file.
    #[cfg(unix)]
    fn stand_in(folder: &Path, list: &str) -> impl Fn() -> Result<(Command, Vec<String>)> {
        let script = format!(
            "echo \"$1\" >> {}; case $1 in list) echo '{list}';; new) echo made;; esac",
            quoted(&folder.join("calls").to_string_lossy())
        );
        move || {
            let mut command = crate::shell::command("sh");
            command.args(["-c", &script, "token"]);
            Ok((command, Vec::new()))
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_token_is_made_once_and_used_again_while_it_is_listed() {
        let folder = tempfile::tempdir().expect("a folder");
        let calls = || std::fs::read_to_string(folder.path().join("calls")).expect("read");
        let address = "http://127.0.0.1:1";

        curl_line(stand_in(folder.path(), "[]"), folder.path(), address).expect("a line");
        assert_eq!(calls(), "list\nnew\n");

        let listed = r#"[{"name":"cargo-xtask-run"}]"#;
        curl_line(stand_in(folder.path(), listed), folder.path(), address).expect("a line");
        assert_eq!(calls(), "list\nnew\nlist\n", "the same token again");

        curl_line(stand_in(folder.path(), "[]"), folder.path(), address).expect("a line");
        assert!(
            calls().ends_with("list\nlist\nnew\n"),
            "it was revoked in between"
        );

        std::fs::remove_file(folder.path().join("curl-header.txt")).expect("removed");
        curl_line(stand_in(folder.path(), listed), folder.path(), address).expect("a line");
        assert!(
            calls().ends_with("new\nlist\nrevoke\nnew\n"),
            "its secret is gone, so it is replaced"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_token_command_that_prints_none_is_an_error_and_writes_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let silent = || {
            let mut command = crate::shell::command("sh");
            command.args(["-c", "exit 0", "token"]);
            Ok((command, Vec::new()))
        };
        curl_line(silent, folder.path(), "http://127.0.0.1:1").expect_err("no token");
        assert!(!folder.path().join("curl-header.txt").exists());
    }
}
