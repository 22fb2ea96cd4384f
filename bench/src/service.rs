//! The service that is measured: the release binary, as its users run it.

use std::path::Path;
use std::time::{Duration, Instant};

use porchlight_test_harness::process::RunningProcess;
use porchlight_test_harness::{TestService, answer};
use reqwest::{Method, StatusCode};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use tokio::process::Command;

use crate::Result;

/// The rate limit is on, and out of the way.
const HIGH_LIMIT: [&str; 2] = ["limits.requests_per_second=1000000", "limits.burst=1000000"];

/// Starts it on a data folder with these settings.
pub(crate) async fn start(folder: &Path, settings: &[&str]) -> Result<TestService> {
    let service = TestService::builder().sets(&HIGH_LIMIT).sets(settings);
    let mut service = service.data_dir(folder).start().await;
    // Sixty-four large uploads at once take longer than anything in a test.
    service.http = porchlight_api::http_client()
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
        (status, answer) => Err(format!("an upload was answered with {status}: {answer}").into()),
    }
}

/// How long `GET path` takes in milliseconds, until the last byte of the body.
pub(crate) async fn time(service: &TestService, path: &str, expected: StatusCode) -> Result<f64> {
    // Few look-ups need the token; the others ignore it.
    let request = service
        .request(Method::GET, path)
        .bearer_auth(&service.admin_token);
    let began = Instant::now();
    let response = request.send().await?;
    let status = response.status();
    response.bytes().await?;
    let took = milliseconds(began);
    match status == expected {
        true => Ok(took),
        false => Err(format!("{path} was answered with {status}").into()),
    }
}

/// Milliseconds since then.
pub(crate) fn milliseconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1000.0
}

/// A program and all that it starts; dropping it kills them, those too that would outlive it.
pub(crate) struct Group(RunningProcess);

impl Group {
    pub(crate) fn start(mut command: Command) -> Self {
        Self(RunningProcess::spawn({
            command.process_group(0);
            command
        }))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let group = self
            .0
            .pid()
            .and_then(|pid| Pid::from_raw(pid.cast_signed()));
        // It may have ended already.
        let _ = group.map(|group| kill_process_group(group, Signal::KILL));
    }
}
