//! `porchlight check --repair` does what can be done, and deletes nothing that
//! could be an image.

use std::fs;

use sha2::{Digest as _, Sha256};

use crate::harness::{answer, eventually, files};
#[cfg(unix)]
use crate::porchlight;
use crate::{checked, database, file_of, kinds, wide, with_images};

#[tokio::test]
async fn a_wrong_file_is_moved_aside_and_its_picture_can_be_uploaded_again() {
    let (mut service, hashes) = with_images(2).await;
    let source = wide();
    let hash = service.stored(source.clone()).await;
    service.get(&format!("/i/{hash}?w=320")).await;
    service.stop().await;
    let file = file_of(service.data_dir(), &hash);
    fs::write(&file, b"not what it was").expect("to write");

    let (code, report) = checked(service.data_dir(), &["--repair"]).await;
    assert_eq!((code, kinds(&report)), (0, vec!["wrong"]), "{report}");
    assert!(!file.exists());
    let aside = service
        .data_dir()
        .join("set-aside")
        .join(format!("{hash}.webp"));
    assert_eq!(fs::read(aside).expect("kept"), b"not what it was");
    let (code, report) = checked(service.data_dir(), &[]).await;
    assert_eq!(code, 0, "{report}");
    assert_eq!(report["images"], 2);

    service.restart().await;
    assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 404);
    let (status, body) = answer(service.upload(source).await).await;
    assert_eq!((status, body["hash"].as_str()), (201, Some(hash.as_str())));
    for hash in &hashes {
        assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 200);
    }
}

#[tokio::test]
async fn a_row_without_a_file_goes_and_a_file_of_another_name_is_set_aside() {
    let (mut service, hashes) = with_images(4).await;
    service.stop().await;
    let folder = service.data_dir();
    let bytes: Vec<Vec<u8>> = hashes
        .iter()
        .map(|hash| fs::read(file_of(folder, hash)).expect("an image"))
        .collect();
    fs::remove_file(file_of(folder, &hashes[0])).expect("to remove");
    // One under a name that is none, one under another image's name.
    let stray = folder.join("images").join("copy of a picture.webp");
    fs::rename(file_of(folder, &hashes[1]), &stray).expect("to rename");
    let other = "ff".repeat(16);
    fs::create_dir_all(folder.join("images/ff")).expect("a folder");
    fs::rename(file_of(folder, &hashes[2]), file_of(folder, &other)).expect("to rename");

    let (code, report) = checked(folder, &["--repair"]).await;
    assert_eq!(code, 0, "{report}");
    let expected = ["missing", "missing", "missing", "orphan"];
    assert_eq!(kinds(&report), expected, "{report}");
    let (code, report) = checked(folder, &[]).await;
    assert_eq!(code, 0, "{report}");
    let aside = |name: &str| fs::read(folder.join("set-aside").join(name)).expect("kept");
    assert!(stray.exists(), "what is not the service's own stays");
    assert_eq!(aside(&format!("{other}.webp")), bytes[2]);

    service.restart().await;
    assert_eq!(service.count().await, 1);
    assert_eq!(
        service.get(&format!("/i/{}", hashes[0])).await.status(),
        404
    );
    assert_eq!(service.webp(&hashes[3]).await, bytes[3]);
    // Each can be uploaded again.
    assert_eq!(service.stored(bytes[1].clone()).await, hashes[1]);
}

#[tokio::test]
async fn a_file_that_proves_itself_is_an_image_again_and_any_other_is_set_aside() {
    let (mut service, hashes) = with_images(2).await;
    let deleted = service.stored(wide()).await;
    service.stop().await;
    let folder = service.data_dir();
    let whole = fs::read(file_of(folder, &hashes[0])).expect("an image");
    let to_go = fs::read(file_of(folder, &deleted)).expect("an image");
    let connection = database(folder);
    // As if the row had been lost, and as if a delete had been cut short.
    let raw = |hash: &str| hex::decode(hash).expect("digits");
    for hash in [&hashes[0], &deleted] {
        let rows = connection.execute("DELETE FROM image WHERE hash = ?1", [raw(hash)]);
        assert_eq!(rows.expect("a delete"), 1);
    }
    let removal = "INSERT INTO removal (hash) VALUES (?1)";
    connection.execute(removal, [raw(&deleted)]).expect("a row");
    drop(connection);
    let broken = b"RIFF no picture".to_vec();
    let name = hex::encode(&Sha256::digest(&broken)[..16]);
    let file = file_of(folder, &name);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, &broken).expect("to write");

    let (code, report) = checked(folder, &["--repair"]).await;
    assert_eq!(code, 0, "{report}");
    assert!(
        kinds(&report).starts_with(&["orphan", "orphan"]),
        "{report}"
    );
    let (code, report) = checked(folder, &[]).await;
    assert_eq!(code, 0, "{report}");
    let aside = folder.join("set-aside").join(format!("{name}.webp"));
    assert_eq!(fs::read(aside).expect("kept"), broken);
    assert_eq!(files::below(&folder.join("set-aside")).len(), 1);
    assert!(!file_of(folder, &deleted).exists());
    assert!(!to_go.is_empty());

    service.restart().await;
    assert_eq!(service.webp(&hashes[0]).await, whole);
    assert_eq!(service.get(&format!("/i/{deleted}")).await.status(), 404);
    assert_eq!(service.count().await, 2);
    // It is known by its bytes again.
    assert_eq!(service.upload(whole).await.status(), 409);
}

