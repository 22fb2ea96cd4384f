//! Requests a second beside nginx: an image, its 304, and `/check`; this also beside a server of axum
//! with one handler, which says how much of the distance to nginx is the runtime's.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use image::ImageFormat;
use porchlight_test_harness::process::clean_command;
use porchlight_test_harness::{Client, eventually};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use reqwest::StatusCode;
use serde_json::json;
use tokio::net::TcpStream;

use crate::growth::noise;
use crate::service::{self, Group};
use crate::table::{Figures, Line};
use crate::{Result, output};

const ROUNDS: usize = 7;
/// Two threads, 64 connections that stay open, three seconds.
const WRK: [&str; 5] = ["-t2", "-c64", "-d3s", "--timeout", "5s"];

/// An address and, where it is to answer 304, the tag that it knows.
type Request = (String, Option<String>);

/// Measures all three.
pub(crate) async fn measure(folder: &Path) -> Result<Vec<Line>> {
    println!("==> serve: a picture, its 304, and /check, beside nginx");
    let service = service::start(&folder.join("serve"), &[]).await?;
    // So that `/check` has content.
    let heartbeat = json!({
        "application": "Code", "introduce": "Writing a program", "rgba": "86,156,214,0.9",
        "applicationOnline": true,
    });
    service.heartbeat(&heartbeat).await.error_for_status()?;
    // Noise of this size is a lossless WebP of about 90 KB.
    let picture = noise(&mut StdRng::seed_from_u64(1), 200, 150, ImageFormat::WebP)?;
    let hash = service.stored(picture).await;
    let check = service.get("/check").await.text().await?;
    let webp = service.webp(&hash).await;
    let nginx = Nginx::start(&folder.join("nginx"), &webp, &check).await?;

    let http = &service.http;
    let picture = [
        service.url(&format!("/i/{hash}")),
        nginx.url("/picture.webp"),
    ];
    let tags = [tag(http, &picture[0]).await?, tag(http, &picture[1]).await?];
    let [ours, theirs] = picture;
    let axum = bare_axum(check.clone()).await?;
    let checks = (service.url("/check"), nginx.url("/check"));
    let mut lines = Vec::new();
    for (what, other, aim, ours, theirs) in [
        (
            "GET /i/{hash}, 90 KB, 64 connections",
            "nginx",
            1.0,
            (ours.clone(), None),
            (theirs.clone(), None),
        ),
        (
            "the same as 304",
            "nginx",
            0.9,
            (ours, Some(tags[0].clone())),
            (theirs, Some(tags[1].clone())),
        ),
        (
            "GET /check, beside `return 200`",
            "nginx",
            0.8,
            (checks.0.clone(), None),
            (checks.1, None),
        ),
        (
            "GET /check, beside one handler",
            "axum",
            0.8,
            (checks.0, None),
            (axum, None),
        ),
    ] {
        same(http, &ours, &theirs).await?;
        lines.push(race(what, other, aim, &ours, &theirs)?);
    }
    Ok(lines)
}

/// The address of a handler that returns this JSON, on a runtime of its own: that of this program waits
/// for wrk. It ends with this program.
async fn bare_axum(reply: String) -> Result<String> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await?
        .into_std()?;
    let url = format!("http://{}/check", listener.local_addr()?);
    std::thread::spawn(move || -> Result<()> {
        tokio::runtime::Runtime::new()?.block_on(async {
            let answer = async || ([(CONTENT_TYPE, "application/json")], reply);
            let router = Router::new().route("/check", get(answer));
            Ok(axum::serve(tokio::net::TcpListener::from_std(listener)?, router).await?)
        })
    });
    Ok(url)
}

async fn tag(http: &Client, url: &str) -> Result<String> {
    let reply = http.get(url).send().await?.error_for_status()?;
    let tag = reply
        .headers()
        .get("etag")
        .ok_or_else(|| format!("{url} has no ETag"))?;
    Ok(tag.to_str()?.to_owned())
}

/// Fails when the two do not answer the same.
async fn same(http: &Client, ours: &Request, theirs: &Request) -> Result<()> {
    let ask = async |(url, tag): &Request| -> Result<_> {
        let mut request = http.get(url);
        if let Some(tag) = tag {
            request = request.header("If-None-Match", tag);
        }
        let reply = request.send().await?;
        let kind = reply.headers().get("content-type").cloned();
        Ok((reply.status(), kind, reply.bytes().await?))
    };
    let (our, their) = (ask(ours).await?, ask(theirs).await?);
    let expected = match ours.1 {
        Some(_) => StatusCode::NOT_MODIFIED,
        None => StatusCode::OK,
    };
    if our.0 != expected || our != their {
        let text = format!("{}: {our:?} and {their:?} differ", ours.0);
        return Err(text.into());
    }
    Ok(())
}

