//! The check without a network.

use super::*;

fn announced(version: &str) -> Announcement {
    let text = format!(r#"{{ "version": "{version}" }}"#);
    serde_json::from_str(&text).expect("an announcement")
}

#[test]
fn only_a_higher_version_is_newer() {
    let running = Version::parse("1.10.0").expect("a version");
    for (version, newer) in [
        ("1.10.0", false),
        ("1.9.9", false),
        ("1.10.0-rc.1", false),
        ("1.10.1-rc.1", true),
        ("1.11.0", true),
        ("2.0.0", true),
    ] {
        let result = compared(announced(version), &running);
        let expected = UpdateResult::Newer {
            version: version.to_owned(),
            notes: String::new(),
            page: None,
        };
        let expected = if newer {
            expected
        } else {
            UpdateResult::UpToDate
        };
        assert_eq!(result, expected, "{version}");
    }
}

#[test]
fn notes_have_bounded_lines_without_control_characters() {
    let running = Version::parse("1.0.0").expect("a version");
    let mut long = announced("2.0.0");
    long.notes = format!("one\u{202e}\n\ntwo\u{1b}[1m\n{}\n", "x".repeat(3_000));
    long.notes += &"more\n".repeat(NOTES);
    let UpdateResult::Newer { notes, .. } = compared(long, &running) else {
        panic!("it is newer");
    };
    let lines: Vec<_> = notes.lines().collect();
    assert_eq!(lines[..3], ["one", "", "two[1m"]);
    assert_eq!(lines[3].len(), text::LONGEST_LINE);
    assert_eq!(lines.len(), NOTES);
}

#[tokio::test]
async fn without_an_address_or_a_key_nothing_is_asked() {
    let failed = |why| UpdateResult::Failed { why };
    let mut settings = UpdateSettings::default();
    let checked = check(&settings).await;
    assert_eq!(checked.result, failed(UpdateFailure::NoAddress));
    // No server answers there.
    settings.url = "http://127.0.0.1:1/latest.json".parse().ok();
    let checked = check(&settings).await;
    assert_eq!(checked.result, failed(UpdateFailure::NoKey));
}

#[test]
fn a_copy_of_a_package_names_the_command_of_its_package_manager() {
    let system = |files: &[&str]| {
        let root = tempfile::tempdir().expect("a folder");
        for file in files {
            let file = root.path().join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(file, "").expect("written");
        }
        way("/usr/bin/porchlight".as_ref(), root.path())
    };
    let package = |manager: &str, command: &str| UpdateWay::Package {
        manager: manager.to_owned(),
        command: command.to_owned(),
    };
    let entry = "usr/share/applications/porchlight.desktop";
    for (files, expected) in [
        (
            &[entry, "var/lib/dpkg/info/porchlight.list"][..],
            package("apt", "sudo apt update && sudo apt install porchlight"),
        ),
        (
            &["var/lib/dpkg/info/porchlight-headless.list"],
            package(
                "apt",
                "sudo apt update && sudo apt install porchlight-headless",
            ),
        ),
        (
            &[entry, "usr/bin/zypper", "usr/bin/dnf"],
            package("zypper", "sudo zypper update porchlight"),
        ),
        (
            &["usr/bin/dnf"],
            package("dnf", "sudo dnf upgrade porchlight-headless"),
        ),
        (&[], UpdateWay::System),
    ] {
        assert_eq!(system(files), expected, "{files:?}");
    }
    let unpacked = Path::new("/home/me/porchlight/bin/porchlight");
    assert_eq!(way(unpacked, "/".as_ref()), UpdateWay::Download);
}
