//! Abuse of a heartbeat token: filling the disk, and hostile text for readers.

use std::time::Instant;

use serde_json::json;

use crate::caller::{Caller, Request, exchange};
use crate::report::Report;
use crate::target::Target;

/// Heartbeats at once; then one each second and token.
const AT_ONCE: u64 = 60;
/// The maximum growth of the database during the test, in bytes.
const GROWTH: u64 = 8 << 20;

/// Text that is harmful where it is shown, and many large changes.
pub(crate) async fn attack(target: &Target, report: &Report) {
    let caller = target.stranger();
    let admin = &target.service.admin_token;
    for (what, text) in [
        ("zero", "a%00b"),
        ("line feed", "a%0ab"),
        ("escape", "a%1b[31mb"),
    ] {
        let status = caller
            .status(&form(&format!("application={text}")).token(admin))
            .await;
        report.expect("heartbeat", what, status, &[400, 429]);
    }
    let long = "a".repeat(3_000_000);
    let status = caller
        .status(&form(&format!("introduce={long}")).token(admin))
        .await;
    report.expect("heartbeat", "three megabytes", status, &[400, 413, 429]);
    let status = caller
        .status(&form(&format!("application={}", &long[..201])).token(admin))
        .await;
    report.expect("heartbeat", "201 characters", status, &[400, 429]);
    hidden(caller, admin, report).await;
    flood(target, report).await;
}

/// A form with this body.
fn form(body: &str) -> Request {
    Request::new("POST", "/heartbeat").body("application/x-www-form-urlencoded", body)
}

/// Bidirectional controls and long runs of combining marks are not shown.
async fn hidden(caller: Caller, token: &str, report: &Report) {
    let marks = "\u{301}".repeat(100);
    let body = json!({
        "application": format!("a\u{202e}b\u{feff}"),
        "introduce": format!("</script><img src=x onerror=alert(1)>e{marks}"),
        "applicationOnline": false,
    });
    let request = Request::new("POST", "/heartbeat").body("application/json", body.to_string());
    let status = caller.status(&request.token(token)).await;
    report.expect("heartbeat", "hidden characters", status, &[200, 429]);
    let shown = caller.answer(&Request::get("/check")).await;
    let shown = String::from_utf8_lossy(&shown.body).into_owned();
    let clean = !shown.contains('\u{202e}') && !shown.contains('\u{feff}');
    report.rule("heartbeat", clean, "characters that hide are shown");
    let piled = shown.contains(&"\u{301}".repeat(9));
    report.rule(
        "heartbeat",
        !piled,
        "more than eight combining marks are shown",
    );
}

/// Six hundred changes of eight kilobytes.
async fn flood(target: &Target, report: &Report) {
    let caller = target.stranger();
    let before = database(target);
    let began = Instant::now();
    let mut socket = caller.connect().await.expect("a connection");
    let mut taken = 0;
    for number in 0..600 {
        let body = json!({
            "application": "x",
            "introduce": format!("{number}{}", "\u{1f4a1}".repeat(1_990)),
            "rgba": "1,2,3,1",
            "applicationOnline": true,
        });
        let request = Request::new("POST", "/heartbeat")
            .token(&target.service.heartbeat_token)
            .body("application/json", body.to_string());
        let status = exchange(&mut socket, &request.bytes(caller.to))
            .await
            .status;
        report.expect("heartbeat", "one of many", status, &[200, 429]);
        taken += u64::from(status == 200);
    }
    let most = AT_ONCE + began.elapsed().as_secs() + 1;
    report.rule(
        "heartbeat",
        taken <= most,
        &format!("{taken} of 600 were accepted, {most} at most"),
    );
    let grown = database(target).saturating_sub(before);
    report.rule(
        "heartbeat",
        grown <= GROWTH,
        &format!("the database grew by {} KiB", grown >> 10),
    );
}

/// The size of the database's files, in bytes.
fn database(target: &Target) -> u64 {
    let names = ["porchlight.db", "porchlight.db-wal"];
    let sizes = names.map(|name| {
        let file = target.service.data_dir().join(name);
        file.metadata().map_or(0, |about| about.len())
    });
    sizes.iter().sum()
}
