//! Rate limits: which client a call counts for, and the response over the
//! limit.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;

use crate::harness::{TestService, assert_error, eventually};

const TIGHT: [&str; 2] = ["limits.requests_per_second=1", "limits.burst=5"];

/// Calls `/check` once with each of these sets of headers, as fast as possible,
/// and returns whether no more succeeded than one reader's bucket holds.
async fn are_one_reader(service: &TestService, callers: &[Vec<(&str, String)>]) -> bool {
    assert!(callers.len() >= 20, "too few to tell");
    let began = Instant::now();
    let calls = callers.iter().map(|headers| {
        let mut request = service.request(Method::GET, "/check");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        request.send()
    });
    let mut answered = 0;
    for response in join_all(calls).await {
        match response.expect("an answer").status().as_u16() {
            200 => answered += 1,
            status => assert_eq!(status, 429),
        }
    }
    // The bucket fills while it is emptied.
    answered <= 5 + began.elapsed().as_secs() + 1
}

/// The status of `/check` called with this one header.
async fn status_of(service: &TestService, name: &str, value: &str) -> u16 {
    let request = service.request(Method::GET, "/check").header(name, value);
    request.send().await.expect("an answer").status().as_u16()
}

#[tokio::test]
async fn beyond_the_burst_a_reader_gets_retry_after() {
    let service = TestService::start(&TIGHT).await;
    for _ in 0..5 {
        assert_eq!(service.get("/check").await.status(), 200);
    }
    let calls = join_all((0..20).map(|_| service.get("/check"))).await;
    let refused = calls
        .into_iter()
        .find(|response| response.status() == 429)
        .expect("a 429");
    let wait = refused.headers()["retry-after"]
        .to_str()
        .expect("text")
        .to_owned();
    assert_error(refused, 429, "Too many requests").await;
    let wait: u64 = wait.parse().expect("whole seconds");
    assert!((1..=10).contains(&wait), "{wait}");

    let began = Instant::now();
    eventually("another request is welcome", async || {
        (service.get("/check").await.status() == 200).then_some(())
    })
    .await;
    // What was announced is long enough.
    let waited = began.elapsed();
    assert!(waited <= Duration::from_secs(wait + 1), "{waited:?}");
}

#[tokio::test]
async fn the_limit_holds_for_paths_that_do_not_exist() {
    let service = TestService::start(&TIGHT).await;
    let calls = join_all((0..30).map(|_| service.get("/nowhere"))).await;
    assert!(calls.iter().any(|response| response.status() == 429));
    assert!(calls.iter().any(|response| response.status() == 404));
}

#[tokio::test]
async fn a_valid_token_has_its_own_bucket() {
    let service = TestService::start(&TIGHT).await;
    let calls = join_all((0..30).map(|_| service.get("/check"))).await;
    assert!(calls.iter().any(|response| response.status() == 429));
    let nothing = json!({});
    let beats = (0..4)
        .map(|_| service.heartbeat(&nothing))
        .collect::<Vec<_>>();
    for response in join_all(beats).await {
        assert_eq!(response.status(), 200);
    }
}

#[tokio::test]
async fn wrong_tokens_are_limited_harder_than_anything_else() {
    let service = TestService::start(&[]).await;
    let guess = async |number: usize| {
        service
            .request(Method::POST, "/heartbeat")
            .bearer_auth(format!("guess-{number}"))
            .send()
            .await
            .expect("an answer")
    };
    let mut guesses = 0;
    let refused = loop {
        let response = guess(guesses).await;
        if response.status() == 429 {
            break response;
        }
        assert_error(response, 401, "Unauthorized").await;
        guesses += 1;
        assert!(
            guesses < 100,
            "wrong tokens are accepted as readily as readers"
        );
    };
    let wait = refused.headers()["retry-after"]
        .to_str()
        .expect("text")
        .to_owned();
    assert!(wait.parse::<u64>().expect("whole seconds") >= 1, "{wait}");
    assert_error(refused, 429, "Too many requests").await;

    // The owner, from the same address, is not shut out by the guessing.
    assert_eq!(service.heartbeat(&json!({})).await.status(), 200);
    assert_eq!(service.get("/check").await.status(), 200);
}

