//! The provider: its answers, its failures, and the limit of calls.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use porchlight_service::clock::StoppedClock;
use porchlight_service::ip::{IpError, IpLookup};
use porchlight_service::settings::sections::IpSettings;
use serde_json::json;

use crate::ipinfo::{FakeIpinfo, TOKEN, over_quota};
use crate::stand_in::Reply;
use crate::{alone, hand, http, ip};

fn settings(ipinfo: &FakeIpinfo) -> IpSettings {
    let ipinfo_url = ipinfo.web.url().parse().expect("an address");
    IpSettings {
        ipinfo_url,
        ..IpSettings::default()
    }
}

fn lookup(settings: &IpSettings, hand: &StoppedClock) -> IpLookup {
    IpLookup::open_with_dns(settings, http(), hand.clock(), |_| None)
}

#[tokio::test]
async fn an_answer_is_cached_for_a_day_for_every_form_of_the_address() {
    let (ipinfo, hand) = (FakeIpinfo::start().await, hand());
    let lookup = lookup(&settings(&ipinfo), &hand);
    for (written, canonical) in [
        ("8.8.8.8", "8.8.8.8"),
        ("::ffff:8.8.8.8", "8.8.8.8"),
        ("::ffff:808:808", "8.8.8.8"),
        ("2606:4700:0:0:0:0:0:1111", "2606:4700::1111"),
        ("2606:4700::1111", "2606:4700::1111"),
    ] {
        let found = lookup.look_up(ip(written)).await.expect("found");
        assert_eq!(found.ip, canonical, "{written}");
        assert_ne!(found.hostname, "");
    }
    assert_eq!(ipinfo.web.calls().len(), 2);
    hand.advance(Duration::from_secs(24 * 60 * 60 - 1));
    lookup.look_up(ip("8.8.8.8")).await.expect("found");
    assert_eq!(ipinfo.web.calls().len(), 2);
    hand.advance(Duration::from_secs(1));
    lookup.look_up(ip("8.8.8.8")).await.expect("found");
    assert_eq!(ipinfo.web.calls().len(), 3);
}

#[tokio::test]
async fn a_bogon_of_the_provider_has_nothing_but_its_address() {
    let ipinfo = FakeIpinfo::start().await;
    ipinfo.knows("9.9.9.9", &json!({ "ip": "9.9.9.9", "bogon": true }));
    let lookup = lookup(&settings(&ipinfo), &hand());
    assert_eq!(
        lookup.look_up(ip("9.9.9.9")).await.expect("found"),
        alone("9.9.9.9")
    );
}

#[tokio::test]
async fn no_failure_contains_the_token_or_is_cached() {
    for (fault, expected) in [
        (over_quota(), "quota is used up (429)"),
        (
            Reply::html(429, "<h1>Too many requests</h1>"),
            "quota is used up (429)",
        ),
        (
            Reply::json(402, &json!({ "error": "pay" })),
            "quota is used up (402)",
        ),
        (Reply::html(403, "<h1>Forbidden</h1>"), "refuses us (403)"),
        (Reply::html(500, "<h1>Oh no</h1>"), "status 500"),
        (Reply::html(302, "elsewhere"), "status 302"),
        (Reply::html(200, "<h1>Welcome</h1>"), "not understood"),
        (
            Reply::json(200, &json!({ "error": { "title": "no" } })),
            "not understood",
        ),
        (Reply::BrokenOff, "broke off"),
    ] {
        let ipinfo = FakeIpinfo::start().await;
        let with_token = IpSettings {
            ipinfo_token: Some(TOKEN.into()),
            ..settings(&ipinfo)
        };
        let lookup = lookup(&with_token, &hand());
        ipinfo.fails(Some(fault));
        let Err(IpError::Failed(why)) = lookup.look_up(ip("8.8.8.8")).await else {
            panic!("it should fail: {expected}");
        };
        assert!(why.contains(expected), "{why}");
        assert!(!why.contains(TOKEN) && !why.contains("http"), "{why}");
        ipinfo.fails(None);
        assert_eq!(
            lookup.look_up(ip("8.8.8.8")).await.expect("found").country,
            "US"
        );
    }
}

