//! What publishing costs: what an upload rewrites in the store, at ten thousand images and at a
//! million; what heartbeats write there; and what it adds to the answer of an upload.

use std::path::Path;
use std::time::{Duration, Instant};

use porchlight_test_harness::s3::ObjectStore;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::figures::Figures;
use crate::growth::noise;
use crate::porchlight::{HIGH_LIMIT, Porchlight, client};
use crate::rows::{self, Rows, Stored};
use crate::table::Line;
use crate::{Place, Result};

const SIZES: [usize; 2] = [10_000, 1_000_000];
const UPLOADS: usize = 20;
/// A page, or two where one is split, and the index.
const MOST_OBJECTS: f64 = 3.0;
/// As many as one token may send at once.
const HEARTBEATS: u32 = 60;
const BETWEEN_HEARTBEATS: Duration = Duration::from_millis(250);
const ANSWERS: usize = 200;
/// What publishing may add to an answer, in milliseconds.
const AIM: f64 = 1.0;
/// A million images are published for the first time within this time or never.
const PUBLISHED_WITHIN: Duration = Duration::from_secs(300);

/// Measures all three.
pub(crate) async fn measure(place: &Place<'_>) -> Result<Vec<Line>> {
    println!("==> publishing: what is written for an upload and a heartbeat");
    let mut lines = vec![heartbeats(place).await?, answers(place).await?];
    for count in SIZES {
        lines.push(uploads(place, count).await?);
    }
    for line in &lines {
        println!("    {}: {}", line.what, line.ours);
    }
    Ok(lines)
}

fn start(
    place: &Place<'_>,
    folder: &Path,
    store: &ObjectStore,
    publish: bool,
) -> Result<Porchlight> {
    let mut settings = store.settings();
    settings.extend(HIGH_LIMIT.map(str::to_owned));
    settings.push(format!("publish.enabled={publish}"));
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    Porchlight::start(place.porchlight, folder, &settings)
}

/// Waits until the published index has this many images.
async fn published(store: &ObjectStore, total: usize) -> Result<()> {
    let began = Instant::now();
    while store.json("porchlight/images/index.json")["total"] != total {
        if began.elapsed() > PUBLISHED_WITHIN {
            return Err(format!("{total} images were not published").into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

async fn uploads(place: &Place<'_>, count: usize) -> Result<Line> {
    let folder = place.scratch.join(format!("publishing-{count}"));
    drop(Porchlight::start(place.porchlight, &folder, &[])?);
    let mut rng = StdRng::seed_from_u64(5);
    let images: Vec<Stored> = (0..count)
        .map(|_| Stored {
            sha256: rng.random(),
            size: 90_000,
        })
        .collect();
    Rows::write(&folder, &images, rows::Place::ObjectStore)?;
    drop(images);
    let store = ObjectStore::start().await;
    let began = Instant::now();
    let service = start(place, &folder, &store, true)?;
    published(&store, count).await?;
    let first = began.elapsed().as_secs_f64();
    println!("    {count} images were published for the first time in {first:.1} s");

    let client = client()?;
    let (mut objects, mut bytes) = (Vec::new(), Vec::new());
    for number in 1..=UPLOADS {
        let before = store.written("porchlight/images/");
        service.upload_bytes(&client, noise(&mut rng)?).await?;
        published(&store, count + number).await?;
        let after = store.written("porchlight/images/");
        objects.push((after.0 - before.0) as f64);
        bytes.push((after.1 - before.1) as f64 / 1_000.0);
    }
    drop(service);
    std::fs::remove_dir_all(&folder)?;
    let (objects, bytes) = (Figures::new(objects), Figures::new(bytes));
    Ok(Line {
        what: format!("objects of the snapshot that an upload rewrites, {count} images"),
        ours: format!(
            "{:.0}, at most {:.0}; {:.0} KB",
            objects.median(),
            objects.largest(),
            bytes.median()
        ),
        aim: Some((
            format!("≤ {MOST_OBJECTS:.0}"),
            objects.largest() <= MOST_OBJECTS,
        )),
        ..Line::default()
    })
}

/// Each of them shows another application.
async fn heartbeats(place: &Place<'_>) -> Result<Line> {
    let store = ObjectStore::start().await;
    let folder = place.scratch.join("publishing-heartbeats");
    let service = start(place, &folder, &store, true)?;
    published(&store, 0).await?;
    let client = client()?;
    let before = store.written("porchlight/check.json");
    let began = Instant::now();
    for number in 0..HEARTBEATS {
        let heartbeat = client
            .post(format!("{}/heartbeat", service.url))
            .bearer_auth(&service.token)
            .form(&[
                ("application", format!("App {number}")),
                ("applicationOnline", "true".to_owned()),
            ]);
        heartbeat.send().await?.error_for_status()?;
        tokio::time::sleep(BETWEEN_HEARTBEATS).await;
    }
    let seconds = began.elapsed().as_secs_f64();
    let after = store.written("porchlight/check.json");
    let (calls, bytes) = (after.0 - before.0, after.1 - before.1);
    // The first is written at once, and then one in ten seconds.
    let most = 2 + (seconds / 10.0) as usize;
    Ok(Line {
        what: format!("calls to the store for {HEARTBEATS} changes of presence in {seconds:.0} s"),
        ours: format!(
            "{calls}; {} bytes each",
            bytes.checked_div(calls).unwrap_or(0)
        ),
        aim: Some((format!("≤ {most}"), calls <= most)),
        ..Line::default()
    })
}

/// The same upload to a service that publishes and to one that does not, in turns.
async fn answers(place: &Place<'_>) -> Result<Line> {
    let store = ObjectStore::start().await;
    let folder = |name| place.scratch.join(format!("publishing-{name}"));
    let with = start(place, &folder("on"), &store, true)?;
    let without = start(place, &folder("off"), &store, false)?;
    let client = client()?;
    let mut rng = StdRng::seed_from_u64(6);
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for round in 0..ANSWERS {
        let turns = [(&with, &mut ours), (&without, &mut others)];
        let mut turns = Vec::from(turns);
        if round % 2 == 1 {
            turns.reverse();
        }
        for (service, times) in turns {
            let picture = noise(&mut rng)?;
            let began = Instant::now();
            service.upload_bytes(&client, picture).await?;
            times.push(began.elapsed().as_secs_f64() * 1_000.0);
        }
    }
    let (ours, others) = (Figures::new(ours).median(), Figures::new(others).median());
    Ok(Line {
        what: "the answer to a small upload, while it is published".to_owned(),
        ours: format!("{ours:.2} ms"),
        other: Some(format!("not publishing {others:.2} ms")),
        ratio: Some(format!("{:.2}", ours / others)),
        aim: Some((format!("< {AIM:.0} ms more"), ours - others < AIM)),
    })
}
