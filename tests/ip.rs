//! `GET /ipcheck` of the real binary, with a stand-in for ipinfo.io and with a
//! database file.

use harness::{TestService, assert_error};
use harness::{ipinfo, mmdb, stand_in};
use ipinfo::{FakeIpinfo, TOKEN, over_quota};
use porchlight_test_harness as harness;
use serde_json::{Value, json};
use stand_in::Reply;

fn alone(ip: &str) -> Value {
    json!({
        "ip": ip, "hostname": "", "city": "", "region": "", "country": "", "loc": "", "org": "",
        "postal": "", "timezone": "",
    })
}

#[tokio::test]
async fn an_address_has_all_nine_fields_and_is_requested_once() {
    let ipinfo = FakeIpinfo::start().await;
    let service = TestService::start(&[&ipinfo.setting()]).await;
    for _ in 0..3 {
        let response = service.get("/ipcheck?ip=8.8.8.8").await;
        assert_eq!(response.headers()["cache-control"], "no-store");
        assert_eq!(
            response.json::<Value>().await.expect("JSON"),
            json!({
                "ip": "8.8.8.8", "hostname": "dns.google", "city": "Mountain View",
                "region": "California", "country": "US", "loc": "37.4056,-122.0775",
                "org": "AS15169 Google LLC", "postal": "94043",
                "timezone": "America/Los_Angeles",
            })
        );
    }
    let calls = ipinfo.web.calls();
    assert_eq!((calls.len(), &calls[0].authorization), (1, &None));
    assert_eq!(
        service.json("/ipcheck?ip=2606:4700::1111").await["country"],
        "AU"
    );
}

#[tokio::test]
async fn provider_text_becomes_one_line() {
    let ipinfo = FakeIpinfo::start().await;
    let service = TestService::start(&[&ipinfo.setting()]).await;
    let hostile = format!(
        "</script><img src=x onerror=alert(1)>\u{202e}\u{200b}\r\n\u{1b}[2J{}",
        "\u{301}".repeat(10_000)
    );
    let entry = json!({
        "ip": "8.8.4.4", "hostname": "dns.google", "city": hostile, "region": hostile,
        "country": hostile, "org": "x".repeat(100_000),
    });
    ipinfo.knows("8.8.4.4", &entry);
    let found = service.json("/ipcheck?ip=8.8.4.4").await;
    let marks = "\u{301}".repeat(8);
    for field in ["city", "region", "country"] {
        let kept = format!("</script><img src=x onerror=alert(1)>  [2J{marks}");
        assert_eq!(found[field], kept, "{field}");
    }
    assert_eq!(found["org"], "x".repeat(200));
    assert_eq!(found["hostname"], "dns.google");
}

#[tokio::test]
async fn invalid_addresses_are_refused_without_a_request() {
    let ipinfo = FakeIpinfo::start().await;
    let service = TestService::start(&[&ipinfo.setting()]).await;
    for path in ["/ipcheck", "/ipcheck?ip=", "/ipcheck?IP=8.8.8.8"] {
        assert_error(service.get(path).await, 400, "IP address is required").await;
    }
    for given in [
        "1.2.3",
        "1.2.3.256",
        "8.8.8.8%2f..",
        "example.com",
        "::g",
        "8.8.8.8:80",
    ] {
        let path = format!("/ipcheck?ip={given}");
        assert_error(service.get(&path).await, 400, "Invalid IP address").await;
    }
    assert_eq!(ipinfo.web.calls().len(), 0);
}

#[tokio::test]
async fn a_private_address_is_answered_here_with_itself_alone() {
    let ipinfo = FakeIpinfo::start().await;
    let service = TestService::start(&[&ipinfo.setting()]).await;
    for (given, expected) in [
        ("192.168.1.20", "192.168.1.20"),
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "::1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("FE80::1", "fe80::1"),
    ] {
        assert_eq!(
            service.json(&format!("/ipcheck?ip={given}")).await,
            alone(expected)
        );
    }
    assert_eq!(ipinfo.web.calls().len(), 0);
}

#[tokio::test]
async fn a_provider_that_fails_is_a_502_and_no_log_holds_the_token() {
    let ipinfo = FakeIpinfo::start().await;
    let token = format!("ip.ipinfo_token={TOKEN}");
    let mut service = TestService::builder()
        .set(ipinfo.setting())
        .set(&token)
        .env("PORCHLIGHT_LOG", "trace")
        .start()
        .await;
    for fault in [
        over_quota(),
        Reply::html(429, "<h1>Slow down</h1>"),
        Reply::html(403, "<h1>No</h1>"),
    ] {
        ipinfo.fails(Some(fault));
        assert_error(
            service.get("/ipcheck?ip=8.8.8.8").await,
            502,
            "IP lookup failed",
        )
        .await;
    }
    ipinfo.fails(None);
    assert_eq!(service.json("/ipcheck?ip=8.8.8.8").await["country"], "US");
    let call = &ipinfo.web.calls()[0];
    assert_eq!(call.authorization, Some(format!("Bearer {TOKEN}")));
    assert!(!call.address.contains(TOKEN), "{}", call.address);
    service.stop().await;
    assert!(
        service.stderr().contains("IP look-up fails"),
        "{}",
        service.stderr()
    );
    assert!(!service.stderr().contains(TOKEN), "{}", service.stderr());
}

