//! How long the list, the count and the random image take with a million rows.

use std::time::Instant;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use reqwest::RequestBuilder;
use serde::Deserialize;

use crate::latency::latencies;
use crate::porchlight::{HIGH_LIMIT, Porchlight, client};
use crate::rows::{self, Rows, Stored};
use crate::table::Line;
use crate::{Place, Result};

const ROWS: usize = 1_000_000;

/// With a million rows and no files, the row part of a random image is what a
/// redirect takes. Nothing is at the store's address, and it is not requested.
pub(crate) const REDIRECT: [&str; 2] = ["images.delivery=redirect", "storage.kind=s3"];

/// The store that the rows name.
pub(crate) const STORE: [&str; 5] = [
    "storage.endpoint=http://127.0.0.1:9",
    "storage.bucket=pictures",
    "storage.access_key=a",
    "storage.secret_key=b",
    "storage.storage_url=https://pictures.invalid",
];

#[derive(Deserialize)]
struct Page {
    images: Vec<Item>,
    pagination: Pagination,
}

#[derive(Deserialize)]
struct Item {
    hash: String,
}

#[derive(Deserialize)]
struct Pagination {
    total: usize,
}

/// Measures all of them.
pub(crate) async fn measure(place: &Place<'_>) -> Result<Vec<Line>> {
    println!("==> list: {ROWS} rows");
    let folder = place.scratch.join("list");
    drop(Porchlight::start(place.porchlight, &folder, &[])?);
    let mut rng = StdRng::seed_from_u64(3);
    let images: Vec<Stored> = (0..ROWS)
        .map(|_| Stored {
            sha256: rng.random(),
            size: 90_000,
        })
        .collect();
    let began = Instant::now();
    let rows = Rows::write(&folder, &images, rows::Place::ObjectStore)?;
    drop(images);
    println!("    the rows took {:.0} s", began.elapsed().as_secs_f64());

    let settings: Vec<&str> = HIGH_LIMIT
        .into_iter()
        .chain(REDIRECT)
        .chain(STORE)
        .collect();
    let service = Porchlight::start(place.porchlight, &folder, &settings)?;
    let client = client()?;
    let at = |path: &str| client.get(format!("{}{path}", service.url));
    let mut lines = Vec::new();

    lines.push(
        latencies(&service, &client, "/random_image (302)", 302, || {
            at("/random_image")
        })
        .await?,
    );
    for limit in [10, 100] {
        let last = ROWS.div_ceil(limit);
        for (name, page) in [("first", 1), ("middle", last / 2), ("last", last)] {
            let path = format!("/images/list?page={page}&limit={limit}");
            check(at(&path), &rows, page, limit).await?;
            let what = format!("/images/list, {name} page of {limit}");
            lines.push(latencies(&service, &client, &what, 200, || at(&path)).await?);
        }
        let what = format!("/images/list, any page of {limit}");
        let any = || {
            let page = rng.random_range(1..=last);
            at(&format!("/images/list?page={page}&limit={limit}"))
        };
        lines.push(latencies(&service, &client, &what, 200, any).await?);
    }
    lines.push(
        latencies(&service, &client, "/images/count", 200, || {
            at("/images/count")
        })
        .await?,
    );
    for line in &mut lines {
        line.what.push_str(", 1,000,000 rows");
    }
    Ok(lines)
}

/// Fails when a page does not match the rows; the times are meaningless then.
async fn check(request: RequestBuilder, rows: &Rows, page: usize, limit: usize) -> Result<()> {
    let found: Page = serde_json::from_str(&request.send().await?.text().await?)?;
    let first = (page - 1) * limit;
    let expected = (first..rows.count().min(first + limit)).map(|newer| rows.after(newer).hash());
    let same = found
        .images
        .iter()
        .map(|item| item.hash.as_str())
        .eq(expected);
    if same && found.pagination.total == rows.count() {
        Ok(())
    } else {
        Err(format!("page {page} of {limit} is not the right one").into())
    }
}