/// Alternately; the order changes, too.
fn race(what: &str, other: &str, aim: f64, ours: &Request, theirs: &Request) -> Result<Line> {
    let (mut our_rates, mut their_rates) = (Vec::new(), Vec::new());
    // The first round is not counted.
    for round in 0..=ROUNDS {
        let mut both = [(ours, &mut our_rates), (theirs, &mut their_rates)];
        if round % 2 == 1 {
            both.reverse();
        }
        for (request, rates) in both {
            let rate = requests_per_second(request)?;
            if round > 0 {
                rates.push(rate);
            }
        }
    }
    let ratios = Figures::ratios(&our_rates, &their_rates);
    let per_second = |rates| format!("{:.0} /s", Figures::new(rates).median());
    Ok(Line {
        what: what.to_owned(),
        ours: per_second(our_rates),
        other: Some(format!("{other} {}", per_second(their_rates))),
        aim: Some((format!("≥ {aim:.1}"), ratios.median() >= aim)),
        ratio: Some(ratios.spelt(2)),
    })
}

/// wrk asks as fast as it is answered.
fn requests_per_second((url, tag): &Request) -> Result<f64> {
    let mut wrk = Command::new("wrk");
    wrk.args(WRK);
    if let Some(tag) = tag {
        wrk.arg("-H").arg(format!("If-None-Match: {tag}"));
    }
    read(&output(wrk.arg(url))?)
}

/// The requests a second. Fails when any request was not answered with 2xx or 3xx.
fn read(printed: &str) -> Result<f64> {
    let failed = ["Non-2xx or 3xx responses", "Socket errors"];
    let rate = printed
        .lines()
        .find_map(|line| line.strip_prefix("Requests/sec:"));
    match rate {
        Some(rate) if !failed.iter().any(|text| printed.contains(text)) => {
            Ok(rate.trim().parse()?)
        }
        _ => Err(format!("wrk: {printed}").into()),
    }
}

/// nginx, set up to be as fast as it can be without help that a server of
/// changing files cannot use: files sent by the kernel, no log.
struct Nginx {
    port: u16,
    _running: Group,
}

impl Nginx {
    /// Starts it; `/picture.webp` answers the picture, and `/check` the reply.
    async fn start(folder: &Path, picture: &[u8], reply: &str) -> Result<Self> {
        if reply.contains(['\'', '\\', '$']) {
            return Err(format!("nginx's settings cannot hold this reply: {reply}").into());
        }
        fs::create_dir_all(folder.join("pictures"))?;
        fs::write(folder.join("pictures/picture.webp"), picture)?;
        // Free at this moment; nginx does not report its port.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let name = folder.display();
        // Where root runs it, nginx would give its work to a user who cannot enter this folder.
        let user = if fs::metadata(folder)?.uid() == 0 {
            "user root;"
        } else {
            ""
        };
        let settings = format!(
            r#"{user}
daemon off;
worker_processes auto;
pid "{name}/nginx.pid";
error_log stderr error;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_timeout 75s;
    keepalive_requests 1000000000;
    client_body_temp_path "{name}/body";
    proxy_temp_path "{name}/proxy";
    fastcgi_temp_path "{name}/fastcgi";
    uwsgi_temp_path "{name}/uwsgi";
    scgi_temp_path "{name}/scgi";
    types {{ image/webp webp; }}
    server {{
        listen 127.0.0.1:{port};
        root "{name}/pictures";
        location = /check {{
            default_type application/json;
            return 200 '{reply}';
        }}
    }}
}}
"#
        );
        let file = folder.join("nginx.conf");
        fs::write(&file, settings)?;
        let mut command = clean_command("nginx", folder);
        command
            .args(["-e", "stderr", "-p"])
            .arg(folder)
            .arg("-c")
            .arg(&file);
        let nginx = Self {
            port,
            _running: Group::start(command),
        };
        eventually("nginx", async || {
            TcpStream::connect(("127.0.0.1", port)).await.ok()
        })
        .await;
        Ok(nginx)
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
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
