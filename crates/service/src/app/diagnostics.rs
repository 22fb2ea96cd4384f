//! The newest lines of the log, and what a report of trouble needs. Neither
//! holds a secret: none is ever logged, and settings are listed without them.

use std::fmt::Write as _;
use std::path::Path;

use crate::app::host::Host;
use crate::log::lines::newest_lines;
use crate::settings::window::{FileProblem, LogLine, SettingLayer};

/// Lines in a report of trouble.
const IN_A_REPORT: usize = 200;

pub async fn report(host: &Host) -> String {
    let mut text = format!(
        "Porchlight {} on {} {}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    for name in ["XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "LANG"] {
        if let Ok(value) = std::env::var(name) {
            line(&mut text, name, &value);
        }
    }
    line(&mut text, "listening", &host.local_url());
    let public = host.blog_url() != host.local_url();
    line(
        &mut text,
        "public address",
        if public { "yes" } else { "no" },
    );
    line(
        &mut text,
        "sharing",
        &format!("{:?}", host.consent().sharing()),
    );
    let images = host.service().images().page(0, 1, None).await;
    let images = images.map_or_else(|error| error.to_string(), |page| page.total.to_string());
    line(&mut text, "images", &images);
    if let Some(trouble) = host.consent().presence().get().reporter.trouble {
        line(&mut text, "heartbeats", &trouble.to_string());
    }
    if let Some(trouble) = host.service().game().trouble() {
        line(&mut text, "game", &trouble.to_string());
    }
    let panics = host.service().database_panics();
    line(&mut text, "stopped database work", &panics.to_string());
    for FileProblem { line: at, key, why } in host.store().file_problems() {
        let place = at.map_or_else(String::new, |at| format!("line {at}: "));
        let key = key.map_or_else(String::new, |key| format!("{key}: "));
        line(&mut text, "settings file", &format!("{place}{key}{why}"));
    }
    text.push_str("\nsettings that are not the default:\n");
    for row in host.store().rows() {
        if !row.set && row.layer == SettingLayer::Default {
            continue;
        }
        let value = match row.key.as_str() {
            _ if row.secret => "(a secret)".to_owned(),
            // Its words can hold one.
            "tunnel.command" => {
                let program = row.value.get(0).and_then(serde_json::Value::as_str);
                format!("{:?} …", file_name(program.unwrap_or_default()))
            }
            "game.steam_id" => "(set)".to_owned(),
            _ => shown(&row.value),
        };
        line(&mut text, &row.key, &value);
    }
    text.push_str("\nlog:\n");
    match newest_lines(&host.folder().join("logs"), IN_A_REPORT) {
        Ok(lines) => {
            for LogLine {
                at,
                level,
                text: line_text,
            } in lines
            {
                // A text is written to without fail.
                let line_text = without_paths(&line_text);
                let _ = writeln!(text, "{at} {level} {line_text}");
            }
        }
        Err(error) => line(&mut text, "it cannot be read", &error.to_string()),
    }
    text
}

/// A value without what is the owner's own: of a list how long it is, of a path
/// that there is one.
fn shown(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Array(of) => format!("({} of them)", of.len()),
        serde_json::Value::String(text) if Path::new(text).is_absolute() => "(a path)".to_owned(),
        other => other.to_string(),
    }
}

fn file_name(program: &str) -> &str {
    let name = Path::new(program).file_name();
    name.and_then(|name| name.to_str()).unwrap_or(program)
}

