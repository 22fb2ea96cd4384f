//! The ways in which an image comes into a folder.

use std::io::Write as _;
use std::time::{Duration, SystemTime};

use crate::{Fixture, picture};

#[tokio::test]
async fn a_written_picture_is_uploaded_and_its_address_leads_to_it() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watching(&[]).await;
    let file = fixture.put("shot.jpg");
    let outcome = watcher.next().await;
    assert_eq!(outcome.file, file);
    assert!(!outcome.was_there());
    watcher.service.webp(outcome.hash()).await;
}

#[tokio::test]
async fn existing_files_and_those_from_downtime_are_uploaded_at_the_start() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.folder().join("trip")).expect("a folder");
    fixture.put("before.jpg");
    fixture.put("trip/deep.jpg");
    let mut watcher = fixture.watch(&[]).await;
    assert_eq!(watcher.next_names(2).await, ["before.jpg", "deep.jpg"]);
    watcher.service.kill().await;
    fixture.put("downtime.jpg");
    watcher.restart(&[]).await;
    assert_eq!(watcher.next().await.name(), "downtime.jpg");
    assert_eq!(watcher.outcomes().len(), 1, "each is uploaded once");
    assert_eq!(watcher.service.count().await, 3);
}

#[tokio::test]
async fn existing_files_can_be_excluded_and_later_ones_are_uploaded() {
    let fixture = Fixture::new();
    fixture.put("old.jpg");
    let mut watcher = fixture.watch(&["watch.existing=false"]).await;
    // The old one is known.
    fixture.have(1, 4).await;
    fixture.put("new.jpg");
    assert_eq!(watcher.next().await.name(), "new.jpg");
    watcher.service.kill().await;
    fixture.put("downtime.jpg");
    watcher.restart(&[]).await;
    assert_eq!(watcher.next().await.name(), "downtime.jpg");
    fixture.put("old.jpg");
    assert_eq!(
        watcher.next().await.name(),
        "old.jpg",
        "it is a new picture"
    );
}

#[tokio::test]
async fn a_slowly_written_image_is_uploaded_when_it_is_closed() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watching(&[]).await;
    let bytes = picture();
    let mut slow = std::fs::File::create(fixture.folder().join("slow.jpg")).expect("a file");
    slow.write_all(&bytes[..bytes.len() / 2]).expect("written");
    slow.sync_all().expect("written");
    fixture.pass_time(&mut watcher).await;
    fixture.pass_time(&mut watcher).await;
    slow.write_all(&bytes[bytes.len() / 2..]).expect("written");
    drop(slow);
    assert_eq!(watcher.next_names(1).await, ["slow.jpg"]);
    assert_eq!(watcher.outcomes().len(), 4);
}

#[tokio::test]
async fn files_that_are_moved_in_renamed_or_linked_arrive_once_each() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watching(&[]).await;
    let outside = fixture.beside("outside.jpg");

    std::fs::write(&outside, picture()).expect("a file");
    std::fs::rename(&outside, fixture.folder().join("moved.jpg")).expect("moved");
    assert_eq!(watcher.next().await.name(), "moved.jpg");

    std::fs::write(&outside, picture()).expect("a file");
    std::fs::hard_link(&outside, fixture.folder().join("linked.jpg")).expect("linked");
    assert_eq!(watcher.next().await.name(), "linked.jpg");

    let part = fixture.put("renamed.jpg.part");
    std::fs::rename(part, fixture.folder().join("renamed.jpg")).expect("renamed");
    assert_eq!(watcher.next().await.name(), "renamed.jpg");

    std::fs::create_dir_all(fixture.beside("full/deep")).expect("folders");
    for file in ["full/a.jpg", "full/deep/b.jpg"] {
        std::fs::write(fixture.beside(file), picture()).expect("a file");
    }
    std::fs::rename(fixture.beside("full"), fixture.folder().join("full")).expect("moved");
    assert_eq!(watcher.next_names(2).await, ["a.jpg", "b.jpg"]);
    // The folder that was moved here is watched from now on.
    fixture.put("full/deep/c.jpg");
    assert_eq!(watcher.next().await.name(), "c.jpg");

    assert_eq!(watcher.service.count().await, 7);
    assert_eq!(watcher.outcomes().len(), 7);
}

#[tokio::test]
async fn a_picture_written_into_a_folder_that_was_just_made_is_not_missed() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watching(&[]).await;
    for number in 0..30 {
        let folder = fixture.folder().join(format!("{number:02}/deep/deeper"));
        std::fs::create_dir_all(&folder).expect("folders");
        std::fs::write(folder.join(format!("{number:02}.jpg")), picture()).expect("a file");
    }
    let expected: Vec<String> = (0..30).map(|number| format!("{number:02}.jpg")).collect();
    assert_eq!(watcher.next_names(30).await, expected);
    assert_eq!(watcher.service.count().await, 31);
}

