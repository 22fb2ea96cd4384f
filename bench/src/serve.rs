//! Requests a second beside nginx: an image, its 304, and `/check`.

use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder as _};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use reqwest::{Client, Response, StatusCode};

use crate::figures::Figures;
use crate::nginx::Nginx;
use crate::porchlight::{HIGH_LIMIT, Porchlight, client};
use crate::table::Line;
use crate::{Place, Result, wrk};

const ROUNDS: usize = 7;
const ROUND_SECONDS: u32 = 3;
const WARM_UP_SECONDS: u32 = 1;

/// Noise of this size is a lossless WebP of about 90 KB.
const SIDES: (u32, u32) = (200, 150);

/// The same request to both.
struct Race {
    what: &'static str,
    /// The least ratio that is good enough.
    aim: f64,
    ours: (String, Vec<String>),
    nginx: (String, Vec<String>),
}

/// Measures all three.
pub(crate) async fn measure(place: &Place<'_>) -> Result<Vec<Line>> {
    println!("==> serve: a picture, its 304, and /check, beside nginx");
    let service = Porchlight::start(place.porchlight, &place.scratch.join("serve"), &HIGH_LIMIT)?;
    let client = client()?;
    heartbeat(&service, &client).await?;
    let picture = service.upload_bytes(&client, noise()?).await?;
    let stored = get(
        &client,
        &format!("{}/i/{}", service.url, picture.hash),
        None,
    )
    .await?;
    let reply = get(&client, &format!("{}/check", service.url), None).await?;

    let folder = place.scratch.join("nginx");
    std::fs::create_dir_all(folder.join("pictures"))?;
    std::fs::write(folder.join("pictures/picture.webp"), stored.bytes().await?)?;
    let nginx = Nginx::start(&folder, &reply.text().await?)?;

    let our_picture = format!("{}/i/{}", service.url, picture.hash);
    let nginx_picture = format!("{}/picture.webp", nginx.url);
    let our_tag = if_none_match(&client, &our_picture).await?;
    let nginx_tag = if_none_match(&client, &nginx_picture).await?;
    let races = [
        Race {
            what: "GET /i/{hash}, 90 KB, 64 connections",
            aim: 1.0,
            ours: (our_picture.clone(), Vec::new()),
            nginx: (nginx_picture.clone(), Vec::new()),
        },
        Race {
            what: "the same as 304",
            aim: 0.9,
            ours: (our_picture, vec![our_tag]),
            nginx: (nginx_picture, vec![nginx_tag]),
        },
        Race {
            what: "GET /check, beside `return 200`",
            aim: 0.8,
            ours: (format!("{}/check", service.url), Vec::new()),
            nginx: (format!("{}/check", nginx.url), Vec::new()),
        },
    ];
    let mut lines = Vec::new();
    for race in &races {
        race.check(&client).await?;
        lines.push(race.run()?);
    }
    Ok(lines)
}

impl Race {
    /// Fails when the two do not answer the same.
    async fn check(&self, client: &Client) -> Result<()> {
        let ask = async |(url, headers): &(String, Vec<String>)| -> Result<_> {
            let tag = headers.first().and_then(|header| header.split_once(": "));
            let reply = get(client, url, tag.map(|(_, tag)| tag)).await?;
            let kind = reply.headers().get("content-type").cloned();
            Ok((reply.status(), kind, reply.bytes().await?))
        };
        let (ours, nginx) = (ask(&self.ours).await?, ask(&self.nginx).await?);
        let expected = if self.ours.1.is_empty() {
            StatusCode::OK
        } else {
            StatusCode::NOT_MODIFIED
        };
        if ours.0 != expected || ours != nginx {
            let text = format!(
                "{}: the answers differ: {} and {}, {:?} and {:?}, {} and {} bytes",
                self.what,
                ours.0,
                nginx.0,
                ours.1,
                nginx.1,
                ours.2.len(),
                nginx.2.len()
            );
            return Err(text.into());
        }
        Ok(())
    }

    /// Alternately; the order changes, too.
    fn run(&self) -> Result<Line> {
        let ask = |(url, headers): &(String, Vec<String>), seconds| {
            wrk::requests_per_second(url, headers, seconds)
        };
        ask(&self.ours, WARM_UP_SECONDS)?;
        ask(&self.nginx, WARM_UP_SECONDS)?;
        let (mut ours, mut nginx) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            if round % 2 == 0 {
                ours.push(ask(&self.ours, ROUND_SECONDS)?);
                nginx.push(ask(&self.nginx, ROUND_SECONDS)?);
            } else {
                nginx.push(ask(&self.nginx, ROUND_SECONDS)?);
                ours.push(ask(&self.ours, ROUND_SECONDS)?);
            }
        }
        let ratios = Figures::ratios(&ours, &nginx);
        println!("    {}: {ratios}", self.what);
        let per_second = |numbers| format!("{:.0} /s", Figures::new(numbers).median());
        Ok(Line {
            what: self.what.to_owned(),
            ours: per_second(ours),
            other: Some(format!("nginx {}", per_second(nginx))),
            aim: Some((format!("≥ {:.1}", self.aim), ratios.median() >= self.aim)),
            ratio: Some(ratios.to_string()),
        })
    }
}

/// So that `/check` has content.
pub(crate) async fn heartbeat(service: &Porchlight, client: &Client) -> Result<()> {
    let fields = [
        ("application", "Code"),
        ("introduce", "Writing a program"),
        ("rgba", "86,156,214,0.9"),
        ("applicationOnline", "true"),
    ];
    let heartbeat = client
        .post(format!("{}/heartbeat", service.url))
        .bearer_auth(&service.token)
        .form(&fields);
    heartbeat.send().await?.error_for_status()?;
    Ok(())
}

async fn get(client: &Client, url: &str, known: Option<&str>) -> Result<Response> {
    let mut request = client.get(url);
    if let Some(tag) = known {
        request = request.header("If-None-Match", tag);
    }
    Ok(request.send().await?.error_for_status()?)
}

/// The header line with which this address answers 304.
async fn if_none_match(client: &Client, url: &str) -> Result<String> {
    let reply = get(client, url, None).await?;
    let tag = reply
        .headers()
        .get("etag")
        .ok_or_else(|| format!("{url} has no ETag"))?;
    Ok(format!("If-None-Match: {}", tag.to_str()?))
}

pub(crate) fn noise() -> Result<Vec<u8>> {
    let (width, height) = SIDES;
    let mut pixels = vec![0; (width * height * 3) as usize];
    StdRng::seed_from_u64(1).fill_bytes(&mut pixels);
    let mut webp = Vec::new();
    WebPEncoder::new_lossless(&mut webp).write_image(
        &pixels,
        width,
        height,
        ExtendedColorType::Rgb8,
    )?;
    Ok(webp)
}