/// A line of the log with each path left out, from its beginning to the next
/// field or the line's end: names can hold spaces.
fn without_paths(line_text: &str) -> String {
    let lines = line_text.split('\n').map(|line| {
        let mut kept = String::new();
        let mut rest = line;
        while let Some(at) = path_in(rest) {
            kept.push_str(&rest[..at]);
            kept.push('…');
            let path = &rest[at..];
            rest = next_field(path).map_or("", |field| &path[field..]);
        }
        kept + rest
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Where an absolute path begins that follows no word, as in an address.
fn path_in(line: &str) -> Option<usize> {
    let mut before = ' ';
    line.char_indices().find_map(|(at, sign)| {
        let begins = before.is_whitespace() || "=\"'`(:[".contains(before);
        let rest = &line[at..];
        let drive = || {
            let mut signs = rest.chars();
            signs
                .next()
                .is_some_and(|drive| drive.is_ascii_alphabetic())
                && signs.next() == Some(':')
                && signs.next() == Some('\\')
        };
        let is_path =
            (sign == '/' && !rest.starts_with("//")) || rest.starts_with("\\\\") || drive();
        let found = begins && is_path;
        before = sign;
        found.then_some(at)
    })
}

/// Where ` name=` begins.
fn next_field(text: &str) -> Option<usize> {
    text.match_indices(' ').map(|(at, _)| at).find(|at| {
        let name = text[at + 1..].split('=').next().unwrap_or_default();
        let is_name = |sign: char| sign.is_ascii_lowercase() || sign == '_';
        !name.is_empty() && text[at + 1..].len() > name.len() && name.chars().all(is_name)
    })
}

fn line(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "{name}: {value}");
}

#[cfg(test)]
mod tests {
    use crate::tokens::scope::Scope;
    use secrecy::ExposeSecret as _;

    use super::*;
    use crate::app::host::{Kind, StartOptions};
    use crate::settings::meta;
    use crate::testing::{full, keep_a_secret};

    #[test]
    fn a_report_has_no_paths_but_the_text_beside_them() {
        for (text, redacted) in [
            ("a: uploaded file=/home/me/a cat.png", "a: uploaded file=…"),
            (
                "a: not stored file=/home/me/a cat.png error=it is broken",
                "a: not stored file=… error=it is broken",
            ),
            (
                "a: at http://127.0.0.1:4780/images/list 3/4",
                "a: at http://127.0.0.1:4780/images/list 3/4",
            ),
            ("a: \"/home/me\" cannot be read", "a: \"…"),
            ("a: kept in C:\\Users\\me", "a: kept in …"),
            ("a: broken\n   at /home/me", "a: broken\n   at …"),
        ] {
            assert_eq!(without_paths(text), redacted);
        }
        assert_eq!(shown(&full("/home/me").into()), "(a path)");
    }

    #[tokio::test]
    async fn a_report_of_trouble_holds_no_secret() {
        let mark = "marked-for-this-test-and-for-no-other";
        let folder = tempfile::tempdir().expect("a folder");
        let mut set: Vec<String> = meta::secrets().map(|key| format!("{key}={mark}")).collect();
        set.push(format!("tunnel.command=['bore', '--secret', '{mark}']"));
        set.push("images.quality=71".to_owned());
        set.push(format!(
            "presence.rules=[{{ program = '{mark}', hide = true }}]"
        ));
        let folders = [format!("/home/{mark}"), format!("/{mark} too")];
        let folders = folders.map(|folder| full(&folder));
        set.push(format!("watch.folders={folders:?}"));
        set.push("game.steam_id=76561197960287930".to_owned());
        let options = StartOptions {
            data_dir: Some(folder.path().to_owned()),
            listen: Some(([127, 0, 0, 1], 0).into()),
            set,
            without_keyring: true,
        };
        let host = match Host::start(options, Kind::Desktop).await {
            Ok(host) => host,
            Err(error) => panic!("{error}"),
        };
        let token = host.tokens().create("phone", Scope::Admin).await;
        let token = token.expect("a token");
        let secret = keep_a_secret(folder.path()).await;
        let text = report(&host).await;
        assert!(text.contains("images.quality: 71"), "{text}");
        assert!(text.contains("tunnel.command: \"bore\" …"), "{text}");
        for key in meta::secrets() {
            assert!(
                text.contains(&format!("{key}: (a secret)")),
                "{key}: {text}"
            );
        }
        for line in ["presence.rules: (1 of them)", "watch.folders: (2 of them)"] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(text.contains("game.steam_id: (set)"), "{text}");
        assert!(!text.contains("76561197960287930"), "{text}");
        let data = folder.path().display().to_string();
        assert!(!text.contains(&data), "{text}");
        assert!(!text.contains(mark), "{text}");
        assert!(!text.contains(token.expose_secret()) && !text.contains(secret));
        host.stop().await;
    }
}