#[tokio::test]
async fn a_stored_token_works_while_others_guess() {
    let mut service = TestService::start(&[]).await;
    let token = service.token("heartbeat").await;
    // It is not used before the guesses.
    service.restart().await;
    let with = async |token: &str| {
        let request = service.request(Method::POST, "/heartbeat");
        let response = request.bearer_auth(token).send().await;
        response.expect("an answer").status().as_u16()
    };
    let mut guesses = 0;
    while with(&format!("guess-{guesses}")).await != 429 {
        guesses += 1;
        assert!(
            guesses < 100,
            "wrong tokens are accepted as readily as readers"
        );
    }
    assert_eq!(with(&token).await, 200);
}

#[cfg_attr(
    windows,
    ignore = "the limit begins at 200 requests a second, and Wine answers fewer"
)]
#[tokio::test]
async fn guesses_from_many_addresses_share_one_limit() {
    let service = TestService::builder()
        .set("server.client_ip=x-forwarded-for")
        .start()
        .await;
    let began = Instant::now();
    let guess = |number: usize| {
        service
            .request(Method::POST, "/heartbeat")
            .header(
                "X-Forwarded-For",
                format!(
                    "203.{}.{}.{}",
                    number / 2_000,
                    number / 20 % 100,
                    number % 20
                ),
            )
            .bearer_auth(format!("guess-{number}"))
            .send()
    };
    let (mut tried, mut refused) = (0, 0);
    while refused == 0 && tried < 10_000 {
        let answers = join_all((tried..tried + 500).map(guess)).await;
        tried += answers.len();
        let statuses = answers
            .into_iter()
            .map(|answer| answer.expect("an answer").status());
        refused += statuses.filter(|status| *status == 429).count();
    }
    let let_in = (tried - refused) as u64;
    assert!(refused > 0, "{tried} guesses in {:?}", began.elapsed());
    assert!(let_in <= 200 * (began.elapsed().as_secs() + 2), "{let_in}");
    assert_eq!(service.heartbeat(&json!({})).await.status(), 200);
}

#[tokio::test]
async fn heartbeats_have_a_separate_rate_limit() {
    let service = TestService::start(&[]).await;
    let beats = async |count: usize| {
        let began = Instant::now();
        let nothing = json!({});
        let answers = join_all((0..count).map(|_| service.heartbeat(&nothing))).await;
        let statuses: Vec<u16> = answers.iter().map(|one| one.status().as_u16()).collect();
        let refused = answers.into_iter().find(|one| one.status() == 429);
        let taken = statuses.iter().filter(|status| **status == 200).count() as u64;
        (taken, refused, began.elapsed().as_secs() + 1)
    };
    let (taken, refused, seconds) = beats(100).await;
    assert!(
        (60..=60 + seconds).contains(&taken),
        "{taken} in {seconds} s"
    );
    let refused = refused.expect("a 429");
    let wait = refused.headers()["retry-after"].to_str().expect("text");
    assert_eq!(wait, "1");
    assert_error(refused, 429, "Too many requests").await;
    // Other requests with the same token, and other tokens, are not limited.
    let read = service
        .request(Method::GET, "/check")
        .bearer_auth(&service.heartbeat_token);
    assert_eq!(read.send().await.expect("an answer").status(), 200);
    let other = service
        .request(Method::POST, "/heartbeat")
        .bearer_auth(&service.admin_token);
    assert_eq!(other.send().await.expect("an answer").status(), 200);

    let unlimited = TestService::start(&["limits.requests_per_second=0"]).await;
    for _ in 0..100 {
        assert_eq!(unlimited.heartbeat(&json!({})).await.status(), 200);
    }
}

#[tokio::test]
async fn zero_turns_the_limit_off() {
    let service = TestService::start(&["limits.requests_per_second=0", "limits.burst=1"]).await;
    for _ in 0..400 {
        assert_eq!(service.get("/check").await.status(), 200);
    }
}

