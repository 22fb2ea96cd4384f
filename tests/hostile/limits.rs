//! More requests than one address may make, forged client addresses, and guessed tokens.

use std::time::Instant;

use crate::caller::{Caller, Request, exchange};
use crate::report::Report;
use crate::target::Target;

/// The default limits of one address: at once, and then per second.
const BURST: u64 = 200;
const EACH_SECOND: u64 = 50;
/// Wrong tokens at once; then one in two seconds.
const WRONG_AT_ONCE: u64 = 30;
const WRONG_EACH_SECOND: u64 = 1;

/// Each from a new address.
pub(crate) async fn attack(target: &Target, report: &Report) {
    for header in [
        "X-Unknown",
        "X-Forwarded-For",
        "CF-Connecting-IP",
        "X-Real-IP",
        "Forwarded",
    ] {
        let flood = Flood::of(target.stranger(), report, 450, |number| {
            Request::get("/check").header(header, &format!("203.0.113.{}", number % 250))
        });
        flood.await.judge(report, header, BURST, EACH_SECOND);
    }
    let flood = Flood::of(target.stranger(), report, 120, |number| {
        Request::new("POST", "/heartbeat").token(&format!("guess-{number}"))
    });
    flood
        .await
        .judge(report, "wrong tokens", WRONG_AT_ONCE, WRONG_EACH_SECOND);
}

/// Many requests over one connection.
struct Flood {
    looked_at: u64,
    limited: u64,
    seconds: u64,
}

impl Flood {
    async fn of(
        caller: Caller,
        report: &Report,
        number: usize,
        request: impl Fn(usize) -> Request,
    ) -> Self {
        let began = Instant::now();
        let mut socket = caller.connect().await.expect("a connection");
        let (mut looked_at, mut limited) = (0, 0);
        for number in 0..number {
            let reply = exchange(&mut socket, &request(number).bytes(caller.to)).await;
            report.answered("limits", reply.status);
            match reply.status {
                429 => {
                    limited += 1;
                    let wait = reply.header("retry-after").is_some();
                    report.rule("limits", wait, "a 429 has no Retry-After");
                }
                _ => looked_at += 1,
            }
        }
        Self {
            looked_at,
            limited,
            seconds: began.elapsed().as_secs() + 1,
        }
    }

    fn judge(&self, report: &Report, what: &str, at_once: u64, each_second: u64) {
        let most = at_once + self.seconds * each_second;
        report.rule(
            "limits",
            self.looked_at <= most && self.limited > 0,
            &format!("{what}: {} let in, {most} at most", self.looked_at),
        );
    }
}
