//! wrk, which asks as fast as it is answered.

use std::process::Command;

use crate::Result;
use crate::child::output;

/// How it asks: two threads, 64 connections that stay open.
const CROWD: [&str; 4] = ["-t2", "-c64", "--timeout", "5s"];

/// Requests `url` for this many seconds; returns requests per second.
///
/// # Errors
/// When wrk fails, or any request was not answered with 2xx or 3xx.
pub(crate) fn requests_per_second(url: &str, headers: &[String], seconds: u32) -> Result<f64> {
    let mut command = Command::new("wrk");
    command.args(CROWD).arg(format!("-d{seconds}s"));
    for header in headers {
        command.args(["-H", header]);
    }
    read(&output(command.arg(url))?)
}

fn read(printed: &str) -> Result<f64> {
    if let Some(trouble) = printed
        .lines()
        .find(|line| line.contains("Non-2xx or 3xx responses") || line.contains("Socket errors"))
    {
        return Err(format!("wrk: {}", trouble.trim()).into());
    }
    printed
        .lines()
        .find_map(|line| line.strip_prefix("Requests/sec:")?.trim().parse().ok())
        .ok_or_else(|| format!("wrk printed no requests per second: {printed}").into())
}

#[cfg(test)]
mod tests {
    use super::read;

    const GOOD: &str = "Running 3s test @ http://127.0.0.1:1/\n  2 threads and 64 connections\n\
                        Requests/sec:  31854.25\nTransfer/sec:      2.66GB\n";

    #[test]
    fn requests_per_second_are_read_off() {
        assert_eq!(read(GOOD).expect("a number"), 31854.25);
    }

    #[test]
    fn a_run_with_errors_does_not_count() {
        for trouble in [
            "  Non-2xx or 3xx responses: 12\n",
            "  Socket errors: connect 0, read 3, write 0, timeout 0\n",
        ] {
            let failure = read(&format!("{trouble}{GOOD}")).expect_err("not a good run");
            assert!(failure.to_string().contains(trouble.trim()));
        }
        assert!(read("").is_err());
    }
}
