//! A thousand open sockets of Lanyard's protocol: the memory of each, how long a change takes to all of
//! them, and `/check` meanwhile.

use std::cell::Cell;
use std::path::Path;
use std::time::Instant;

use futures_util::future::join_all;
use porchlight_test_harness::TestService;
use porchlight_test_harness::socket::LanyardSocket;
use reqwest::StatusCode;
use serde_json::json;

use crate::Result;
use crate::memory::kibibytes;
use crate::service::{self, milliseconds};
use crate::table::{Figures, Line};

const SOCKETS: usize = 1_000;
const CHANGES: usize = 30;

/// Opens them one after the other, and then changes the presence again and again.
pub(crate) async fn measure(folder: &Path) -> Result<Vec<Line>> {
    println!("==> sockets: {SOCKETS} open ones");
    let limit = rustix::process::Resource::Nofile;
    let mut handles = rustix::process::getrlimit(limit);
    handles.current = handles.maximum;
    rustix::process::setrlimit(limit, handles)?;
    let service = service::start(&folder.join("sockets"), &[]).await?;
    let check = async || service::time(&service, "/check", StatusCode::OK).await;
    // What the first requests take is no socket's.
    for change in 0..CHANGES {
        change_to(&service, change).await?;
        check().await?;
    }
    let before = kibibytes(service.pid(), "VmRSS:")?;
    let mut open = Vec::new();
    for _ in 0..SOCKETS {
        open.push(LanyardSocket::subscribed(service.address(), "1").await.0);
    }
    let (mut arrivals, mut checks) = (Vec::new(), Vec::new());
    let changing = Cell::new(true);
    let changes = async {
        for change in CHANGES..2 * CHANGES {
            let began = Instant::now();
            change_to(&service, change).await?;
            join_all(open.iter_mut().map(LanyardSocket::update)).await;
            arrivals.push(milliseconds(began));
        }
        changing.set(false);
        Result::<()>::Ok(())
    };
    let asking = async {
        while changing.get() {
            checks.push(check().await?);
        }
        Result::<()>::Ok(())
    };
    tokio::try_join!(changes, asking)?;
    let each = (kibibytes(service.pid(), "VmRSS:")? - before) / SOCKETS as f64;
    let (all, checks) = (Figures::new(arrivals), Figures::new(checks));
    let ms = |what: &str, figures: &Figures, number, aim| {
        Line::below(what, figures.to_string(), number, aim, "ms")
    };
    let memory = format!("{each:.1} KiB");
    Ok(vec![
        Line::below("memory of a socket", memory, each, 20.0, "KiB"),
        ms("from a heartbeat to all", &all, all.largest(), 1000.0),
        ms("GET /check meanwhile", &checks, checks.p99(), 50.0),
    ])
}

async fn change_to(service: &TestService, number: usize) -> Result<()> {
    let heartbeat = json!({ "application": number.to_string(), "applicationOnline": true });
    service.heartbeat(&heartbeat).await.error_for_status()?;
    Ok(())
}