#[tokio::test]
async fn the_calls_of_a_day_are_bounded() {
    let ipinfo = FakeIpinfo::start().await;
    let service = TestService::start(&[&ipinfo.setting(), "limits.requests_per_second=0"]).await;
    for number in 0..900_u32 {
        let ip = std::net::Ipv4Addr::from(0x0500_0000 + number);
        service.json(&format!("/ipcheck?ip={ip}")).await;
    }
    let response = service.get("/ipcheck?ip=8.8.8.8").await;
    let wait = response.headers()["retry-after"]
        .to_str()
        .expect("text")
        .parse::<u64>();
    assert!((86_000..=86_400).contains(&wait.expect("seconds")));
    assert_error(response, 429, "Too many requests").await;
    assert_eq!(service.json("/ipcheck?ip=5.0.0.1").await["country"], "AU");
    assert_eq!(ipinfo.web.calls().len(), 900);
}

#[tokio::test]
async fn a_caller_has_a_share_of_the_days_calls() {
    let ipinfo = FakeIpinfo::start().await;
    let service = TestService::builder()
        .set(ipinfo.setting())
        .set("server.client_ip=x-forwarded-for")
        .start()
        .await;
    let ask = async |caller: &str, number: u32| {
        let ip = std::net::Ipv4Addr::from(0x0500_0000 + number);
        let request = service
            .request(reqwest::Method::GET, &format!("/ipcheck?ip={ip}"))
            .header("X-Forwarded-For", caller);
        request.send().await.expect("an answer")
    };
    for number in 0..30 {
        assert_eq!(ask("203.0.113.1", number).await.status(), 200, "{number}");
    }
    let refused = ask("203.0.113.1", 30).await;
    let wait = refused.headers()["retry-after"].to_str().expect("text");
    assert!(
        (1..=300).contains(&wait.parse().expect("seconds")),
        "{wait}"
    );
    assert_error(refused, 429, "Too many requests").await;
    // Cached answers do not count, and other callers have their own limit.
    assert_eq!(ask("203.0.113.1", 7).await.status(), 200);
    let local = service.get("/ipcheck?ip=192.168.1.20").await;
    assert_eq!(local.status(), 200);
    assert_eq!(ask("203.0.113.2", 30).await.status(), 200);
    assert_eq!(ipinfo.web.calls().len(), 31);
}

#[tokio::test]
async fn an_outage_of_the_provider_is_one_line_in_the_log() {
    let ipinfo = FakeIpinfo::start().await;
    let mut service = TestService::start(&[&ipinfo.setting()]).await;
    ipinfo.fails(Some(Reply::html(403, "<h1>No</h1>")));
    for number in 0..20 {
        let path = format!("/ipcheck?ip=5.0.0.{number}");
        assert_error(service.get(&path).await, 502, "IP lookup failed").await;
    }
    service.stop().await;
    let log = service.stderr();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("WARN")).collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[tokio::test]
async fn with_a_database_file_the_provider_is_not_called() {
    let ipinfo = FakeIpinfo::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("city.mmdb");
    let row = json!({
        "city": { "names": { "en": "London" } }, "country": { "iso_code": "GB" },
        "location": { "latitude": 51.5142, "longitude": -0.0931, "time_zone": "Europe/London" },
    });
    mmdb::write(&file, "GeoLite2-City", 128, &[("8.8.8.0/24", row)]);
    let mmdb = format!("ip.mmdb={}", file.display());
    let service = TestService::start(&[&ipinfo.setting(), &mmdb]).await;
    let found = service.json("/ipcheck?ip=8.8.8.8").await;
    assert_eq!(found["city"], "London");
    assert_eq!(found["country"], "GB");
    assert_eq!(found["loc"], "51.5142,-0.0931");
    assert_eq!(found["hostname"], "");
    assert_eq!(service.json("/ipcheck?ip=1.1.1.1").await, alone("1.1.1.1"));
    assert_eq!(ipinfo.web.calls().len(), 0);
}

#[tokio::test]
async fn a_database_file_that_cannot_be_used_does_not_keep_the_service_from_starting() {
    let ipinfo = FakeIpinfo::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    std::fs::write(place("broken.mmdb"), "not a database").expect("to write");
    let soup = json!({ "dish": "soup" });
    mmdb::write(
        &place("other.mmdb"),
        "Recipes",
        128,
        &[("8.8.8.0/24", soup)],
    );
    let large = std::fs::File::create(place("large.mmdb")).expect("a file");
    large.set_len((1 << 30) + 1).expect("a sparse file");
    for (name, why) in [
        ("missing.mmdb", "cannot be read"),
        ("broken.mmdb", "cannot be read"),
        ("other.mmdb", "Recipes"),
        ("large.mmdb", "more than 1 GiB"),
    ] {
        let file = format!("ip.mmdb={}", place(name).display());
        let mut service = TestService::start(&[&ipinfo.setting(), &file]).await;
        // The owner wants no look-up to leave the machine.
        assert_error(
            service.get("/ipcheck?ip=9.9.9.9").await,
            502,
            "IP lookup failed",
        )
        .await;
        assert_eq!(
            service.json("/ipcheck?ip=10.0.0.1").await,
            alone("10.0.0.1")
        );
        assert_eq!(ipinfo.web.calls().len(), 0);
        service.stop().await;
        let log = service.stderr();
        for part in ["ip.mmdb", name, why] {
            assert!(log.contains(part), "{part}: {log}");
        }
    }
    let file = format!("ip.mmdb={}", place("missing.mmdb").display());
    let token = format!("ip.ipinfo_token={TOKEN}");
    let settings = [&*ipinfo.setting(), &file, &token];
    let service = TestService::start(&settings).await;
    assert_eq!(service.get("/ipcheck?ip=8.8.8.8").await.status(), 200);
    assert_eq!(ipinfo.web.calls().len(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_database_file_that_is_a_device_is_refused_by_the_settings() {
    let setting = "ip.mmdb=/dev/zero";
    let ended = TestService::builder().set(setting).refused().await;
    for part in ["ip.mmdb", "/dev/zero", "regular file"] {
        assert!(ended.stderr.contains(part), "{part}: {ended:?}");
    }
}