/// Here a folder is where its file should be, so that it cannot be read.
#[tokio::test]
async fn an_object_that_cannot_be_removed_holds_up_no_other() {
    let (mut service, hashes) = with_images(1).await;
    service.stop().await;
    let folder = service.data_dir();
    let unreadable = "00".repeat(16);
    fs::create_dir_all(file_of(folder, &unreadable)).expect("a folder");
    let deleted = "ff".repeat(16);
    fs::create_dir_all(folder.join("images/ff")).expect("a folder");
    fs::write(file_of(folder, &deleted), b"of a deleted image").expect("a file");
    let connection = database(folder);
    for hash in [&unreadable, &deleted] {
        let raw = hex::decode(hash).expect("digits");
        let row = connection.execute("INSERT INTO removal (hash) VALUES (?1)", [raw]);
        row.expect("a row");
    }
    drop(connection);

    service.restart().await;
    let folder = service.data_dir();
    eventually("the deleted image's file is gone", async || {
        (!file_of(folder, &deleted).exists()).then_some(())
    })
    .await;
    assert!(file_of(folder, &unreadable).is_dir());
    assert_eq!(
        service.get(&format!("/i/{}", hashes[0])).await.status(),
        200
    );
    // It is tried again.
    fs::remove_dir(file_of(folder, &unreadable)).expect("an empty folder");
    eventually("nothing is left to remove", async || {
        let waiting = "SELECT count(*) FROM removal";
        let waiting = database(folder).query_row(waiting, [], |row| row.get(0));
        (waiting == Ok(0)).then_some(())
    })
    .await;
}

/// A database that is an earlier copy does not know the newest images.
#[tokio::test]
async fn a_file_without_a_row_is_neither_served_nor_removed_and_an_upload_finds_it() {
    let (mut service, hashes) = with_images(1).await;
    let source = wide();
    let lost = service.stored(source.clone()).await;
    let whole = service.webp(&lost).await;
    service.stop().await;
    let raw = hex::decode(&lost).expect("digits");
    let connection = database(service.data_dir());
    let rows = connection.execute("DELETE FROM image WHERE hash = ?1", [raw]);
    assert_eq!(rows.expect("a delete"), 1);
    drop(connection);
    for _ in 0..2 {
        service.restart().await;
        // The start finishes deletions, and this one comes after what it does.
        let other = service.stored(wide()).await;
        assert_eq!(service.delete(&other).await.status(), 200);
        let path = format!("/i/{lost}");
        assert_eq!(service.get(&path).await.status(), 404);
        assert!(file_of(service.data_dir(), &lost).exists());
        service.stop().await;
    }
    let (code, report) = checked(service.data_dir(), &[]).await;
    assert_eq!(
        (code, &kinds(&report)[..]),
        (1, &["orphan"][..]),
        "{report}"
    );
    service.restart().await;
    assert_eq!(service.stored(source).await, lost);
    assert_eq!(service.webp(&lost).await, whole);
    assert_eq!(
        service.get(&format!("/i/{}", hashes[0])).await.status(),
        200
    );
    service.stop().await;
    let (code, report) = checked(service.data_dir(), &[]).await;
    assert_eq!(code, 0, "{report}");
}

/// Windows has no root.
#[cfg(unix)]
#[tokio::test]
async fn as_root_new_files_belong_to_the_owner_of_the_data_folder() {
    use std::os::unix::fs::{MetadataExt as _, chown};

    const OWNER: u32 = 4321;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let foreign = |folder: &std::path::Path| -> Vec<std::path::PathBuf> {
        let files = crate::harness::files::below(folder).into_iter();
        files
            .filter(|file| file.metadata().expect("a file").uid() != OWNER)
            .collect()
    };
    let (mut service, _) = crate::with_images(2).await;
    service.stop().await;
    let data = service.data_dir().to_owned();
    let file = data.with_extension("tar");
    let ended = porchlight(&data, &["backup", file.to_str().expect("UTF-8")]).await;
    assert!(ended.status.success(), "{ended:?}");
    chown(&data, Some(OWNER), Some(OWNER)).expect("to chown");
    let ended = porchlight(&data, &["check", "--repair"]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert!(foreign(&data).is_empty(), "{:?}", foreign(&data));

    let back = tempfile::tempdir().expect("a folder");
    chown(back.path(), Some(OWNER), Some(OWNER)).expect("to chown");
    let ended = porchlight(back.path(), &["restore", file.to_str().expect("UTF-8")]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert!(back.path().join("porchlight.db").exists());
    assert!(foreign(back.path()).is_empty());
    std::fs::remove_file(file).expect("a file");
}
