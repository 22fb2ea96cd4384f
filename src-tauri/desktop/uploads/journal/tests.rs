//! What a next start finds of the one before.

use super::*;

fn job(id: u32, path: &Path) -> Job {
    let picture = Picture::File(path.to_owned());
    Job { id, picture }
}

/// Begins anew; what was found, numbered from 1.
fn found(data: &Path) -> (Waiting, Vec<PathBuf>) {
    let mut found = Vec::new();
    let waiting = Waiting::begin(data, |path| {
        found.push(path.to_owned());
        u32::try_from(found.len()).expect("few")
    });
    (waiting.expect("a folder"), found)
}

#[test]
fn what_has_come_to_no_end_is_found_in_its_order_whatever_it_is_called() {
    let data = tempfile::tempdir().expect("a folder");
    let (mut waiting, none) = found(data.path());
    assert!(none.is_empty());
    let paths = ["b 光.png", "a\n-1\n.png", "%41.png"].map(|name| data.path().join(name));
    waiting.join(&[job(1, &paths[0]), job(2, &paths[1])]);
    waiting.join(&[job(3, &paths[2])]);
    waiting.end(1);
    drop(waiting);
    for _ in 0..2 {
        assert_eq!(found(data.path()).1, paths[1..]);
    }
}

#[test]
fn where_all_has_come_to_an_end_nothing_is_left() {
    let data = tempfile::tempdir().expect("a folder");
    let (mut waiting, _) = found(data.path());
    let path = data.path().join("a.png");
    waiting.join(&[job(1, &path), job(2, &path)]);
    waiting.end(2);
    waiting.end(1);
    waiting.end(9);
    let list = fs::read(data.path().join("waiting/list")).expect("the list");
    assert_eq!(list, b"");
    // And it goes on from there.
    waiting.join(&[job(3, &path)]);
    assert_eq!(found(data.path()).1, [path]);
}

#[test]
fn a_line_that_was_cut_short_does_not_count() {
    let list = "+1 file:///a.png\n+2 file:///b.png\nrubbish\n+x\n-1\n+3 file:///c.pn";
    assert_eq!(unfinished(list), [PathBuf::from("/b.png")]);
}

#[test]
fn what_was_pasted_and_stored_is_not_looked_for_where_its_end_was_lost() {
    let data = tempfile::tempdir().expect("a folder");
    let (mut waiting, _) = found(data.path());
    let pasted = super::keep(&waiting.folder(), b"1").expect("room");
    let dropped = data.path().join("dropped.png");
    waiting.join(&[job(1, &pasted), job(2, &dropped)]);
    // Stored, and then the power went: the end of the list is not on the disk.
    fs::remove_file(&pasted).expect("a file");
    drop(waiting);
    // The owner's own file is reported, since it was never seen.
    assert_eq!(found(data.path()).1, [dropped]);
}

#[test]
fn what_was_pasted_is_kept_until_it_is_stored_and_not_longer() {
    let data = tempfile::tempdir().expect("a folder");
    let (mut waiting, _) = found(data.path());
    let keep = |bytes: &[u8; 1]| super::keep(&waiting.folder(), bytes).expect("room");
    let [kept, stored, left] = [b"1", b"2", b"3"].map(keep);
    waiting.join(&[job(1, &kept), job(2, &stored)]);
    waiting.forget(&Picture::File(stored.clone()));
    waiting.end(2);
    assert!(!stored.exists());
    // A picture of the owner is not one of these.
    let own = data.path().join("own.png");
    fs::write(&own, b"4").expect("a file");
    waiting.forget(&Picture::File(own.clone()));
    drop(waiting);

    let (waiting, again) = found(data.path());
    assert_eq!(again, std::slice::from_ref(&kept));
    assert_eq!(fs::read(&kept).expect("kept"), b"1");
    assert!(!left.exists() && own.exists());
    waiting.sweep(&HashSet::new());
    assert!(!kept.exists());
    assert!(data.path().join("waiting/list").exists());
}
