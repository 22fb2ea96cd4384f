//! The entries as validators and desktops read them.

use std::process::Command;

use super::*;

/// Entries in a folder of their own, of a program and a data folder with names
/// that must be quoted.
fn entries(home: &Path) -> Entries {
    Entries {
        data_home: home.join("share"),
        config_home: home.join("config"),
        program: home.join(r#"it's "100" $HOME `id` \ 光"#),
        data_dir: Some(home.join("my 100%F data")),
        suffix: "-1".to_owned(),
        installed: false,
    }
}

/// Those of the platform's data folder, of a program that a package has put below `prefix`.
fn packaged(home: &Path, prefix: &Path) -> Entries {
    let entries = Entries {
        program: prefix.join("bin/porchlight"),
        data_dir: None,
        suffix: String::new(),
        ..entries(home)
    };
    let text = entries.entry(Kind::Application).expect("one").to_string();
    let place = prefix.join("share/applications/porchlight.desktop");
    write(&place, text.as_bytes()).expect("written");
    entries.find_installed()
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).map(|entries| entries.flatten().collect::<Vec<_>>());
    let mut names: Vec<String> = entries
        .unwrap_or_default()
        .iter()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".desktop"))
        .collect();
    names.sort();
    names
}

#[test]
fn entries_come_and_go_and_their_icon_is_there() {
    let home = tempfile::tempdir().expect("a folder");
    let entries = entries(home.path());
    let applications = home.path().join("share/applications");
    assert!(!entries.in_menu() && !entries.at_login());
    // What is not there is gone already.
    entries.put_in_menu(false).expect("nothing to do");

    entries.put_in_menu(true).expect("written");
    assert!(entries.in_menu() && !entries.at_login());
    assert_eq!(
        files(&applications),
        ["porchlight-1.desktop", "porchlight-upload-1.desktop"]
    );
    let icon = home
        .path()
        .join("share/icons/hicolor/128x128/apps/porchlight.png");
    assert_eq!(fs::read(icon).expect("an icon"), ICON);

    entries.start_at_login(true).expect("written");
    assert!(entries.at_login());
    assert_eq!(
        files(&home.path().join("config/autostart")),
        ["porchlight-1.desktop"]
    );
    entries.start_at_login(false).expect("removed");
    entries.put_in_menu(false).expect("removed");
    assert!(!entries.in_menu() && !entries.at_login());
    assert_eq!(files(&applications), Vec::<String>::new());
}

#[test]
fn entries_follow_a_program_that_has_moved_and_no_others_are_made() {
    let home = tempfile::tempdir().expect("a folder");
    let before = entries(home.path());
    assert!(!before.renew().expect("nothing to do"));
    before.start_at_login(true).expect("written");
    assert!(!before.renew().expect("nothing to do"));

    let mut moved = before.clone();
    moved.program = home.path().join("elsewhere");
    assert!(moved.renew().expect("renewed"));
    let text = fs::read_to_string(moved.place(Kind::Login)).expect("an entry");
    assert!(
        text.contains("elsewhere") && text == moved.entry(Kind::Login).expect("one").to_string()
    );
    assert!(!moved.in_menu());
    assert!(!moved.renew().expect("nothing to do"));

    // Switched off by the desktop's own settings, it stays so.
    let off = format!("{}Hidden=true\n", before.entry(Kind::Login).expect("one"));
    fs::write(moved.place(Kind::Login), &off).expect("to write");
    assert!(!moved.at_login());
    assert!(!moved.renew().expect("left alone"));
    assert_eq!(
        fs::read_to_string(moved.place(Kind::Login)).expect("an entry"),
        off
    );
    moved.start_at_login(true).expect("written");
    assert!(moved.at_login());
}

#[test]
fn the_desktop_knows_the_app_by_the_name_of_its_entry_in_the_menu() {
    let home = tempfile::tempdir().expect("a folder");
    let entries = entries(home.path());
    let place = entries.place(Kind::Application);
    assert!(place.ends_with(format!("{}.desktop", entries.id())));
}

#[test]
fn the_written_desktop_entries_pass_desktop_file_validate() {
    let home = tempfile::tempdir().expect("a folder");
    let entries = entries(home.path());
    entries.put_in_menu(true).expect("written");
    entries.start_at_login(true).expect("written");
    for kind in [Kind::Application, Kind::Upload, Kind::Login] {
        let place = entries.place(kind);
        let checked = Command::new("desktop-file-validate").arg(&place).output();
        let checked = checked.expect("desktop-file-validate: `cargo xtask setup --tests`");
        let output = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(
            checked.status.success() && output.is_empty(),
            "{kind:?}: {output}"
        );
    }
}

