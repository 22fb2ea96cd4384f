//! Which callers may read the owner's own listener while the settings do not make it public.
//!
//! Every page in the owner's browser can send requests to this machine, and every host name can
//! resolve to it. `Host`, `Origin`, `Sec-Fetch-Site` and `Referer` are set by the browser, so pages
//! cannot pretend to be another one.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::body::Body;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::uri::Authority;
use http::{Method, Request, Uri};
use porchlight_api::ImageHash;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A program, or a page that this machine itself serves.
    Local,
    /// Another page that requests one image by its name: it may show it.
    Preview,
    /// Another page, or a foreign host name that resolves to this machine.
    Foreign,
}

impl Caller {
    /// Who sends this request to a private listener.
    pub(crate) fn of(request: &Request<Body>) -> Self {
        let headers = request.headers();
        if !names_this_machine(request.uri(), headers) {
            Self::Foreign
        } else if !of_another_page(headers) {
            Self::Local
        } else if is_for_one_image(request) {
            Self::Preview
        } else {
            Self::Foreign
        }
    }
}

/// Whether the request names this machine as its host. A request without a host does not come from
/// a browser.
fn names_this_machine(uri: &Uri, headers: &HeaderMap) -> bool {
    let is_local = |authority: &Authority| is_local(authority.host());
    let named = |value: &HeaderValue| Authority::try_from(value.as_bytes()).ok();
    uri.authority().is_none_or(is_local)
        && headers
            .get_all(header::HOST)
            .iter()
            .all(|value| named(value).as_ref().is_some_and(is_local))
}

fn of_another_page(headers: &HeaderMap) -> bool {
    let mut origins = headers.get_all(header::ORIGIN).iter().peekable();
    if origins.peek().is_some() {
        return !origins.all(is_local_page);
    }
    let cross_site = headers
        .get(SEC_FETCH_SITE)
        .is_some_and(|site| site.as_bytes().eq_ignore_ascii_case(b"cross-site"));
    cross_site && !headers.get(header::REFERER).is_some_and(is_local_page)
}

fn is_local_page(address: &HeaderValue) -> bool {
    let Ok(uri) = Uri::try_from(address.as_bytes()) else {
        return false;
    };
    matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(is_local)
}

fn is_local(host: &str) -> bool {
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
    let name = path
        .strip_prefix("/i/")
        .or_else(|| path.strip_prefix("/images/"));
    matches!(*request.method(), Method::GET | Method::HEAD)
        && name.is_some_and(|name| ImageHash::from_path(name).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMAGE: &str = "/i/00112233445566778899aabbccddeeff.webp";

    fn caller(path: &str, headers: &[(&'static str, &str)]) -> Caller {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Caller::of(&request.body(Body::empty()).expect("a request"))
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
            assert_eq!(caller("/check", &[("host", host)]), Caller::Local, "{host}");
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
        assert_eq!(caller("/check", &[]), Caller::Local);
    }

    #[test]
    fn a_page_is_known_by_its_origin_else_by_its_site() {
        let cross = ("sec-fetch-site", "cross-site");
        for (headers, expected) in [
            (vec![("origin", "http://localhost:5173")], Caller::Local),
            (
                vec![("origin", "https://blog.localhost"), cross],
                Caller::Local,
            ),
            (vec![("origin", "http://[::1]:80"), cross], Caller::Local),
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
                Caller::Local,
            ),
            (
                vec![cross, ("referer", "https://evil.example/localhost")],
                Caller::Foreign,
            ),
            (vec![("sec-fetch-site", "same-site")], Caller::Local),
            (vec![("sec-fetch-site", "none")], Caller::Local),
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
