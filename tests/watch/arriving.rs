//! The ways in which an image comes into a folder.

use std::io::Write as _;

use crate::harness::TestService;
use crate::{Fixture, name, names, picture, times_sent};

#[tokio::test]
async fn a_written_picture_is_uploaded_and_its_address_leads_to_it() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watching(&[]).await;
    let file = fixture.put("shot.jpg");
    let line = watcher.next().await;
    assert_eq!(line["status"], "uploaded");
    assert_eq!(line["file"], file.to_str().expect("UTF-8"));
    let hash = line["hash"].as_str().expect("a hash");
    assert_eq!(line["url"], service.url(&format!("/i/{hash}.webp")));
    assert_eq!(line["link"], line["url"]);
    service.webp(hash).await;
}

#[tokio::test]
async fn existing_files_and_those_from_downtime_are_uploaded_at_the_start() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    std::fs::create_dir(fixture.folder().join("trip")).expect("a folder");
    fixture.put("before.jpg");
    fixture.put("trip/deep.jpg");
    let mut watcher = fixture.watch(&[]);
    assert_eq!(
        names(&watcher.next_few(2).await),
        ["before.jpg", "deep.jpg"]
    );
    watcher.kill().await;
    fixture.put("downtime.jpg");
    let mut watcher = fixture.watch(&[]);
    assert_eq!(name(&watcher.next().await), "downtime.jpg");
    assert_eq!(times_sent(&service).await, 3, "each is sent once");
}

#[tokio::test]
async fn existing_files_can_be_excluded_and_later_ones_are_uploaded() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    fixture.put("old.jpg");
    let mut watcher = fixture.watch(&["--leave-existing"]);
    crate::harness::eventually("the old one is known", async || {
        let known = fixture.state().join("outbox.db").exists() && fixture.rows(4) == 1;
        known.then_some(())
    })
    .await;
    fixture.put("new.jpg");
    assert_eq!(name(&watcher.next().await), "new.jpg");
    watcher.kill().await;
    fixture.put("downtime.jpg");
    let mut watcher = fixture.watch(&["--leave-existing"]);
    assert_eq!(name(&watcher.next().await), "downtime.jpg");
    std::fs::write(fixture.folder().join("old.jpg"), picture()).expect("a file");
    assert_eq!(
        name(&watcher.next().await),
        "old.jpg",
        "it is a new picture"
    );
}

#[tokio::test]
async fn a_slowly_written_image_is_uploaded_when_it_is_closed() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watching(&[]).await;
    let bytes = picture();
    let mut slow = std::fs::File::create(fixture.folder().join("slow.jpg")).expect("a file");
    slow.write_all(&bytes[..bytes.len() / 2]).expect("written");
    slow.sync_all().expect("written");
    fixture.pass_time(&mut watcher).await;
    fixture.pass_time(&mut watcher).await;
    slow.write_all(&bytes[bytes.len() / 2..]).expect("written");
    drop(slow);
    let line = watcher.next().await;
    assert_eq!(name(&line), "slow.jpg");
    assert_eq!(line["status"], "uploaded");
    assert_eq!(times_sent(&service).await, 4);
}

#[tokio::test]
async fn files_that_are_moved_in_renamed_or_linked_arrive_once_each() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watching(&[]).await;
    let outside = fixture.beside("outside.jpg");

    std::fs::write(&outside, picture()).expect("a file");
    std::fs::rename(&outside, fixture.folder().join("moved.jpg")).expect("moved");
    assert_eq!(name(&watcher.next().await), "moved.jpg");

    std::fs::write(&outside, picture()).expect("a file");
    std::fs::hard_link(&outside, fixture.folder().join("linked.jpg")).expect("linked");
    assert_eq!(name(&watcher.next().await), "linked.jpg");

    let part = fixture.put("renamed.jpg.part");
    std::fs::rename(part, fixture.folder().join("renamed.jpg")).expect("renamed");
    assert_eq!(name(&watcher.next().await), "renamed.jpg");

    std::fs::create_dir_all(fixture.beside("full/deep")).expect("folders");
    for file in ["full/a.jpg", "full/deep/b.jpg"] {
        std::fs::write(fixture.beside(file), picture()).expect("a file");
    }
    std::fs::rename(fixture.beside("full"), fixture.folder().join("full")).expect("moved");
    assert_eq!(names(&watcher.next_few(2).await), ["a.jpg", "b.jpg"]);
    // The folder that was moved here is watched from now on.
    fixture.put("full/deep/c.jpg");
    assert_eq!(name(&watcher.next().await), "c.jpg");

    assert_eq!(service.count().await, 7);
    assert_eq!(times_sent(&service).await, 7);
}