#[tokio::test]
async fn a_retry_after_of_the_provider_is_honoured() {
    let (ipinfo, hand) = (FakeIpinfo::start().await, hand());
    let lookup = lookup(&settings(&ipinfo), &hand);
    ipinfo.fails(Some(Reply::Later(429, 60)));
    assert!(lookup.look_up(ip("8.8.8.8")).await.is_err());
    ipinfo.fails(None);
    hand.advance(Duration::from_secs(59));
    assert!(matches!(
        lookup.look_up(ip("1.1.1.1")).await,
        Err(IpError::Failed(_))
    ));
    assert_eq!(ipinfo.web.calls().len(), 1);
    hand.advance(Duration::from_secs(1));
    assert!(lookup.look_up(ip("1.1.1.1")).await.is_ok());
}

#[tokio::test]
async fn concurrent_lookups_of_an_address_share_one_call() {
    let ipinfo = FakeIpinfo::start().await;
    let lookup = Arc::new(lookup(&settings(&ipinfo), &hand()));
    ipinfo.web.hold();
    let readers: Vec<_> = (0..50)
        .map(|_| {
            let lookup = Arc::clone(&lookup);
            tokio::spawn(async move { lookup.look_up(ip("8.8.8.8")).await })
        })
        .collect();
    ipinfo.web.called(1).await;
    ipinfo.web.release();
    for reader in readers {
        assert_eq!(
            reader.await.expect("no panic").expect("found").country,
            "US"
        );
    }
    assert_eq!(ipinfo.web.calls().len(), 1);
}

#[tokio::test]
async fn a_reader_who_hangs_up_does_not_waste_the_call() {
    let ipinfo = FakeIpinfo::start().await;
    let lookup = lookup(&settings(&ipinfo), &hand());
    ipinfo.web.hold();
    tokio::select! {
        _ = lookup.look_up(ip("8.8.8.8")) => panic!("nothing was answered yet"),
        () = ipinfo.web.called(1) => {}
    }
    ipinfo.web.release();
    assert_eq!(
        lookup.look_up(ip("8.8.8.8")).await.expect("found").country,
        "US"
    );
    assert_eq!(ipinfo.web.calls().len(), 1);
}

#[tokio::test]
async fn a_day_has_nine_hundred_calls_and_cached_answers_are_still_served() {
    let (ipinfo, hand) = (FakeIpinfo::start().await, hand());
    let lookup = lookup(&settings(&ipinfo), &hand);
    for number in 0..900_u32 {
        let ip = IpAddr::from((0x0500_0000 + number).to_be_bytes());
        lookup.look_up(ip).await.expect("found");
    }
    hand.advance(Duration::from_secs(60 * 60));
    assert_eq!(
        lookup.look_up(ip("8.8.8.8")).await,
        Err(IpError::BudgetSpent {
            retry_after: Duration::from_secs(23 * 60 * 60)
        })
    );
    assert_eq!(
        lookup.look_up(ip("5.0.0.7")).await.expect("known").country,
        "AU"
    );
    assert_eq!(lookup.look_up(ip("10.0.0.1")).await, Ok(alone("10.0.0.1")));
    assert_eq!(ipinfo.web.calls().len(), 900);
    hand.advance(Duration::from_secs(23 * 60 * 60));
    assert!(lookup.look_up(ip("8.8.8.8")).await.is_ok());
}

#[tokio::test]
async fn a_missing_name_is_resolved_by_dns() {
    let ipinfo = FakeIpinfo::start().await;
    ipinfo.knows("9.9.9.9", &json!({ "ip": "9.9.9.9", "city": "Berkeley" }));
    let lookup = IpLookup::open_with_dns(&settings(&ipinfo), http(), hand().clock(), |ip| {
        Some(format!("name-of-{ip}.example"))
    });
    let found = lookup.look_up(ip("9.9.9.9")).await.expect("found");
    assert_eq!(found.hostname, "name-of-9.9.9.9.example");
    let named = lookup.look_up(ip("8.8.8.8")).await.expect("found");
    assert_eq!(named.hostname, "dns.google");
}