#[test]
fn the_command_line_starts_the_very_program_with_the_very_folder() {
    let home = tempfile::tempdir().expect("a folder");
    let entries = entries(home.path());
    // A program that writes down its words, each ended by a zero.
    let output = home.path().join("output");
    let lines = format!("printf '%s\\0' \"$@\" > '{}'\n", output.display());
    porchlight_test_harness::files::script(&entries.program, &lines);
    entries.put_in_menu(true).expect("written");
    entries.start_at_login(true).expect("written");
    let folder = entries.data_dir.clone().expect("one of its own");
    let folder = folder.to_str().expect("Unicode");
    let pictures = [home.path().join("-a b.png"), home.path().join("$b.png")];
    let pictures = pictures.map(|path| path.to_str().expect("Unicode").to_owned());
    for (kind, more) in [
        (Kind::Application, Vec::new()),
        (
            Kind::Upload,
            vec!["--upload", pictures[0].as_str(), pictures[1].as_str()],
        ),
        (Kind::Login, vec!["--hidden"]),
    ] {
        // As a desktop starts it.
        const START: &str = "import sys; from gi.repository import Gio; \
            entry = Gio.DesktopAppInfo.new_from_filename(sys.argv[1]); \
            entry.launch([Gio.File.new_for_path(p) for p in sys.argv[2:]], None)";
        let files = more.iter().filter(|word| word.starts_with('/'));
        let started = Command::new("/usr/bin/python3")
            .args(["-c", START])
            .arg(entries.place(kind))
            .args(files)
            .output()
            .expect("python3-gi");
        assert!(started.status.success(), "{kind:?}: {started:?}");
        let since = std::time::Instant::now();
        let words = loop {
            let words = fs::read_to_string(&output).unwrap_or_default();
            if words.matches('\0').count() == 2 + more.len() {
                break words;
            }
            assert!(since.elapsed().as_secs() < 30, "{kind:?}: {words:?}");
            std::thread::yield_now();
        };
        let words: Vec<&str> = words.trim_end_matches('\0').split('\0').collect();
        assert_eq!(words, [&["--data-dir", folder][..], &more].concat());
        fs::remove_file(&output).expect("to remove");
    }
}

#[test]
fn a_program_that_no_entry_can_name_is_refused_with_its_name() {
    let home = tempfile::tempdir().expect("a folder");
    let mut entries = entries(home.path());
    entries.program = PathBuf::from("/opt/two\nlines");
    let refused = entries.put_in_menu(true).expect_err("no entry");
    assert!(refused.to_string().contains("cannot stand in an entry"));
}

#[test]
fn entries_are_named_in_both_languages() {
    let home = tempfile::tempdir().expect("a folder");
    entries(home.path()).put_in_menu(true).expect("written");
    let applications = home.path().join("share/applications");
    for name in files(&applications) {
        let text = fs::read_to_string(applications.join(&name)).expect("an entry");
        let lines: Vec<&str> = text.lines().collect();
        for key in ["Name", "Comment", "Keywords"] {
            let has = |begin: String| lines.iter().any(|line| line.starts_with(&begin));
            assert_eq!(
                has(format!("{key}=")),
                has(format!("{key}[zh_CN]=")),
                "{name}: {key}"
            );
        }
        assert!(text.contains("Name[zh_CN]="), "{name}");
    }
}

#[test]
fn the_package_has_the_entries_that_the_app_would_write() {
    let home = tempfile::tempdir().expect("a folder");
    let entries = Entries {
        program: "/usr/bin/porchlight".into(),
        data_dir: None,
        ..entries(home.path())
    };
    for (kind, installed) in [
        (
            Kind::Application,
            include_str!("../../../../packaging/linux/porchlight.desktop"),
        ),
        (
            Kind::Upload,
            include_str!("../../../../packaging/linux/porchlight-upload.desktop"),
        ),
    ] {
        assert_eq!(installed, entries.entry(kind).expect("one").to_string());
    }
}

#[test]
fn the_entries_of_a_package_replace_those_that_the_app_wrote() {
    let home = tempfile::tempdir().expect("a folder");
    let prefix = home.path().join("usr");
    let installed = packaged(home.path(), &prefix);
    assert!(installed.installed && installed.in_menu());
    let before = Entries {
        program: home.path().join("target/porchlight"),
        installed: false,
        ..installed.clone()
    };
    before.put_in_menu(true).expect("written");
    before.start_at_login(true).expect("written");

    assert!(installed.renew().expect("renewed"));
    assert_eq!(
        files(&installed.applications()),
        Vec::<String>::new(),
        "of the user"
    );
    assert!(!installed.icon().exists());
    assert!(installed.in_menu() && installed.at_login());
    let login = fs::read_to_string(installed.place(Kind::Login)).expect("an entry");
    assert!(login.contains("usr/bin/porchlight"), "{login}");
    assert!(!installed.renew().expect("nothing to do"));
}

#[test]
fn a_package_is_taken_out_of_the_menu_and_put_back_for_one_user() {
    let home = tempfile::tempdir().expect("a folder");
    let installed = packaged(home.path(), &home.path().join("usr"));
    installed.put_in_menu(false).expect("hidden");
    assert!(!installed.in_menu());
    assert!(!installed.renew().expect("left alone") && !installed.in_menu());
    for name in files(&installed.applications()) {
        let text = fs::read_to_string(installed.applications().join(&name)).expect("an entry");
        assert!(text.ends_with("Hidden=true\n"), "{name}");
    }
    installed.put_in_menu(true).expect("shown");
    assert!(installed.in_menu());
    assert_eq!(files(&installed.applications()), Vec::<String>::new());
}

#[test]
fn only_the_entries_of_this_program_and_this_data_folder_are_of_the_package() {
    let home = tempfile::tempdir().expect("a folder");
    let installed = packaged(home.path(), &home.path().join("usr"));
    let other_folder = Entries {
        data_dir: Some(home.path().join("other")),
        ..installed.clone()
    };
    assert!(!other_folder.find_installed().installed);
    let other_program = Entries {
        program: home.path().join("usr/bin/porchlight-of-mine"),
        ..installed.clone()
    };
    assert!(!other_program.find_installed().installed);
    // `~/.local/bin`, beside which is the folder of the user's own entries.
    let local = Entries {
        data_home: home.path().join("usr/share"),
        ..installed
    };
    assert!(!local.find_installed().installed);
}