#[tokio::test]
async fn by_default_no_header_changes_the_client_address() {
    let service = TestService::start(&TIGHT).await;
    let names = [
        "X-Forwarded-For",
        "CF-Connecting-IP",
        "X-Real-IP",
        "Forwarded",
    ];
    let callers: Vec<_> = (0..40)
        .map(|number| vec![(names[number % 4], format!("203.0.113.{number}"))])
        .collect();
    assert!(are_one_reader(&service, &callers).await);
}

#[tokio::test]
async fn behind_a_proxy_its_last_entry_is_the_reader() {
    const NAME: &str = "X-Forwarded-For";
    let service = TestService::builder()
        .sets(&TIGHT)
        .set("server.client_ip=x-forwarded-for")
        .start()
        .await;
    // A reader's own entries come before the proxy's, in the same header line
    // or a separate one, or under another name.
    let callers: Vec<_> = (0..40)
        .map(|number| match number % 3 {
            0 => vec![(NAME, format!("198.51.100.{number}, 203.0.113.1"))],
            1 => vec![(
                NAME,
                format!("198.51.100.{number},198.51.100.7,203.0.113.1"),
            )],
            _ => vec![
                ("CF-Connecting-IP", format!("198.51.100.{number}")),
                (NAME, format!("198.51.100.{number}")),
                (NAME, "203.0.113.1".to_owned()),
            ],
        })
        .collect();
    assert!(are_one_reader(&service, &callers).await);
    // Other readers are not made to wait for that one.
    assert_eq!(
        status_of(&service, NAME, "203.0.113.1, 203.0.113.2").await,
        200
    );
    for number in 10..40 {
        assert_eq!(
            status_of(&service, NAME, &format!("203.0.113.{number}")).await,
            200
        );
    }
    assert_eq!(status_of(&service, NAME, "2001:db8::1").await, 200);
}

#[tokio::test]
async fn behind_cloudflare_its_header_is_the_reader() {
    const NAME: &str = "CF-Connecting-IP";
    let service = TestService::builder()
        .sets(&TIGHT)
        .set("server.client_ip=cf-connecting-ip")
        .start()
        .await;
    let callers: Vec<_> = (0..40)
        .map(|number| {
            let forged = ("X-Forwarded-For", format!("198.51.100.{number}"));
            vec![(NAME, "203.0.113.1".to_owned()), forged]
        })
        .collect();
    assert!(are_one_reader(&service, &callers).await);
    for number in 10..40 {
        assert_eq!(
            status_of(&service, NAME, &format!("203.0.113.{number}")).await,
            200
        );
    }
}

#[tokio::test]
async fn only_a_trusted_proxys_header_is_used() {
    let forged: Vec<_> = (0..40)
        .map(|number| vec![("X-Forwarded-For", format!("203.0.113.{number}"))])
        .collect();
    for (trusted, one) in [
        (r#"["192.0.2.7", "10.0.0.0/8"]"#, true),
        ("[]", true),
        (r#"["192.0.2.7", "127.0.0.1"]"#, false),
    ] {
        let service = TestService::builder()
            .sets(&TIGHT)
            .set("server.client_ip=x-forwarded-for")
            .set(format!("server.trusted_proxies={trusted}"))
            .start()
            .await;
        assert_eq!(are_one_reader(&service, &forged).await, one, "{trusted}");
        // This machine's own programs need no proxy.
        assert_eq!(service.heartbeat(&json!({})).await.status(), 200);
    }
    let wrong = TestService::builder().set(r#"server.trusted_proxies=["proxy"]"#);
    let ended = wrong.refused().await;
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    assert!(
        ended.stderr.contains("server.trusted_proxies"),
        "{}",
        ended.stderr
    );
}

#[tokio::test]
async fn an_address_beyond_loopback_needs_a_header_to_distinguish_readers() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        let ended = TestService::builder().listen(address).refused().await;
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        assert_eq!(ended.stdout, "");
        for key in ["--listen: `server.listen`", "`server.client_ip`"] {
            assert!(ended.stderr.contains(key), "{key}: {}", ended.stderr);
        }
    }
}