#[tokio::test]
async fn a_file_that_changes_is_a_new_picture_and_one_that_is_touched_is_not() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watching(&[]).await;
    let first = fixture.put("a.jpg");
    let one = watcher.next().await;
    let touched = std::fs::File::options().append(true).open(first);
    touched
        .and_then(|file| file.set_modified(SystemTime::now()))
        .expect("touched");
    // Its turn comes before this one's.
    fixture.put("b.jpg");
    assert_eq!(watcher.next().await.name(), "b.jpg");
    assert_eq!(watcher.service.count().await, 3);
    fixture.put("a.jpg");
    let other = watcher.next().await;
    assert_eq!(other.name(), "a.jpg");
    assert_ne!(one.hash(), other.hash());
    assert_eq!(watcher.service.count().await, 4);
}

#[tokio::test]
async fn the_same_picture_again_is_a_success_with_the_address_it_has() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watching(&[]).await;
    let file = fixture.put("a.jpg");
    let first = watcher.next().await;
    std::fs::copy(&file, fixture.folder().join("copy.jpg")).expect("a copy");
    let again = watcher.next().await;
    assert!(!first.was_there() && again.was_there(), "{again:?}");
    assert_eq!(again.hash(), first.hash());
    assert_eq!(watcher.service.count().await, 2);
}

#[tokio::test]
async fn pictures_go_out_in_the_order_in_which_they_came() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watch(&[]).await;
    // Two are under way at once, and then the helper processes of both wait for more.
    fixture.put("first.jpg");
    fixture.put("second.jpg");
    watcher.next_names(2).await;
    let start = SystemTime::now() - Duration::from_secs(3_600);
    let order = ["d.jpg", "a.jpg", "c.jpg", "b.jpg", "e.jpg"];
    std::fs::create_dir(fixture.beside("full")).expect("a folder");
    for (place, name) in (0_u64..).zip(order) {
        let file = fixture.beside("full").join(name);
        std::fs::write(&file, picture()).expect("a file");
        let file = std::fs::File::options().append(true).open(file);
        file.and_then(|file| file.set_modified(start + Duration::from_secs(place)))
            .expect("a time");
    }
    std::fs::rename(fixture.beside("full"), fixture.folder().join("full")).expect("moved");
    // Two are under way at once; under Wine the helper process of one may take as long as three others.
    let overtaken = if cfg!(windows) { 3 } else { 1 };
    for at in 0..order.len() {
        let name = watcher.next().await.name();
        let place = order.iter().position(|one| *one == name);
        let place = place.expect("one of them");
        assert!(
            at.abs_diff(place) <= overtaken,
            "{name} was uploaded as number {at}"
        );
    }
}

/// Only Linux limits the watches. Runs a program in its own user namespace, with a limit of inotify watches:
/// its first argument.
#[cfg(target_os = "linux")]
const WATCHES_FEW: &str =
    "echo \"$1\" > /proc/sys/user/max_inotify_watches && shift && exec \"$@\"";
#[cfg(target_os = "linux")]
const IN_A_NAMESPACE: [&str; 6] = ["--user", "--map-root-user", "sh", "-c", WATCHES_FEW, "sh"];

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_is_polled_where_the_system_reports_nothing_or_not_all() {
    use crate::Watcher;

    let may = std::process::Command::new("unshare")
        .args(IN_A_NAMESPACE)
        .args(["0", "true"])
        .output();
    if !may.is_ok_and(|ended| ended.status.success()) {
        println!("left out: no user namespace can be made here");
        return;
    }
    for watches in ["0", "1"] {
        let fixture = Fixture::new();
        let wrapped = [&["unshare"], &IN_A_NAMESPACE[..], &[watches]].concat();
        let mut watcher = Watcher::start(fixture.builder(&[]).wrapped_in(&wrapped)).await;
        fixture.put("a.jpg");
        assert_eq!(watcher.next().await.name(), "a.jpg");
        std::fs::create_dir(fixture.folder().join("new")).expect("a folder");
        watcher
            .wait_for_log("it is looked through every few seconds")
            .await;
        for _ in 0..2 {
            // The second time it is a new picture.
            fixture.put("new/b.jpg");
            assert_eq!(watcher.next().await.name(), "b.jpg");
        }
        assert_eq!(watcher.service.count().await, 3);
    }
}
