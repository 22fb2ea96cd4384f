//! Which callers may read a listener: the owner's own while the settings do not make it public, and
//! one that readers reach at a public address. What is public may be read by every page, but not at an
//! address of this machine: there it would show a page who its visitor is.
//!
//! Every page in the owner's browser can send requests to this machine, and every host name can
//! resolve to it. `Host`, `Origin`, `Sec-Fetch-Site` and `Referer` are set by the browser, so pages
//! cannot pretend to be another one.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::body::Body;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::uri::Authority;
use http::{Method, Request, Uri};

use crate::text::image_hash::ImageHash;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// What proxies and tunnels add.
const FORWARDING: [HeaderName; 3] = [
    header::FORWARDED,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("cf-connecting-ip"),
];

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A program, a page that this machine itself serves, or a reader of the public address.
    Welcome,
    /// Another page that requests one image by its name: it may show it.
    Preview,
    /// Another page, or a foreign host name that resolves to this machine.
    Foreign,
}

impl Caller {
    /// Who sends this request to a listener that readers reach at the hosts that `is_public` knows.
    pub(crate) fn of_public(request: &Request<Body>, is_public: impl Fn(&str) -> bool) -> Self {
        let headers = request.headers();
        let welcome = if all_hosts(request, is_local) {
            // A page cannot set these headers without a preflight, which comes without them.
            is_forwarded(headers) || !of_another_page(headers)
        } else {
            all_hosts(request, |host| is_public(host.trim_end_matches('.')))
        };
        if welcome {
            Self::Welcome
        } else {
            Self::Foreign
        }
    }

    /// Who sends this request to a private listener.
    pub(crate) fn of_private(request: &Request<Body>) -> Self {
        let headers = request.headers();
        if !all_hosts(request, is_local) {
            Self::Foreign
        } else if !of_another_page(headers) {
            Self::Welcome
        } else if is_for_one_image(request) {
            Self::Preview
        } else {
            Self::Foreign
        }
    }
}

/// Whether this is true of each host that the request names. A request without a host does not come
/// from a browser.
fn all_hosts(request: &Request<Body>, is: impl Fn(&str) -> bool) -> bool {
    let is = |authority: &Authority| is(authority.host());
    let named = |value: &HeaderValue| Authority::try_from(value.as_bytes()).ok();
    let mut hosts = request.headers().get_all(header::HOST).iter();
    request.uri().authority().is_none_or(&is)
        && hosts.all(|value| named(value).as_ref().is_some_and(&is))
}

/// The host and port that the request names, in lower case; empty where it names none.
pub(crate) fn named_host(request: &Request<Body>) -> String {
    let in_header = || request.headers().get(header::HOST)?.to_str().ok();
    let in_uri = request.uri().authority().map(Authority::as_str);
    let named = in_uri.or_else(in_header).unwrap_or_default();
    named.to_ascii_lowercase()
}

fn is_forwarded(headers: &HeaderMap) -> bool {
    FORWARDING.iter().any(|name| headers.contains_key(name))
}

fn of_another_page(headers: &HeaderMap) -> bool {
    let mut origins = headers.get_all(header::ORIGIN).iter().peekable();
    if origins.peek().is_some() {
        return !origins.all(is_local_page);
    }
    let referer = headers.get(header::REFERER);
    match headers.get(SEC_FETCH_SITE).map(HeaderValue::as_bytes) {
        Some(site) if site.eq_ignore_ascii_case(b"cross-site") => {
            !referer.is_some_and(is_local_page)
        }
        Some(_) => false,
        // A program, or a browser from before 2023.
        None => referer.is_some_and(|page| !is_local_page(page)),
    }
}

fn is_local_page(address: &HeaderValue) -> bool {
    let Ok(uri) = Uri::try_from(address.as_bytes()) else {
        return false;
    };
    matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(is_local)
}

/// Whether this host is this machine.
pub(crate) fn is_local(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let v6 = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<Ipv4Addr>().is_ok_and(|v4| v4.is_loopback())
        || v6.is_some_and(|v6| v6.parse() == Ok(Ipv6Addr::LOCALHOST))
}

/// Names of images cannot be guessed, and editors preview them.
fn is_for_one_image(request: &Request<Body>) -> bool {
    let path = request.uri().path();
    let short = path
        .strip_prefix("/i/")
        .map(|rest| match rest.split_once('/') {
            Some((hash, name)) if is_name(name) => hash,
            _ => rest,
        });
    let name = short.or_else(|| path.strip_prefix("/images/"));
    matches!(*request.method(), Method::GET | Method::HEAD)
        && name.is_some_and(|name| ImageHash::from_path(name).is_ok())
}

