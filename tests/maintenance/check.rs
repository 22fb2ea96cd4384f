//! `porchlight check` names what is wrong, and changes nothing.

use std::fs;

use serde_json::json;

use crate::harness::{TestService, files, pictures};
use crate::{checked, database, file_of, kinds, porchlight, wide, with_images};

#[tokio::test]
async fn a_check_of_a_healthy_folder_finds_no_problem_with_and_without_the_service() {
    let (mut service, hashes) = with_images(3).await;
    service.get(&format!("/i/{}?w=320", hashes[0])).await;
    for served in [true, false] {
        if !served {
            service.stop().await;
        }
        let (code, report) = checked(service.data_dir(), &[]).await;
        assert_eq!(code, 0, "{report}");
        assert_eq!(report["problems"], json!([]));
        assert_eq!(report["images"], 3);
        let plain = porchlight(service.data_dir(), &["check"]).await;
        assert!(plain.stdout.starts_with("3 images whole"), "{plain:?}");
        assert!(plain.stdout.ends_with("nothing wrong\n"), "{plain:?}");
    }
}

#[tokio::test]
async fn each_problem_is_named_and_left_until_a_repair() {
    let (mut service, hashes) = with_images(5).await;
    for hash in &hashes[..2] {
        let response = service.get(&format!("/i/{hash}?w=320")).await;
        assert_eq!(response.status(), 200);
    }
    service.stop().await;
    let folder = service.data_dir();
    let [flipped, missing, renamed, ..] = hashes.as_slice() else {
        panic!("five images")
    };

    let mut bytes = fs::read(file_of(folder, flipped)).expect("an image");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(file_of(folder, flipped), bytes).expect("to write");
    fs::remove_file(file_of(folder, missing)).expect("to remove");
    let elsewhere = folder.join("images/ab/a-name-of-its-own.webp");
    fs::create_dir_all(elsewhere.parent().expect("a folder")).expect("a folder");
    fs::rename(file_of(folder, renamed), &elsewhere).expect("to rename");
    let orphan = "00".repeat(16);
    fs::create_dir_all(folder.join("images/00")).expect("a folder");
    fs::write(file_of(folder, &orphan), b"no picture").expect("to write");
    fs::write(folder.join("images/README.txt"), b"mine").expect("to write");
    let size = "UPDATE image SET size = size + 1 WHERE hash = ?1";
    let hash = hex::decode(&hashes[4]).expect("digits");
    let changed = database(folder).execute(size, [hash]);
    assert_eq!(changed.expect("an update"), 1);

    let before = files::below(&folder.join("images"));
    let (code, report) = checked(folder, &[]).await;
    assert_eq!(code, 1, "{report}");
    let expected = ["missing", "missing", "orphan", "wrong", "wrong"];
    assert_eq!(kinds(&report), expected, "{report}");
    // A picture under a name that is none, and a text.
    assert_eq!(report["foreign"], 2);
    assert_eq!(files::below(&folder.join("images")), before);
    let plain = porchlight(folder, &["check"]).await;
    assert!(
        plain
            .stdout
            .contains(&format!("wrong: {flipped}.webp is not what was stored\n")),
        "{plain:?}"
    );
    assert!(
        plain
            .stdout
            .contains(&format!("wrong: {missing}.webp is missing\n")),
        "{plain:?}"
    );

    let (code, report) = checked(folder, &["--repair"]).await;
    assert_eq!(code, 0, "{report}");
    let problems = report["problems"].as_array().expect("a list");
    assert!(problems.iter().all(|problem| problem["mended"].is_string()));
    assert_eq!(kinds(&report), expected, "{report}");
    let (code, report) = checked(folder, &[]).await;
    assert_eq!((code, report["images"].as_u64()), (0, Some(2)), "{report}");
    assert_eq!(report["foreign"], 2, "what is not the service's own stays");
    let aside = folder.join("set-aside").join(format!("{flipped}.webp"));
    assert!(aside.exists());
    service.restart().await;
    assert_eq!(service.count().await, 2);
    service.webp(&hashes[4]).await;
}

#[tokio::test]
async fn a_check_beside_uploads_and_deletes_finds_no_problem() {
    let (service, _) = with_images(4).await;
    let work = async {
        loop {
            let hash = service.stored(wide()).await;
            service.get(&format!("/i/{hash}?w=320")).await;
            assert_eq!(service.delete(&hash).await.status(), 200);
            service.stored(pictures::photo()).await;
        }
    };
    let checks = async {
        for _ in 0..6 {
            let (code, report) = checked(service.data_dir(), &[]).await;
            assert_eq!(code, 0, "{report}");
        }
    };
    tokio::select! {
        () = work => {}
        () = checks => {}
    }
}

#[tokio::test]
async fn a_damaged_database_is_named_and_a_folder_without_one_too() {
    let mut service = TestService::start(&[]).await;
    service.stored(pictures::photo()).await;
    service.stop().await;
    let file = service.data_dir().join("porchlight.db");
    let mut bytes = fs::read(&file).expect("a database");
    let from = bytes.len() / 2;
    bytes[from..].fill(0x5a);
    fs::write(&file, &bytes).expect("to write");
    for words in [&["check"][..], &["check", "--repair"]] {
        let ended = porchlight(service.data_dir(), words).await;
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
        let output = ended.stdout + &ended.stderr;
        assert!(output.contains("damaged"), "{output}");
        assert_eq!(fs::read(&file).expect("a database"), bytes, "{words:?}");
    }

    let empty = tempfile::tempdir().expect("a folder");
    let ended = porchlight(empty.path(), &["check"]).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("no Porchlight in"), "{ended:?}");
    let usage = porchlight(empty.path(), &["check", "--all"]).await;
    assert_eq!(usage.status.code(), Some(2), "{usage:?}");
    let settings = porchlight(empty.path(), &["check", "--set", "storage.kind=tape"]).await;
    assert_eq!(settings.status.code(), Some(2), "{settings:?}");
}
