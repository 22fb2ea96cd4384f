//! The service that is measured: the release binary, as its users run it.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use porchlight_test_harness::{TestService, answer};
use reqwest::Method;
use serde_json::Value;

/// The rate limit is on, and out of the way.
const HIGH_LIMIT: [&str; 2] = ["limits.requests_per_second=1000000", "limits.burst=1000000"];

/// Starts it on a data folder.
pub(crate) async fn start(folder: &Path) -> Result<TestService> {
    let service = TestService::builder().sets(&HIGH_LIMIT);
    let mut service = service.data_dir(folder).start().await;
    // Sixty-four large uploads at once take longer than anything in a test.
    service.http = porchlight_service::http::client_tls::http_client()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(300))
        .build()?
        .into();
    Ok(service)
}

/// Uploads new bytes; the answer.
pub(crate) async fn upload(service: &TestService, bytes: Vec<u8>) -> Result<Value> {
    match answer(service.upload(bytes).await).await {
        (201, answer) => Ok(answer),
        (status, answer) => bail!("an upload was answered with {status}: {answer}"),
    }
}

/// How long `GET path` takes in milliseconds, until the last byte of the body.
pub(crate) async fn time(service: &TestService, path: &str) -> Result<f64> {
    // Few look-ups need the token; the others ignore it.
    let request = service.request(Method::GET, path);
    let request = request.bearer_auth(&service.admin_token);
    let began = Instant::now();
    request.send().await?.error_for_status()?.bytes().await?;
    Ok(milliseconds(began))
}

/// Milliseconds since then.
pub(crate) fn milliseconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1000.0
}