/// Whether this is the name at the end of an image's address.
pub(crate) fn is_name(segment: &str) -> bool {
    segment.ends_with(".webp") && !segment.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMAGE: &str = "/i/00112233445566778899aabbccddeeff.webp";

    fn request(path: &str, headers: &[(&'static str, &str)]) -> Request<Body> {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Body::empty()).expect("a request")
    }

    fn caller(path: &str, headers: &[(&'static str, &str)]) -> Caller {
        Caller::of_private(&request(path, headers))
    }

    /// Who calls a listener that readers reach at `light.example`.
    fn reader(path: &str, headers: &[(&'static str, &str)]) -> Caller {
        Caller::of_public(&request(path, headers), |host| host == "light.example")
    }

    #[test]
    fn an_image_may_have_a_name_at_the_end_of_its_address() {
        let image = |path: &str| is_for_one_image(&request(path, &[]));
        assert!(image(IMAGE));
        let hash = &IMAGE[..IMAGE.len() - 5];
        for (name, expected) in [
            ("", true),
            ("/a-cat.webp", true),
            ("/%E5%9C%A8.webp", true),
            ("/a-cat", false),
            ("/a/cat.webp", false),
            ("/", false),
        ] {
            assert_eq!(image(&format!("{hash}{name}")), expected, "{name}");
        }
        assert!(!image(&format!("/images{}/a-cat.webp", &hash[2..])));
    }

    #[test]
    fn readers_name_the_public_address_and_others_are_of_this_machine() {
        let evil = ("origin", "https://evil.example");
        let cross = ("sec-fetch-site", "cross-site");
        for host in ["light.example", "light.example:443", "light.example."] {
            for page in [&[][..], &[evil], &[cross]] {
                let mut headers = page.to_vec();
                headers.push(("host", host));
                assert_eq!(reader("/check", &headers), Caller::Welcome, "{headers:?}");
            }
        }
        for host in ["localhost:4780", "127.0.0.1", "[::1]:4780"] {
            let host = ("host", host);
            assert_eq!(reader("/check", &[host]), Caller::Welcome);
            let here = ("origin", "http://localhost:1313");
            assert_eq!(reader("/check", &[host, here, cross]), Caller::Welcome);
            for page in [evil, cross, ("origin", "null")] {
                assert_eq!(reader("/check", &[host, page]), Caller::Foreign);
                // The hash of an image of the blog is known to everyone.
                assert_eq!(reader(IMAGE, &[host, page]), Caller::Foreign);
                for name in ["x-forwarded-for", "forwarded", "cf-connecting-ip"] {
                    let proxied = reader("/check", &[host, page, (name, "192.0.2.1")]);
                    assert_eq!(proxied, Caller::Welcome, "{name}");
                }
            }
        }
        // Any other name leads here by DNS alone, and a page there may set any header.
        for host in [
            "evil.example",
            "light.example.evil.example",
            "192.168.1.2",
            "",
        ] {
            let headers = [("host", host), ("x-forwarded-for", "192.0.2.1")];
            assert_eq!(reader("/check", &headers), Caller::Foreign, "{host}");
        }
        let twice = [("host", "light.example"), ("host", "localhost")];
        assert_eq!(reader("/check", &twice), Caller::Foreign);
        assert_eq!(reader("/check", &[]), Caller::Welcome);
        assert_eq!(reader("/check", &[evil]), Caller::Foreign);
    }

    #[test]
    fn local_host_names_are_recognised() {
        for host in [
            "localhost",
            "LOCALHOST:4780",
            "blog.localhost:80",
            "127.0.0.1:4780",
            "127.9.9.9",
            "[::1]:4780",
        ] {
            assert_eq!(
                caller("/check", &[("host", host)]),
                Caller::Welcome,
                "{host}"
            );
        }
        for host in [
            "light",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evillocalhost",
            "0.0.0.0:4780",
            "192.168.1.2",
            "[::]:4780",
            "",
            "a b",
        ] {
            for path in ["/check", IMAGE] {
                assert_eq!(caller(path, &[("host", host)]), Caller::Foreign, "{host}");
            }
        }
        let twice = [("host", "localhost"), ("host", "evil.example")];
        assert_eq!(caller("/check", &twice), Caller::Foreign);
        let absolute = caller("http://evil.example/check", &[("host", "localhost")]);
        assert_eq!(absolute, Caller::Foreign);
        assert_eq!(caller("/check", &[]), Caller::Welcome);
    }

    #[test]
    fn a_page_is_known_by_its_origin_else_by_its_site() {
        let cross = ("sec-fetch-site", "cross-site");
        for (headers, expected) in [
            (vec![("origin", "http://localhost:5173")], Caller::Welcome),
            (
                vec![("origin", "https://blog.localhost"), cross],
                Caller::Welcome,
            ),
            (vec![("origin", "http://[::1]:80"), cross], Caller::Welcome),
            (vec![("origin", "https://evil.example")], Caller::Foreign),
            (vec![("origin", "null")], Caller::Foreign),
            (vec![("origin", "app://obsidian.md")], Caller::Foreign),
            (vec![("origin", "app://localhost")], Caller::Foreign),
            (
                vec![("origin", "http://localhost.evil.example")],
                Caller::Foreign,
            ),
            (
                vec![
                    ("origin", "http://localhost"),
                    ("origin", "https://evil.example"),
                ],
                Caller::Foreign,
            ),
            // A page of another origin with a forged referer.
            (
                vec![
                    ("origin", "https://evil.example"),
                    ("referer", "http://localhost/"),
                ],
                Caller::Foreign,
            ),
            (vec![cross], Caller::Foreign),
            (
                vec![cross, ("referer", "http://localhost:1313/post?a=b")],
                Caller::Welcome,
            ),
            (
                vec![cross, ("referer", "https://evil.example/localhost")],
                Caller::Foreign,
            ),
            (vec![("referer", "https://evil.example/")], Caller::Foreign),
            (vec![("referer", "http://localhost:1313/")], Caller::Welcome),
            (vec![("sec-fetch-site", "same-site")], Caller::Welcome),
            (vec![("sec-fetch-site", "none")], Caller::Welcome),
        ] {
            let mut headers = headers;
            headers.push(("host", "127.0.0.1:4780"));
            assert_eq!(caller("/check", &headers), expected, "{headers:?}");
            let of_image = match expected {
                Caller::Foreign => Caller::Preview,
                other => other,
            };
            assert_eq!(caller(IMAGE, &headers), of_image, "{headers:?}");
            assert_eq!(caller("/images/list", &headers), expected);
        }
    }
}