#[tokio::test]
async fn a_picture_written_into_a_folder_that_was_just_made_is_not_missed() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watching(&[]).await;
    for number in 0..30 {
        let folder = fixture.folder().join(format!("{number:02}/deep/deeper"));
        std::fs::create_dir_all(&folder).expect("folders");
        std::fs::write(folder.join(format!("{number:02}.jpg")), picture()).expect("a file");
    }
    let uploaded = names(&watcher.next_few(30).await);
    let expected: Vec<String> = (0..30).map(|number| format!("{number:02}.jpg")).collect();
    assert_eq!(uploaded, expected);
    assert_eq!(times_sent(&service).await, 31);
}

#[tokio::test]
async fn a_file_that_changes_is_a_new_picture_and_one_that_is_touched_is_not() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watching(&[]).await;
    let first = fixture.put("a.jpg");
    let one = watcher.next().await;
    let touched = std::fs::File::options().append(true).open(&first);
    touched
        .and_then(|file| file.set_modified(std::time::SystemTime::now()))
        .expect("touched");
    // Its turn comes before this one's.
    fixture.put("b.jpg");
    assert_eq!(name(&watcher.next().await), "b.jpg");
    assert_eq!(times_sent(&service).await, 3);
    std::fs::write(&first, picture()).expect("a file");
    let other = watcher.next().await;
    assert_eq!(name(&other), "a.jpg");
    assert_ne!(one["hash"], other["hash"]);
    assert_eq!(service.count().await, 4);
}

#[tokio::test]
async fn the_same_picture_again_is_a_success_with_the_address_it_has() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watching(&[]).await;
    let file = fixture.put("a.jpg");
    let first = watcher.next().await;
    std::fs::copy(&file, fixture.folder().join("copy.jpg")).expect("a copy");
    let again = watcher.next().await;
    assert_eq!(again["status"], "already_there");
    assert_eq!(again["url"], first["url"]);
    assert_eq!(times_sent(&service).await, 2, "it is not even sent");
}

#[tokio::test]
async fn pictures_go_out_in_the_order_in_which_they_came() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let start = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
    let order = ["d", "a", "c", "b", "e"];
    for (place, name) in (0_u64..).zip(order) {
        let file = fixture.put(&format!("{name}.jpg"));
        let time = start + std::time::Duration::from_secs(place);
        let file = std::fs::File::options().append(true).open(file);
        file.and_then(|file| file.set_modified(time))
            .expect("a time");
    }
    let mut watcher = fixture.watch(&[]);
    watcher.next_few(5).await;
    let images = service.json("/images/list?limit=10").await;
    let listed = images["images"].as_array().expect("a list").iter();
    let newest_first: Vec<&str> = listed
        .map(|image| image["hash"].as_str().expect("a hash"))
        .collect();
    // Two are under way at once, and the first one waits for the start of a helper process: one may be
    // overtaken by two.
    let lines = watcher.lines();
    for (place, name) in order.iter().enumerate() {
        let line = lines
            .iter()
            .find(|line| crate::name(line) == format!("{name}.jpg"))
            .expect("a line");
        let at = newest_first
            .iter()
            .rev()
            .position(|hash| line["hash"] == *hash)
            .expect("listed");
        assert!(at.abs_diff(place) <= 2, "{name} was sent as number {at}");
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
    use crate::harness::process::{RunningProcess, clean_command};

    let may = std::process::Command::new("unshare")
        .args(IN_A_NAMESPACE)
        .args(["0", "true"])
        .output();
    if !may.is_ok_and(|ended| ended.status.success()) {
        println!("left out: no user namespace can be made here");
        return;
    }
    let service = TestService::start(&[]).await;
    for watches in ["0", "1"] {
        let fixture = Fixture::of(&service);
        let plain = fixture.command(&["--json"]);
        let mut command = clean_command("unshare", fixture.home.path());
        command.args(IN_A_NAMESPACE).arg(watches);
        command.arg(plain.as_std().get_program());
        command.args(plain.as_std().get_args());
        command.env("PORCHLIGHT_ADMIN_TOKEN", &fixture.token);
        command.env("PORCHLIGHT_LOG", "info");
        let mut watcher = Watcher(RunningProcess::spawn(command));
        fixture.put("a.jpg");
        assert_eq!(name(&watcher.next().await), "a.jpg");
        std::fs::create_dir(fixture.folder().join("new")).expect("a folder");
        watcher
            .wait_for_log("it is scanned every few seconds")
            .await;
        fixture.put("new/b.jpg");
        assert_eq!(name(&watcher.next().await), "b.jpg");
        fixture.put("new/b.jpg");
        assert_eq!(name(&watcher.next().await), "b.jpg", "it is a new picture");
    }
    assert_eq!(times_sent(&service).await, 6);
}
