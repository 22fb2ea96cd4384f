//! A repair where many files are missing: the disk may not be mounted, or the settings may name
//! another bucket. It changes nothing without `--missing-is-lost`, and keeps what brings the rows
//! back.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{TestService, answer, files, pictures};
use crate::{checked, database, file_of, kinds, porchlight, wide, with_images};

/// The copies of the database that repairs have kept.
fn copies(folder: &Path) -> Vec<PathBuf> {
    let mut files = files::below(folder);
    files.retain(|file| {
        let name = file.file_name().expect("a name").to_string_lossy();
        name.starts_with("porchlight.db.before-repair-")
    });
    files
}

/// The list as readers get it, and what only the database knows.
async fn all_of(service: &TestService) -> (Value, Vec<Vec<String>>) {
    let list = service.json("/images/list?limit=100").await;
    let connection = database(service.data_dir());
    let lines = |query: &str| {
        let mut statement = connection.prepare(query).expect("a query");
        let rows = statement.query_map([], |row| row.get(0)).expect("rows");
        rows.collect::<Result<Vec<String>, _>>().expect("lines")
    };
    let rows = [
        "SELECT concat_ws('|', hex(hash), hex(sha256), size, width, height, frames, created_at,
                          source_size, source_format, place) FROM image ORDER BY hash",
        "SELECT concat_ws('|', hex(alias.hash), hex(image.hash)) FROM alias
         JOIN image ON image.id = alias.image ORDER BY alias.hash",
        "SELECT concat_ws('|', hex(digest), hex(image.hash)) FROM source
         JOIN image ON image.id = source.image ORDER BY digest",
        "SELECT concat_ws('|', hex(image.hash), name) FROM image_name
         JOIN image ON image.id = image_name.image ORDER BY image.hash",
    ];
    (list, rows.map(lines).to_vec())
}

/// Eight images, one with a second name and a second source, one under another server's name, all
/// a year old; and the sources of the first two.
async fn a_collection() -> (TestService, Vec<String>, [Vec<u8>; 2]) {
    let (mut service, mut hashes) = with_images(6).await;
    let picture = pictures::scene(pictures::next_seed(), 70, 50);
    let sources = [pictures::png(&picture), wide()];
    for source in &sources {
        hashes.push(service.stored(source.clone()).await);
    }
    let bmp = pictures::encoded(&picture, image::ImageFormat::Bmp);
    assert_eq!(service.upload(bmp).await.status(), 409);
    service.stop().await;
    let folder = service.data_dir();
    let imported = "0123456789abcdef0123456789abcdef";
    let (named, renamed) = (&hashes[6], &hashes[7]);
    database(folder)
        .execute_batch(&format!(
            "UPDATE image SET hash = x'{imported}' WHERE hash = x'{renamed}';
             INSERT INTO alias SELECT x'{}', id FROM image WHERE hash = x'{named}';
             INSERT OR REPLACE INTO image_name
                 SELECT id, 'Harbour', 'harbour' FROM image WHERE hash = x'{named}';
             UPDATE image SET created_at = created_at - 31536000000;",
            "ee".repeat(16)
        ))
        .expect("as after an import");
    fs::create_dir_all(folder.join("images/01")).expect("a folder");
    fs::rename(file_of(folder, renamed), file_of(folder, imported)).expect("renamed");
    hashes[7] = imported.to_owned();
    let (code, report) = checked(folder, &[]).await;
    assert_eq!(code, 0, "{report}");
    (service, hashes, sources)
}

#[tokio::test]
async fn a_repair_with_the_images_not_mounted_changes_nothing() {
    let (service, hashes, _) = a_collection().await;
    let folder = service.data_dir();
    fs::rename(folder.join("images"), folder.join("elsewhere")).expect("moved");
    let before = fs::read(folder.join("porchlight.db")).expect("a database");

    let (code, report) = checked(folder, &["--repair"]).await;
    assert_eq!(code, 1, "{report}");
    assert_eq!(kinds(&report), vec!["missing"; hashes.len()], "{report}");
    let problems = report["problems"].as_array().expect("a list");
    assert!(problems.iter().all(|problem| problem["mended"].is_null()));
    let refused = report["refused"].as_str().expect("a reason");
    assert!(
        refused.contains("8 of 8") && refused.contains("--missing-is-lost"),
        "{refused}"
    );
    assert_eq!(
        fs::read(folder.join("porchlight.db")).expect("a database"),
        before
    );
    assert_eq!(copies(folder), [""; 0].map(PathBuf::from));
    let ended = porchlight(folder, &["check", "--repair"]).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stdout.contains("--missing-is-lost"), "{ended:?}");
    // It is an option of a repair alone.
    let ended = porchlight(folder, &["check", "--missing-is-lost"]).await;
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
}

#[tokio::test]
async fn the_kept_copy_of_the_database_brings_everything_back() {
    let (mut service, hashes, sources) = a_collection().await;
    service.restart().await;
    let before = all_of(&service).await;
    service.stop().await;
    let folder = service.data_dir().to_owned();
    fs::rename(folder.join("images"), folder.join("elsewhere")).expect("moved");
    let (code, report) = checked(&folder, &["--repair", "--missing-is-lost"]).await;
    assert_eq!((code, report["refused"].is_null()), (0, true), "{report}");
    service.restart().await;
    assert_eq!(service.count().await, 0);
    service.stop().await;

    fs::remove_dir_all(folder.join("images")).expect("gone");
    fs::rename(folder.join("elsewhere"), folder.join("images")).expect("mounted again");
    let [copy] = &copies(&folder)[..] else {
        panic!("one copy");
    };
    fs::rename(copy, folder.join("porchlight.db")).expect("put back");
    let (code, report) = checked(&folder, &[]).await;
    assert_eq!(
        (code, &report["images"]),
        (0, &json!(hashes.len())),
        "{report}"
    );
    service.restart().await;
    assert_eq!(all_of(&service).await, before);
    for hash in &hashes {
        assert!(pictures::is_webp(&service.webp(hash).await));
    }
    assert_eq!(
        service.webp(&"ee".repeat(16)).await,
        service.webp(&hashes[6]).await
    );
    for (source, hash) in sources.into_iter().zip(&hashes[6..]) {
        let (status, body) = answer(service.upload(source).await).await;
        assert_eq!((status, &body["existingHash"]), (409, &json!(hash)));
    }
}

#[tokio::test]
async fn repairs_keep_the_newest_three_copies_of_the_database() {
    let (mut service, hashes) = with_images(4).await;
    service.stop().await;
    let folder = service.data_dir();
    let mut all = Vec::new();
    for hash in &hashes {
        fs::remove_file(file_of(folder, hash)).expect("to remove");
        let (code, report) = checked(folder, &["--repair"]).await;
        assert_eq!((code, kinds(&report)), (0, vec!["missing"]), "{report}");
        let mut kept = copies(folder);
        kept.retain(|file| !all.contains(file));
        all.extend(kept);
    }
    assert_eq!(all.len(), 4);
    let mut kept = copies(folder);
    kept.sort_unstable();
    assert_eq!(kept, all[1..]);
}
