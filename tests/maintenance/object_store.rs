//! The same with images in a real object store.

use std::fs;

use crate::garage::Garage;
use crate::harness::TestService;
use crate::{checked, database, kinds, porchlight, wide};

#[tokio::test]
async fn objects_are_checked_repaired_backed_up_and_restored() {
    let garage = Garage::start().await;
    let settings = garage.settings();
    let sets: Vec<&str> = settings
        .iter()
        .flat_map(|setting| ["--set", setting])
        .collect();
    let mut service = TestService::builder().sets(&settings).start().await;
    let mut images = Vec::new();
    for _ in 0..4 {
        let hash = service.stored(wide()).await;
        images.push((hash.clone(), service.webp(&hash).await));
    }
    service.get(&format!("/i/{}?w=320", images[0].0)).await;
    let (code, report) = checked(service.data_dir(), &sets).await;
    assert_eq!((code, report["images"].as_u64()), (0, Some(4)), "{report}");

    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("backup.tar");
    let words = [&["backup", file.to_str().expect("UTF-8")], &sets[..]].concat();
    let ended = porchlight(service.data_dir(), &words).await;
    assert!(ended.status.success(), "{ended:?}");

    service.stop().await;
    let raw = |number: usize| hex::decode(&images[number].0).expect("digits");
    let connection = database(service.data_dir());
    for (query, number) in [
        // Its object is an orphan then, which proves itself.
        ("DELETE FROM image WHERE hash = ?1", 0),
        // Its object does not match the row then.
        ("UPDATE image SET sha256 = zeroblob(32) WHERE hash = ?1", 1),
    ] {
        assert_eq!(connection.execute(query, [raw(number)]).expect(query), 1);
    }
    drop(connection);
    let (code, report) = checked(service.data_dir(), &sets).await;
    assert_eq!(code, 1, "{report}");
    let found = kinds(&report);
    assert!(
        found.contains(&"orphan") && found.contains(&"wrong"),
        "{report}"
    );
    let repair = [&["--repair"], &sets[..]].concat();
    let (code, report) = checked(service.data_dir(), &repair).await;
    assert_eq!(code, 0, "{report}");
    let (code, report) = checked(service.data_dir(), &sets).await;
    assert_eq!((code, report["images"].as_u64()), (0, Some(3)), "{report}");
    let aside = format!("set-aside/{}.webp", images[1].0);
    let aside = fs::read(service.data_dir().join(aside)).expect("kept");
    assert_eq!(aside, images[1].1);
    service.restart().await;
    assert_eq!(service.webp(&images[0].0).await, images[0].1);

    // On disk, and in another store.
    let other = Garage::start().await;
    for (name, settings) in [("disk", Vec::new()), ("store", other.settings())] {
        let back = place.path().join(name);
        let sets = settings.iter().flat_map(|setting| ["--set", setting]);
        let mut words = vec!["restore", file.to_str().expect("UTF-8")];
        words.extend(sets);
        let ended = porchlight(&back, &words).await;
        assert!(ended.status.success(), "{ended:?}");
        let restored = TestService::builder()
            .data_dir(&back)
            .sets(&settings)
            .start()
            .await;
        for (hash, webp) in &images {
            assert_eq!(restored.webp(hash).await, *webp, "{name}");
        }
    }
    assert_eq!(other.objects().await, 4);
}
