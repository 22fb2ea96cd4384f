//! Requests a second beside nginx: an image, its 304, and `/check`.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use porchlight_test_harness::process::{RunningProcess, clean_command};
use porchlight_test_harness::process_group::Group;
use porchlight_test_harness::{Client, eventually, free_port};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use reqwest::StatusCode;
use reqwest::header::HeaderValue;
use serde_json::json;
use tokio::net::TcpStream;
use xshell::{Shell, cmd};

use crate::rows::noise;
use crate::service;
use crate::table::Aim::AtLeast;
use crate::table::Line;

const ROUNDS: usize = 7;
/// Two threads, 64 connections that stay open, three seconds.
const WRK: [&str; 5] = ["-t2", "-c64", "-d3s", "--timeout", "5s"];

/// An address and, where it is to answer 304, the tag that it knows.
type Request = (String, Option<String>);

/// Measures all three.
pub(crate) async fn measure(folder: &Path) -> Result<Vec<Line>> {
    println!("==> serve: a picture, its 304, and /check, beside nginx");
    let service = service::start(&folder.join("serve")).await?;
    // So that `/check` has content.
    let heartbeat = json!({
        "application": "Code", "introduce": "Writing a program", "rgba": "86,156,214,0.9",
        "applicationOnline": true,
    });
    service.heartbeat(&heartbeat).await.error_for_status()?;
    // Noise of this size is a lossless WebP of about 90 KB.
    let picture = noise(&mut StdRng::seed_from_u64(1), 200, 150)?;
    let hash = service.stored(picture).await;
    let check = service.get("/check").await.text().await?;
    let webp = service.webp(&hash).await;
    let (nginx, _group, _running) = nginx(&folder.join("nginx"), &webp, &check).await?;

    let http = &service.http;
    let image = [
        service.url(&format!("/i/{hash}")),
        nginx.clone() + "/picture.webp",
    ];
    let tags = [tag(http, &image[0]).await?, tag(http, &image[1]).await?];
    let [ours, theirs] = image.clone();
    let [our_tag, their_tag] = tags.map(Some);
    let tagged = [(ours, our_tag), (theirs, their_tag)];
    let image = image.map(|url| (url, None));
    let check = [service.url("/check"), nginx + "/check"].map(|url| (url, None));
    Ok(vec![
        race(http, "GET /i/{hash}, 90 KB, 64 connections", 1.0, &image).await?,
        race(http, "the same as 304", 0.9, &tagged).await?,
        race(http, "GET /check, beside `return 200`", 0.8, &check).await?,
    ])
}

async fn tag(http: &Client, url: &str) -> Result<String> {
    let reply = http.get(url).send().await?.error_for_status()?;
    let tag = reply.headers().get("etag").context("no ETag")?;
    Ok(tag.to_str()?.to_owned())
}

/// The status, type and bytes of an answer.
async fn answer(
    http: &Client,
    (url, tag): &Request,
) -> Result<(StatusCode, Option<HeaderValue>, Vec<u8>)> {
    let mut request = http.get(url);
    if let Some(tag) = tag {
        request = request.header("If-None-Match", tag);
    }
    let reply = request.send().await?;
    let is_expected = (reply.status() == StatusCode::NOT_MODIFIED) == tag.is_some();
    ensure!(is_expected, "{url} was answered with {}", reply.status());
    let kind = reply.headers().get("content-type").cloned();
    Ok((reply.status(), kind, reply.bytes().await?.into()))
}

/// Alternately; the order changes, too. Both must answer the same.
async fn race(http: &Client, what: &str, aim: f64, both: &[Request; 2]) -> Result<Line> {
    let answers = [answer(http, &both[0]).await?, answer(http, &both[1]).await?];
    if answers[0] != answers[1] {
        bail!("{what}: the answers differ: {answers:?}");
    }
    let mut rates = [Vec::new(), Vec::new()];
    // The first round is not counted.
    for round in 0..=ROUNDS {
        for turn in [round % 2, (round + 1) % 2] {
            let rate = requests_per_second(&both[turn])?;
            if round > 0 {
                rates[turn].push(rate);
            }
        }
    }
    Ok(Line::turns(what, "nginx", " /s", rates, AtLeast(aim)))
}

/// wrk asks as fast as it is answered.
fn requests_per_second((url, tag): &Request) -> Result<f64> {
    let sh = Shell::new()?;
    let tag = tag.iter().map(|tag| format!("-HIf-None-Match: {tag}"));
    read(&cmd!(sh, "wrk {WRK...}").args(tag).arg(url).quiet().read()?)
}

/// The requests a second. Fails when any request was not answered with 2xx or 3xx.
fn read(printed: &str) -> Result<f64> {
    let failed = ["Non-2xx or 3xx responses", "Socket errors"];
    let mut lines = printed.lines();
    match lines.find_map(|line| line.strip_prefix("Requests/sec:")) {
        Some(rate) if !failed.iter().any(|text| printed.contains(text)) => {
            Ok(rate.trim().parse()?)
        }
        _ => bail!("wrk: {printed}"),
    }
}

/// Starts nginx; at the address that is returned, `/picture.webp` answers the picture, and `/check`
/// the reply.
async fn nginx(
    folder: &Path,
    picture: &[u8],
    reply: &str,
) -> Result<(String, Group, RunningProcess)> {
    if reply.contains(['\'', '\\', '$']) {
        bail!("nginx's settings cannot hold this reply: {reply}");
    }
    fs::create_dir_all(folder)?;
    fs::write(folder.join("picture.webp"), picture)?;
    // Where root runs it, nginx would give its work to a user who cannot enter this folder.
    let is_root = fs::metadata(folder)?.uid() == 0;
    // Free at this moment; nginx does not report its port.
    let port = free_port();
    let settings = include_str!("../nginx.conf")
        .replace("@USER@", if is_root { "user root;" } else { "" })
        .replace("@FOLDER@", &folder.display().to_string())
        .replace("@PORT@", &port.to_string())
        .replace("@REPLY@", reply);
    let file = folder.join("nginx.conf");
    fs::write(&file, settings)?;
    let mut command = clean_command("nginx", folder);
    command.args(["-e", "stderr", "-c"]).arg(&file);
    command.arg("-p").arg(folder);
    command.process_group(0);
    let running = RunningProcess::spawn(command);
    eventually("nginx", async || {
        TcpStream::connect(("127.0.0.1", port)).await.ok()
    })
    .await;
    Ok((
        format!("http://127.0.0.1:{port}"),
        Group::of(&running),
        running,
    ))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn requests_per_second_are_read_off_and_a_run_with_errors_does_not_count() {
        let good = "Running 3s test @ http://127.0.0.1:1/\n  2 threads and 64 connections\n\
                    Requests/sec:  31854.25\nTransfer/sec:      2.66GB\n";
        assert_eq!(read(good).expect("a number"), 31854.25);
        for trouble in [
            "  Non-2xx or 3xx responses: 12\n",
            "  Socket errors: connect 0, read 3, write 0, timeout 0\n",
        ] {
            let failure = read(&format!("{good}{trouble}")).expect_err("not a good run");
            assert!(failure.to_string().contains(trouble.trim()));
        }
        read("").expect_err("no number");
    }
}
