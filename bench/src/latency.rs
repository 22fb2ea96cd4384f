//! How long one request takes, asked one after the other on an open connection.

use std::time::{Duration, Instant};

use reqwest::{Client, RequestBuilder};

use crate::Result;
use crate::figures::Figures;
use crate::porchlight::Porchlight;
use crate::table::Line;

const WARM_UP: usize = 30;
const REQUESTS: usize = 400;
const AIM: Duration = Duration::from_millis(2);

/// Measures a request that is answered with `status`, in turns with `GET /`,
/// which looks nothing up: what that takes is the machine's and HTTP's own.
/// The aim is for the slowest but one of a hundred.
///
/// # Errors
/// When a request is answered with another status.
pub(crate) async fn latencies(
    service: &Porchlight,
    client: &Client,
    what: &str,
    status: u16,
    mut request: impl FnMut() -> RequestBuilder,
) -> Result<Line> {
    let greeting = format!("{}/", service.url);
    let (mut ours, mut greetings) = (Vec::new(), Vec::new());
    for round in 0..WARM_UP + REQUESTS {
        let asked = time(client, request(), status).await?;
        let greeted = time(client, client.get(&greeting), 200).await?;
        if round >= WARM_UP {
            ours.push(asked);
            greetings.push(greeted);
        }
    }
    let (ours, greetings) = (Figures::new(ours), Figures::new(greetings));
    let spell = |times: &Figures| {
        let (median, slow) = (times.median(), times.percentile(99));
        format!("{median:.2} ms, p99 {slow:.2} ms")
    };
    println!("    {what}: {}", spell(&ours));
    Ok(Line {
        what: what.to_owned(),
        ours: spell(&ours),
        other: Some(format!("`GET /` {}", spell(&greetings))),
        ratio: None,
        aim: Some((
            format!("p99 < {} ms", AIM.as_millis()),
            ours.percentile(99) < AIM.as_secs_f64() * 1000.0,
        )),
    })
}

/// In milliseconds, until the last byte of the body.
async fn time(client: &Client, request: RequestBuilder, status: u16) -> Result<f64> {
    let request = request.build()?;
    let url = request.url().clone();
    let began = Instant::now();
    let reply = client.execute(request).await?;
    let answered = reply.status();
    reply.bytes().await?;
    let took = began.elapsed();
    if answered == status {
        Ok(took.as_secs_f64() * 1000.0)
    } else {
        Err(format!("{url} was answered with {answered}").into())
    }
}
