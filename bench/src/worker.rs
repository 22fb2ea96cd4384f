//! Requests a second through the Worker in workerd, beside the service itself. Both have the same
//! object store, which is in the memory of this process.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use porchlight_test_harness::s3::ObjectStore;

use crate::child::{LOOK_EVERY, Running, output};
use crate::figures::Figures;
use crate::porchlight::{HIGH_LIMIT, Porchlight, client};
use crate::serve::{heartbeat, noise};
use crate::table::Line;
use crate::{Place, Result, wrk};

const ROUNDS: usize = 5;
const ROUND_SECONDS: u32 = 3;
const READY_WITHIN: Duration = Duration::from_secs(30);

/// Measures an image, a random one, and `/check`.
pub(crate) async fn measure(place: &Place<'_>) -> Result<Vec<Line>> {
    println!("==> worker: requests a second through workerd, beside the service");
    let store = ObjectStore::start().await;
    let folder = place.scratch.join("worker");
    let mut settings = store.settings();
    settings.extend(HIGH_LIMIT.map(str::to_owned));
    settings.push("publish.enabled=true".to_owned());
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let service = Porchlight::start(place.porchlight, &folder, &settings)?;
    let client = client()?;
    heartbeat(&service, &client).await?;
    let picture = service.upload_bytes(&client, noise()?).await?;
    let began = Instant::now();
    while store.json("porchlight/images/index.json")["total"] != 1 {
        if began.elapsed() > READY_WITHIN {
            return Err("the image was not published".into());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let (_workerd, worker) = workerd(place, &folder, &settings, &service)?;
    let mut lines = Vec::new();
    for (what, path) in [
        (
            "GET /i/{hash}.webp, 90 KB",
            format!("/i/{}.webp", picture.hash),
        ),
        ("GET /random_image, 90 KB", "/random_image".to_owned()),
        ("GET /check", "/check".to_owned()),
    ] {
        let through = format!("{worker}{path}");
        client.get(&through).send().await?.error_for_status()?;
        let direct = format!("{}{path}", service.url);
        // wrk has threads of its own; the store answers on this process's.
        let measured = tokio::task::spawn_blocking(move || turns(&through, &direct));
        let (ours, others) = measured.await??;
        let ratios = Figures::ratios(&ours, &others);
        let per_second = |numbers| format!("{:.0} /s", Figures::new(numbers).median());
        lines.push(Line {
            what: format!("{what}, through the Worker"),
            ours: per_second(ours),
            other: Some(format!("the service {}", per_second(others))),
            ratio: Some(ratios.to_string()),
            aim: None,
        });
    }
    Ok(lines)
}

fn turns(ours: &str, other: &str) -> Result<(Vec<f64>, Vec<f64>)> {
    let ask = |url| wrk::requests_per_second(url, &[], ROUND_SECONDS);
    let (mut our_rates, mut other_rates) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        if round % 2 == 0 {
            our_rates.push(ask(ours)?);
            other_rates.push(ask(other)?);
        } else {
            other_rates.push(ask(other)?);
            our_rates.push(ask(ours)?);
        }
    }
    Ok((our_rates, other_rates))
}

/// The Worker as `porchlight edge init` writes it, in front of this service.
fn workerd(
    place: &Place<'_>,
    folder: &Path,
    settings: &[&str],
    service: &Porchlight,
) -> Result<(Running, String)> {
    let to = place.scratch.join("worker-edge");
    output(
        Command::new(place.porchlight)
            .args(["edge", "init"])
            .arg(&to)
            .arg("--data-dir")
            .arg(folder)
            .args(settings.iter().flat_map(|setting| ["--set", setting]))
            .args(["--set", "edge.secret=a-key-of-this-bench-and-of-no-other"]),
    )?;
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port();
    let file = to.join("workerd.capnp");
    let origin = format!(
        "bindings = [ (name = \"ORIGIN\", text = \"{}\"),",
        service.url
    );
    let config = std::fs::read_to_string(&file)?
        .replace("127.0.0.1:8787", &format!("127.0.0.1:{port}"))
        .replace("bindings = [", &origin);
    std::fs::write(&file, config)?;
    let package = match std::env::consts::ARCH {
        "aarch64" => "workerd-linux-arm64",
        _ => "workerd-linux-64",
    };
    let packages = place.edge.join("node_modules").join("@cloudflare");
    let mut running = Running::start(
        Command::new(packages.join(package).join("bin").join("workerd"))
            .args(["serve", "workerd.capnp"])
            // Without it the Worker reads no key, and asks the service unsigned.
            .env("EDGE_SECRET", "a-key-of-this-bench-and-of-no-other")
            .current_dir(&to)
            .stdin(Stdio::null()),
    )?;
    let began = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        running.check()?;
        if began.elapsed() > READY_WITHIN {
            return Err("workerd does not listen".into());
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Ok((running, format!("http://127.0.0.1:{port}")))
}
