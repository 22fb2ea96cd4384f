//! A backup that was cut short or changed is refused, and leaves nothing.

use std::fs;
use std::path::Path;

use tar::{EntryType, Header};

use crate::harness::files;
use crate::{porchlight, with_images};

/// Entries in their order: a path, a type and the bytes.
pub(crate) type Entries = Vec<(String, EntryType, Vec<u8>)>;

pub(crate) fn read(file: &Path) -> Entries {
    let mut archive = tar::Archive::new(fs::File::open(file).expect("a file"));
    let entries = archive.entries().expect("entries").map(|entry| {
        let mut entry = entry.expect("an entry");
        let path = entry.path().expect("a path").to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut bytes).expect("bytes");
        (path, entry.header().entry_type(), bytes)
    });
    entries.collect()
}

/// The tar file of these entries, whatever their names are.
pub(crate) fn write(entries: &Entries) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, kind, bytes) in entries {
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(*kind);
        header.set_mode(0o600);
        header.set_size(bytes.len() as u64);
        if *kind == EntryType::Symlink {
            header.set_link_name("/etc/passwd").expect("a link");
        }
        header.set_cksum();
        tar.append(&header, bytes.as_slice()).expect("an entry");
    }
    tar.into_inner().expect("a tar")
}

#[tokio::test]
async fn an_incomplete_backup_is_refused_and_leaves_nothing() {
    let (service, _) = with_images(3).await;
    let place = tempfile::tempdir().expect("a folder");
    let good = place.path().join("good.tar");
    let words = ["backup", good.to_str().expect("UTF-8")];
    let ended = porchlight(service.data_dir(), &words).await;
    assert!(ended.status.success(), "{ended:?}");
    let whole = fs::read(&good).expect("a file");
    let entries = read(&good);
    let kinds = |path: &str, kind| (path.to_owned(), kind, Vec::new());
    let plain = |path: &str| (path.to_owned(), EntryType::Regular, b"x".to_vec());
    let image = 1;
    let with = |place: usize, entry: (String, EntryType, Vec<u8>)| {
        let mut entries = entries.clone();
        entries.insert(place, entry);
        write(&entries)
    };
    let without = |place: usize| {
        let mut entries = entries.clone();
        entries.remove(place);
        write(&entries)
    };
    let flipped = |place: usize| {
        let mut entries = entries.clone();
        let bytes = &mut entries[place].2;
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        write(&entries)
    };
    let renamed = {
        let mut entries = entries.clone();
        let other = "00".repeat(16);
        entries[image].0 = format!("images/00/{other}.webp");
        write(&entries)
    };
    let database = entries.len() - 2;
    assert_eq!(entries[database].0, "porchlight.db");
    let hash = "0".repeat(32);
    let tampered = [
        ("empty", Vec::new()),
        ("no tar", b"PK\x03\x04 a zip file of some kind".repeat(50)),
        ("cut in an image", whole[..3_000].to_vec()),
        ("cut in the database", whole[..whole.len() - 8_000].to_vec()),
        ("cut between entries", without(entries.len() - 1)),
        ("no database", without(database)),
        ("no image", without(image)),
        ("no beginning", without(0)),
        ("a flipped image", flipped(image)),
        ("a flipped database", flipped(database)),
        ("a renamed image", renamed),
        ("twice", with(2, entries[image].clone())),
        ("after the end", with(entries.len(), plain("images/x"))),
        ("up and out", with(1, plain("../outside"))),
        (
            "up and out of images",
            with(1, plain("images/../../outside")),
        ),
        ("absolute", with(1, plain("/tmp/porchlight-outside"))),
        ("another name", with(1, plain("authorized_keys"))),
        (
            "a link",
            with(1, kinds("settings.toml", EntryType::Symlink)),
        ),
        (
            "a hard link",
            with(1, kinds("settings.toml", EntryType::Link)),
        ),
        (
            "endless settings",
            with(
                1,
                (
                    "settings.toml".to_owned(),
                    EntryType::Regular,
                    vec![b'\n'; (1 << 20) + 1],
                ),
            ),
        ),
        ("a folder", with(1, kinds("images", EntryType::Directory))),
        ("a device", with(1, kinds("settings.toml", EntryType::Char))),
        ("a pipe", with(1, kinds("settings.toml", EntryType::Fifo))),
        (
            "a link as an image",
            with(
                1,
                kinds(&format!("images/00/{hash}.webp"), EntryType::Symlink),
            ),
        ),
    ];
    for (what, bytes) in tampered {
        let file = place.path().join("tampered.tar");
        fs::write(&file, bytes).expect("to write");
        let back = place.path().join("back");
        let words = ["restore", file.to_str().expect("UTF-8")];
        let ended = porchlight(&back, &words).await;
        assert_eq!(ended.status.code(), Some(1), "{what}: {ended:?}");
        assert!(
            ended.stderr.contains("nothing was restored"),
            "{what}: {ended:?}"
        );
        let left = files::below(&back);
        assert_eq!(left, [back.join("porchlight.lock")], "{what}");
        assert!(!place.path().join("outside").exists(), "{what}");
    }
    let back = place.path().join("back");
    let ended = porchlight(&back, &["restore", good.to_str().expect("UTF-8")]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(fs::read_dir(&back).expect("a folder").count(), 3);
}

/// Memory that the command may reserve, in KiB.
#[cfg(unix)]
const MEMORY: u32 = 1 << 20;

/// A file on disk has few bytes for a header whose content is empty space.
#[cfg(unix)]
#[tokio::test]
async fn the_content_of_long_names_and_extended_headers_is_not_read() {
    const HUGE: u64 = 3 << 30;
    let place = tempfile::tempdir().expect("a folder");
    let opening = r#"{ "format": 1, "version": "0.1.0", "made_at": "2026-01-01T00:00:00Z" }"#;
    for kind in [
        EntryType::GNULongName,
        EntryType::GNULongLink,
        EntryType::XHeader,
        EntryType::XGlobalHeader,
    ] {
        let name = "porchlight-backup.json".to_owned();
        let mut bytes = write(&vec![(name, EntryType::Regular, opening.into())]);
        bytes.truncate(1024);
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..4].copy_from_slice(b"long");
        header.set_entry_type(kind);
        header.set_size(HUGE);
        header.set_cksum();
        bytes.extend(header.as_bytes());
        let file = place.path().join("huge.tar");
        fs::write(&file, &bytes).expect("to write");
        let opened = fs::File::options().write(true).open(&file);
        let lengthened = opened.expect("a file").set_len(bytes.len() as u64 + HUGE);
        lengthened.expect("a sparse file");
        let back = place.path().join("back");
        let mut command = crate::harness::process::clean_command("sh", place.path());
        command
            .args(["-c", &format!("ulimit -v {MEMORY} && exec \"$@\""), "sh"])
            .arg(env!("CARGO_BIN_EXE_porchlight"))
            .arg("restore")
            .arg(&file)
            .arg("--data-dir")
            .arg(&back);
        let ended = crate::harness::process::RunningProcess::spawn(command)
            .ended()
            .await;
        assert_eq!(ended.status.code(), Some(1), "{kind:?}: {ended:?}");
        assert!(
            ended.stderr.contains("no plain file"),
            "{kind:?}: {ended:?}"
        );
    }
}
