//! Parts of an image, for readers that resume and players that seek.

use reqwest::header::{
    ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH,
    IF_RANGE, RANGE,
};
use reqwest::{Method, Response};

use crate::harness::{TestService, pictures};

async fn with(service: &TestService, path: &str, headers: &[(HeaderName, &str)]) -> Response {
    let mut request = service.request(Method::GET, path);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    request.send().await.expect("an answer")
}

#[tokio::test]
async fn a_part_is_answered_with_that_part() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let bytes = service.webp(&hash).await;
    let length = bytes.len();
    let last = length - 1;
    let cases = [
        ("bytes=0-0".to_owned(), 0, 0),
        ("bytes=0-99".to_owned(), 0, 99),
        ("bytes=10-19".to_owned(), 10, 19),
        ("bytes=100-".to_owned(), 100, last),
        (format!("bytes={last}-"), last, last),
        (format!("bytes=10-{}", length + 500), 10, last),
        ("bytes=-1".to_owned(), last, last),
        ("bytes=-100".to_owned(), length - 100, last),
        (format!("bytes=-{}", length + 500), 0, last),
    ];
    for path in [format!("/i/{hash}"), format!("/images/{hash}")] {
        let full = service.get(&path).await;
        assert_eq!(full.headers()[ACCEPT_RANGES], "bytes");
        for (range, from, to) in &cases {
            let response = with(&service, &path, &[(RANGE, range)]).await;
            assert_eq!(response.status(), 206, "{range}");
            let headers = response.headers();
            assert_eq!(
                headers[CONTENT_RANGE],
                format!("bytes {from}-{to}/{length}"),
                "{range}"
            );
            assert_eq!(
                headers[CONTENT_LENGTH],
                (to - from + 1).to_string(),
                "{range}"
            );
            assert_eq!(headers[CONTENT_TYPE], "image/webp", "{range}");
            assert_eq!(headers[ETAG], full.headers()[ETAG], "{range}");
            assert_eq!(
                response.bytes().await.expect("a body"),
                bytes[*from..=*to],
                "{range}"
            );
        }
    }
}

#[tokio::test]
async fn a_part_beyond_the_end_is_not_satisfiable() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let path = format!("/i/{hash}");
    let length = service.webp(&hash).await.len();
    let beyond = [
        format!("bytes={length}-"),
        format!("bytes={}-{}", length + 5, length + 9),
        "bytes=-0".to_owned(),
    ];
    for range in beyond {
        let response = with(&service, &path, &[(RANGE, &range)]).await;
        assert_eq!(response.status(), 416, "{range}");
        assert_eq!(
            response.headers()[CONTENT_RANGE],
            format!("bytes */{length}"),
            "{range}"
        );
    }
}

#[tokio::test]
async fn a_range_in_other_units_is_ignored() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let bytes = service.webp(&hash).await;
    for range in ["items=0-5", "seconds=1-2"] {
        let response = with(&service, &format!("/i/{hash}"), &[(RANGE, range)]).await;
        assert_eq!(response.status(), 200, "{range}");
        assert_eq!(response.bytes().await.expect("a body"), bytes, "{range}");
    }
}

#[tokio::test]
async fn an_invalid_range_gives_all_or_nothing() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let bytes = service.webp(&hash).await;
    for range in [
        "bytes=abc",
        "bytes=5-2",
        "bytes",
        "bytes=",
        "bytes=-",
        "bytes=1-2-3",
    ] {
        let response = with(&service, &format!("/i/{hash}"), &[(RANGE, range)]).await;
        match response.status().as_u16() {
            200 | 206 => assert_eq!(response.bytes().await.expect("a body"), bytes, "{range}"),
            status => assert_eq!(status, 416, "{range}"),
        }
    }
}

#[tokio::test]
async fn a_range_is_served_only_of_the_version_that_the_reader_has() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let path = format!("/i/{hash}");
    let ours = format!("\"{hash}\"");
    let weak = format!("W/\"{hash}\"");
    for (condition, status) in [
        (ours.as_str(), 206),
        ("\"ffffffffffffffffffffffffffffffff\"", 200),
        (weak.as_str(), 200),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 200),
        // What cannot be read names no version that the reader could have.
        (&hash, 200),
        ("\"", 200),
        ("yesterday", 200),
        ("", 200),
    ] {
        let headers = [(RANGE, "bytes=0-9"), (IF_RANGE, condition)];
        let response = with(&service, &path, &headers).await;
        assert_eq!(response.status(), status, "{condition}");
    }
}

#[tokio::test]
async fn if_none_match_takes_precedence_over_range() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let ours = format!("\"{hash}\"");
    let headers = [(RANGE, "bytes=0-9"), (IF_NONE_MATCH, ours.as_str())];
    let response = with(&service, &format!("/i/{hash}"), &headers).await;
    assert_eq!(response.status(), 304);
}

#[tokio::test]
async fn a_part_is_no_part_of_a_head() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let length = service.webp(&hash).await.len().to_string();
    for path in [format!("/i/{hash}"), format!("/images/{hash}")] {
        for range in ["bytes=0-9", "bytes=99999999-"] {
            let request = service.request(Method::HEAD, &path).header(RANGE, range);
            let response = request.send().await.expect("an answer");
            assert_eq!(response.status(), 200, "{range}");
            assert_eq!(response.headers()[CONTENT_LENGTH], length, "{range}");
            assert!(!response.headers().contains_key(CONTENT_RANGE), "{range}");
        }
    }
}
