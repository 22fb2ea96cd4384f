//! From another Porchlight: what is there is here then, byte by byte, under the
//! same names and in the same order.

use std::time::{Duration, Instant};

#[cfg(unix)]
use crate::garage::Garage;
use crate::harness::{TestService, pictures};
use crate::{count, import, imported, is_well};

/// A Porchlight with twelve images of several kinds.
async fn filled(settings: &[String]) -> (TestService, Vec<String>) {
    let service = TestService::builder()
        .sets(settings)
        .set("limits.requests_per_second=0")
        .start()
        .await;
    let mut hashes = Vec::new();
    for number in 0..12 {
        let picture = match number % 3 {
            0 => pictures::photo(),
            1 => pictures::animated_gif(3, 40, 30, 50),
            _ => pictures::webp(&pictures::scene(pictures::next_seed(), 50, 50), None),
        };
        hashes.push(service.stored(picture).await);
    }
    (service, hashes)
}

#[tokio::test]
async fn images_served_directly_come_over_with_names_dates_and_every_byte() {
    let (there, hashes) = filled(&[]).await;
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("data");
    let (code, lines) = imported(&folder, &there.url(""), &[]).await;
    assert_eq!(code, 0, "{lines:?}");
    assert_eq!(count(&lines, "imported"), 12);
    is_well(&folder, &[]).await;
    let here = TestService::builder().data_dir(&folder).start().await;
    let path = "/images/list?limit=100";
    assert_eq!(here.json(path).await, there.json(path).await);
    for hash in &hashes {
        assert_eq!(here.webp(hash).await, there.webp(hash).await);
    }

    // The service that has the folder does it.
    let again = import(&folder, &there.url(""), &[]).await;
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    assert!(again.stdout.contains("12 already here"), "{again:?}");
    drop(here);

    // Again: what was added in between, and nothing else.
    let new = there.stored(pictures::photo()).await;
    let again = import(&folder, &there.url(""), &[]).await;
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    assert!(
        again.stdout.contains(&format!("imported  {new}\n")),
        "{again:?}"
    );
    assert!(again.stdout.contains("1 imported"), "{again:?}");
    assert!(
        again.stdout.contains("12 already here, 0 failed"),
        "{again:?}"
    );
}

#[tokio::test]
async fn a_retry_after_of_the_server_is_honoured() {
    let (mut there, _) = filled(&[]).await;
    let began = Instant::now();
    let limits = ["limits.requests_per_second=5", "limits.burst=5"];
    there.restart_with(&limits).await;
    let home = tempfile::tempdir().expect("a folder");
    let (code, lines) = imported(&home.path().join("data"), &there.url(""), &[]).await;
    assert_eq!((code, count(&lines, "imported")), (0, 12), "{lines:?}");
    // Fifteen requests, of which five are answered at once and five a second.
    assert!(began.elapsed() > Duration::from_secs(1), "it did not wait");
}

/// Garage does not run on Windows.
#[cfg(unix)]
#[tokio::test]
async fn images_that_are_redirected_to_an_object_store_come_from_there() {
    let garage = Garage::start().await;
    let mut settings = garage.settings();
    settings.retain(|setting| !setting.starts_with("storage.storage_url="));
    settings.push(format!(
        "storage.storage_url={}",
        garage.on_localhost().await
    ));
    settings.push("behaviour=B".to_owned());
    let (there, hashes) = filled(&settings).await;
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("data");
    let (code, lines) = imported(&folder, &there.url(""), &["--concurrent", "8"]).await;
    assert_eq!(code, 0, "{lines:?}");
    is_well(&folder, &[]).await;
    let here = TestService::builder().data_dir(&folder).start().await;
    let path = "/images/list?limit=100";
    assert_eq!(here.json(path).await, there.json(path).await);
    for hash in &hashes {
        let name = format!("/i/{hash}");
        assert_eq!(there.get(&name).await.status(), 302);
        let there = format!("{}/randomimg/{hash}.webp", garage.on_localhost().await);
        let there = crate::harness::http().get(there).send().await;
        let there = there.expect("an answer").bytes().await.expect("a body");
        assert_eq!(here.webp(hash).await, there);
    }
}

/// Garage does not run on Windows.
#[cfg(unix)]
#[tokio::test]
async fn images_go_to_the_object_store_where_configured() {
    let (there, hashes) = filled(&[]).await;
    let garage = Garage::start().await;
    let settings = garage.settings();
    let sets: Vec<&str> = settings.iter().flat_map(|set| ["--set", set]).collect();
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("data");
    let (code, lines) = imported(&folder, &there.url(""), &sets).await;
    assert_eq!(code, 0, "{lines:?}");
    assert_eq!(garage.objects().await, 12);
    is_well(&folder, &sets).await;
    let here = TestService::builder()
        .data_dir(&folder)
        .sets(&settings)
        .start()
        .await;
    for hash in &hashes {
        assert_eq!(here.webp(hash).await, there.webp(hash).await);
    }
}
