//! Access control: pages of other origins, foreign host names that resolve to this machine, and
//! requests with no token, a wrong token or two tokens.

use serde_json::Value;

use crate::caller::{Caller, Request};
use crate::harness::{form, pictures};
use crate::report::Report;
use crate::target::Target;

const UNKNOWN: &str = "/images/00112233445566778899aabbccddeeff";
const SOURCE: &str =
    "/images/by-source/00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// A page in the owner's browser, and a host name that resolves to this machine.
pub(crate) async fn pages(target: &Target, report: &Report) {
    let caller = target.stranger();
    let address = caller.to;
    for path in [
        "/check",
        "/sysinfo",
        "/images/list",
        "/api_stats",
        "/game_status",
    ] {
        for (what, request) in [
            ("a foreign page", from("https://evil.example", path)),
            ("a sandboxed page", from("null", path)),
            ("an app's page", from("app://evil", path)),
            (
                "a page without an origin",
                Request::get(path).header("Sec-Fetch-Site", "cross-site"),
            ),
            ("another name", Request::get(path).host("evil.example")),
            (
                "another name with the port",
                Request::get(path).host(&format!("evil.example:{}", address.port())),
            ),
            (
                "the address of no machine",
                Request::get(path).host(&format!("0.0.0.0:{}", address.port())),
            ),
        ] {
            refused(caller, report, &format!("{path} by {what}"), &request).await;
        }
        let own = from("http://localhost:5173", path).header("Sec-Fetch-Site", "cross-site");
        let status = caller.status(&own).await;
        report.expect(
            "cors",
            &format!("{path} by a page of this machine"),
            status,
            &[200],
        );
    }
    // Their names cannot be guessed; but a page may not read them.
    let image = format!("/i/{}", target.hashes[0]);
    let reply = caller.answer(&from("https://evil.example", &image)).await;
    report.expect("cors", "an image in a foreign page", reply.status, &[200]);
    let readable = reply.header("access-control-allow-origin").is_some();
    report.rule(
        "cors",
        !readable,
        "a foreign page may read an image's bytes",
    );

    let preflight = Request::new("OPTIONS", UNKNOWN)
        .header("Origin", "https://evil.example")
        .header("Access-Control-Request-Method", "DELETE")
        .header("Access-Control-Request-Private-Network", "true");
    let reply = caller.answer(&preflight).await;
    report.answered("cors", reply.status);
    let granted = reply
        .header("access-control-allow-private-network")
        .is_some();
    report.rule("cors", !granted, "a page is let into the private network");
}

fn from(origin: &str, path: &str) -> Request {
    Request::get(path).header("Origin", origin)
}

async fn refused(caller: Caller, report: &Report, what: &str, request: &Request) {
    let reply = caller.answer(request).await;
    report.expect("cors", what, reply.status, &[403]);
    let readable = reply.header("access-control-allow-origin").is_some();
    report.rule("cors", !readable, &format!("{what} may be read"));
}

/// No token, a token of too low a scope, two tokens, and a token over a connection that may be
/// plain HTTP.
pub(crate) async fn tokens(target: &Target, report: &Report) {
    let caller = target.stranger();
    let (heartbeat, upload) = (&target.service.heartbeat_token, &target.upload_token);
    let before = images(caller).await;
    for (method, path) in [
        ("POST", "/heartbeat"),
        ("POST", "/images/add"),
        ("DELETE", UNKNOWN),
        ("GET", SOURCE),
    ] {
        let what = format!("{method} {path}");
        let bare = Request::new(method, path);
        let status = caller.status(&bare).await;
        report.expect("auth", &format!("{what} without a token"), status, &[401]);
        let two = bare.clone().token("wrong").token(heartbeat);
        report.expect(
            "auth",
            &format!("{what} with two"),
            caller.status(&two).await,
            &[401],
        );
        let in_the_query = Request::new(method, &format!("{path}?token={heartbeat}"));
        let status = caller.status(&in_the_query).await;
        report.expect(
            "auth",
            &format!("{what} with one in the address"),
            status,
            &[401],
        );
        let public = caller.at(target.public);
        let status = public.status(&bare.clone().token(upload)).await;
        report.expect(
            "auth",
            &format!("{what} by a tunnel not yet proven"),
            status,
            &[403],
        );
    }
    let (kind, body) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
    for (what, token, request) in [
        (
            "an upload",
            heartbeat,
            Request::new("POST", "/images/add").body(&kind, body),
        ),
        (
            "a deletion",
            heartbeat,
            Request::new("DELETE", &stored(target)),
        ),
        (
            "a deletion",
            upload,
            Request::new("DELETE", &stored(target)),
        ),
        ("a heartbeat", upload, Request::new("POST", "/heartbeat")),
    ] {
        let status = caller.status(&request.token(token)).await;
        report.expect(
            "auth",
            &format!("{what} with another scope"),
            status,
            &[403],
        );
    }
    report.rule(
        "auth",
        images(caller).await == before,
        "the images are others than before",
    );
}

fn stored(target: &Target) -> String {
    format!("/images/{}", target.hashes[0])
}

async fn images(caller: Caller) -> Value {
    caller.answer(&Request::get("/images/count")).await.json()["count"].clone()
}
