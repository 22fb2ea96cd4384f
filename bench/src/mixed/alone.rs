//! One picture alone: from the last byte of the request to the answer, beside one conversion by
//! sharp. A single upload can use both cores.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::figures::Figures;
use crate::porchlight::{HIGH_LIMIT, Porchlight, Uploaded, client};
use crate::sharp::Sharp;
use crate::table::Line;
use crate::upload::QUALITY;
use crate::uploads::delete;
use crate::{Place, Result};

const ROUNDS: usize = 5;
const AIM: f64 = 0.6;
const BOUNDARY: &str = "bench-boundary-7c1f";
/// What was sent is read and hashed within this time.
const READ_WITHIN: Duration = Duration::from_millis(300);

/// Measures the JPEGs of phones, which have 12 megapixels.
pub(super) async fn measure(
    place: &Place<'_>,
    scratch: &Path,
    files: &[PathBuf],
    sharp: &mut Sharp,
) -> Result<Line> {
    let phone = |file: &&PathBuf| file.extension().is_some_and(|ending| ending == "jpg");
    let files: Vec<PathBuf> = files.iter().filter(phone).cloned().collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::fs::create_dir_all(scratch)?;
    let service = Porchlight::start(place.porchlight, &scratch.join("service"), &HIGH_LIMIT)?;
    let client = client()?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        for file in &files {
            let (took, uploaded) = last_byte_to_answer(&service, file).await?;
            delete(&service, &client, &[uploaded]).await?;
            let one = std::slice::from_ref(file);
            let mut fastest = f64::MAX;
            for threads in [1, cores] {
                let converted = sharp.webp(one, scratch, QUALITY, threads)?;
                fastest = fastest.min(converted.seconds);
            }
            // The first round warms up.
            if round > 0 {
                ours.push(took.as_secs_f64());
                theirs.push(fastest);
            }
        }
    }
    let ratio = Figures::ratios(&ours, &theirs);
    let milliseconds = |all: Vec<f64>| format!("{:.0} ms", Figures::new(all).median() * 1000.0);
    Ok(Line {
        what: "one JPEG of 12 megapixels alone, from the last byte to the answer".to_owned(),
        ours: milliseconds(ours),
        other: Some(format!("sharp {}", milliseconds(theirs))),
        ratio: Some(ratio.to_string()),
        aim: Some((format!("≤ {AIM}"), ratio.median() <= AIM)),
    })
}

/// Uploads a file, and holds its last byte back until the service has read the rest.
async fn last_byte_to_answer(service: &Porchlight, file: &Path) -> Result<(Duration, Uploaded)> {
    let bytes = tokio::fs::read(file).await?;
    let start = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"image\"; filename=\"picture\"\r\n\r\n"
    );
    let body = [
        start.as_bytes(),
        &bytes,
        format!("\r\n--{BOUNDARY}--\r\n").as_bytes(),
    ]
    .concat();
    let address = service.url.trim_start_matches("http://");
    let head = format!(
        "POST /images/add HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: multipart/form-data; boundary={BOUNDARY}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        service.token,
        body.len()
    );
    let mut socket = TcpStream::connect(address).await?;
    socket.set_nodelay(true)?;
    let (most, last) = body.split_at(body.len() - 1);
    socket.write_all(head.as_bytes()).await?;
    socket.write_all(most).await?;
    tokio::time::sleep(READ_WITHIN).await;
    let sent = Instant::now();
    socket.write_all(last).await?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await?;
    let took = sent.elapsed();
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body);
    let body = body.filter(|_| answer.starts_with("HTTP/1.1 201"));
    let body = body.ok_or_else(|| format!("an upload was answered with {answer}"))?;
    Ok((took, serde_json::from_str(body)?))
}
