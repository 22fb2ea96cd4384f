//! What the queue stores, and the order of its rows.

use super::*;

/// A database with these tables alone.
fn database() -> Connection {
    let database = Connection::open_in_memory().expect("a database");
    database.execute_batch(CREATE).expect("tables");
    database
}

fn change<T>(
    database: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> T {
    let transaction = database.transaction().expect("a transaction");
    let done = work(&transaction).expect("written");
    transaction.commit().expect("written");
    done
}

fn version(name: &str, changed: i64) -> Version {
    Version {
        folder: PathBuf::from("/pictures"),
        album: None,
        file: PathBuf::from("/pictures").join(name),
        file_version: FileVersion { bytes: 7, changed },
    }
}

/// A database in which these files wait.
fn waiting<const N: usize>(names: [&str; N]) -> Connection {
    let mut database = database();
    let these = names.map(|name| version(name, 1));
    change(&mut database, |change| put(change, &these, &[]));
    database
}

fn watched() -> [PathBuf; 1] {
    [PathBuf::from("/pictures")]
}

fn rows(database: &Connection) -> Vec<QueuedFile> {
    next(database, 100, &[], &watched()).expect("rows")
}

fn names(database: &Connection) -> Vec<String> {
    let rows = rows(database);
    let name = |row: &QueuedFile| row.file.file_name().map(|name| name.to_owned());
    let names = rows.iter().filter_map(name);
    names.map(|name| name.to_string_lossy().into()).collect()
}

fn finish(database: &mut Connection, sent: &QueuedFile, then: State) {
    let hash = ImageHash::from_bytes([2; 16]);
    change(database, |change| {
        uploaded(change, sent, [1; 32], hash, then)
    });
}

#[test]
fn a_version_is_seen_once_and_a_change_is_a_new_one_behind_the_others() {
    let mut database = waiting(["b.png", "a.png", "c.png"]);
    let first = rows(&database).remove(0);
    finish(&mut database, &first, State::Done);
    assert_eq!(names(&database), ["a.png", "c.png"]);
    let found = |changed| {
        let file = version("b.png", changed).file;
        vec![(file, FileVersion { bytes: 7, changed })]
    };
    assert_eq!(unseen(&database, found(1)).expect("an answer"), []);
    assert_eq!(unseen(&database, found(2)).expect("an answer"), found(2));
    // One that waits keeps its place.
    let changed = ["b.png", "a.png"].map(|name| version(name, 2));
    change(&mut database, |change| put(change, &changed, &[]));
    assert_eq!(names(&database), ["a.png", "c.png", "b.png"]);
    let last = rows(&database).remove(2);
    let before = ([1; 32], ImageHash::from_bytes([2; 16]));
    assert_eq!(last.uploaded, Some(before));
}

#[test]
fn a_version_that_came_during_the_upload_keeps_waiting() {
    let mut database = waiting(["a.png"]);
    let under_way = rows(&database).remove(0);
    change(&mut database, |change| {
        put(change, &[version("a.png", 2)], &[])
    });
    finish(&mut database, &under_way, State::Done);
    assert_eq!(rows(&database)[0].file_version.changed, 2);
    let reason = Message::FileEmpty;
    change(&mut database, |change| {
        set_aside(change, &under_way, &reason)
    });
    change(&mut database, |change| forget_version(change, &under_way));
    let now = rows(&database).remove(0);
    finish(&mut database, &now, State::Done);
    assert_eq!(counts(&database).expect("counts"), Counts::default());
}

#[test]
fn failed_files_and_those_of_other_folders_do_not_block_others() {
    let mut database = waiting(["a.png", "c.png"]);
    let mut unplugged = version("b.png", 1);
    unplugged.folder = PathBuf::from("/unplugged");
    change(&mut database, |change| put(change, &[unplugged], &[]));
    let first = rows(&database)[0].id;
    change(&mut database, |change| {
        failed_once(change, first, &watched())
    });
    assert_eq!(names(&database), ["c.png", "a.png"]);
    let all = next(
        &database,
        9,
        &[first],
        &["/pictures", "/unplugged"].map(PathBuf::from),
    );
    assert_eq!(all.expect("rows").len(), 2);
    assert_eq!(next(&database, 9, &[], &[]).expect("rows"), []);
}

#[test]
fn failed_and_retried_files_come_after_the_others_and_watched_ones_take_their_turn() {
    let mut database = database();
    let new = |name: &str| NewFile {
        file: PathBuf::from(name),
        bytes: 5,
        trouble: None,
    };
    let files = ["a", "b", "c", "d"].map(new);
    assert_eq!(
        change(&mut database, |change| add(change, &files, false)),
        [1, 2, 3, 4]
    );
    let order = |database: &Connection, in_progress: &[i64]| {
        let next = next(database, 10, in_progress, &watched()).expect("rows");
        next.iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(order(&database, &[2]), [1, 3, 4]);
    let broken = UploadState::Failed {
        trouble: UploadTrouble::Broken,
    };
    change(&mut database, |change| end(change, 1, &broken, None));
    change(&mut database, |change| failed_once(change, 2, &watched()));
    assert_eq!(order(&database, &[]), [3, 4, 2]);
    let again = change(&mut database, |change| {
        retry(change, false, Some(&[1, 3, 9]))
    });
    assert_eq!(again, [1], "only that one has failed");
    assert_eq!(order(&database, &[]), [3, 4, 1, 2]);
    change(&mut database, |change| {
        put(change, &[version("w.png", 1)], &[])
    });
    assert_eq!(order(&database, &[]), [3, 4, 1, 5, 2]);
    let awaited = ["x", "y"].map(new);
    change(&mut database, |change| add(change, &awaited, true));
    assert_eq!(order(&database, &[]), [6, 7, 3, 4, 1, 5, 2]);
}

#[test]
fn waiting_files_of_a_folder_no_longer_watched_are_removed_and_added_ones_are_not() {
    let mut database = waiting(["a.png", "b.png"]);
    let first = rows(&database).remove(0);
    finish(&mut database, &first, State::Done);
    let added = NewFile {
        file: PathBuf::from("/x.png"),
        bytes: 1,
        trouble: None,
    };
    change(&mut database, |change| add(change, &[added], false));
    let begun = rows(&database).remove(0).id;
    change(&mut database, |change| resume(change, &[], &[begun]));
    assert_eq!(names(&database), ["b.png", "x.png"], "one is under way");
    change(&mut database, |change| failed_once(change, begun, &[]));
    assert_eq!(names(&database), ["x.png"]);
    // What was uploaded is still known.
    let known = vec![(first.file, first.file_version)];
    assert_eq!(unseen(&database, known).expect("an answer"), []);
}

#[test]
fn unconfirmed_uploads_wait_again_and_removed_files_are_forgotten() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut database = database();
    for name in ["done.png", "gone.png", "there.png"] {
        let version = Version {
            folder: folder.path().to_owned(),
            album: None,
            file: folder.path().join(name),
            ..version(name, 1)
        };
        if name != "gone.png" {
            std::fs::write(&version.file, "picture").expect("a file");
        }
        change(&mut database, |change| put(change, &[version], &[]));
        let sent = next(&database, 1, &[], &[folder.path().to_owned()]).expect("rows");
        let then = match name {
            "done.png" => State::Done,
            _ => State::Uploaded,
        };
        finish(&mut database, &sent[0], then);
    }
    let watched = [folder.path().to_owned()];
    change(&mut database, |change| resume(change, &watched, &[]));
    let waiting = next(&database, 9, &[], &watched).expect("rows");
    assert!(waiting.len() == 1 && waiting[0].file.ends_with("there.png"));
    let count = "SELECT count(*) FROM upload";
    let count = database.query_row(count, [], |row| row.get::<_, i64>(0));
    assert_eq!(count.expect("a number"), 2);
}

#[test]
fn files_set_aside_are_listed_retried_and_dismissed() {
    let mut database = waiting(["a.png", "b.png"]);
    for row in rows(&database) {
        let reason = Message::FileEmpty;
        change(&mut database, |change| set_aside(change, &row, &reason));
    }
    let aside = all_set_aside(&database).expect("a list");
    assert_eq!(aside.len(), 2);
    assert_eq!(aside[0].reason, Message::FileEmpty);
    let one = [aside[0].id];
    assert_eq!(
        change(&mut database, |change| retry(change, true, Some(&one))),
        one
    );
    assert_eq!(names(&database), ["a.png"]);
    assert_eq!(change(&mut database, |change| dismiss(change, None)), 1);
    assert!(change(&mut database, |change| retry(change, true, None)).is_empty());
    let counts = counts(&database).expect("counts");
    assert_eq!((counts.waiting, counts.set_aside), (1, 0));
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_unicode_is_preserved() {
    use std::os::unix::ffi::OsStrExt as _;

    let mut odd = version("x", 1);
    odd.folder = Path::new(std::ffi::OsStr::from_bytes(b"/\xff\xfe\n")).to_owned();
    odd.file = odd
        .folder
        .join(std::ffi::OsStr::from_bytes(b"\xff\xfe\n.png"));
    let mut database = database();
    change(&mut database, |change| {
        put(change, std::slice::from_ref(&odd), &[])
    });
    let rows = next(&database, 1, &[], std::slice::from_ref(&odd.folder)).expect("rows");
    assert_eq!(rows[0].file, odd.file);
}
