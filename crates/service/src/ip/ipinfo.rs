//! Client for ipinfo.io, or a mirror of it.

use std::net::IpAddr;
use std::time::Duration;

use reqwest::header::ACCEPT;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::names::is_name;
use crate::http::external as external_http;
use crate::http::replies::IpInformation;
use crate::text::address::WebAddress;
use crate::text::{LONGEST_NAME, one_line};

/// The provider, with a token or without.
pub(super) struct Ipinfo {
    http: reqwest::Client,
    address: WebAddress,
    token: Option<SecretString>,
}

/// One address, as the provider's answers and its files have it. Fields that
/// are missing are empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Record {
    hostname: Option<String>,
    city: Option<String>,
    region: Option<String>,
    /// Two letters, or a whole name beside `country_code`.
    country: Option<String>,
    country_code: Option<String>,
    loc: Option<String>,
    org: Option<String>,
    /// Without `org`: the network's number, `AS64500`.
    asn: Option<String>,
    as_name: Option<String>,
    postal: Option<String>,
    timezone: Option<String>,
}

/// An answer with status 200.
#[derive(Deserialize)]
struct Reply {
    /// Every answer names the address; what does not is something else.
    #[serde(rename = "ip")]
    _ip: String,
    /// The address is not assigned.
    #[serde(default)]
    bogon: bool,
    #[serde(flatten)]
    record: Record,
}

/// Why the provider could not be understood.
#[derive(Debug)]
pub(super) struct IpinfoError {
    /// As text for the owner. It does not hold the token.
    pub(super) why: String,
    /// For how long the provider is not to be called.
    pub(super) pause: Option<Duration>,
}

impl Ipinfo {
    pub(super) fn new(
        http: reqwest::Client,
        address: WebAddress,
        token: Option<SecretString>,
    ) -> Self {
        Self {
            http,
            address,
            token,
        }
    }

    /// The provider's record of the address.
    pub(super) async fn look_up(&self, ip: IpAddr) -> Result<IpInformation, IpinfoError> {
        let mut request = self
            .http
            .get(self.address.join(&format!("/{ip}/json")))
            .header(ACCEPT, "application/json");
        if let Some(token) = &self.token {
            request = request.bearer_auth(token.expose_secret());
        }
        let answer = external_http::ask(request).await;
        let answer = answer.map_err(|error| IpinfoError {
            why: format!("the provider {error}"),
            pause: None,
        })?;
        let why = match answer.status.as_u16() {
            200 => match answer.json::<Reply>() {
                Some(reply) if reply.bogon => return Ok(IpInformation::default()),
                Some(reply) => return Ok(reply.record.into()),
                None => "the provider's answer was not understood".to_owned(),
            },
            status @ (402 | 429) => {
                return Err(IpinfoError {
                    why: format!("the provider's quota is used up ({status})"),
                    pause: answer.retry_after,
                });
            }
            status @ (401 | 403) => {
                format!("the provider refuses us ({status}): check ip.ipinfo_token")
            }
            status => format!("the provider answered with status {status}"),
        };
        Err(IpinfoError { why, pause: None })
    }
}

/// The owners of addresses supply much of this, so it is untrusted.
impl From<Record> for IpInformation {
    fn from(record: Record) -> Self {
        let line = |text: Option<String>| one_line(&text.unwrap_or_default(), LONGEST_NAME);
        let network = [record.asn, record.as_name].map(line);
        Self {
            ip: String::new(),
            hostname: record
                .hostname
                .filter(|name| is_name(name))
                .unwrap_or_default(),
            city: line(record.city),
            region: line(record.region),
            country: line(record.country_code.or(record.country)),
            loc: line(record.loc),
            org: match record.org {
                None => network.join(" ").trim().to_owned(),
                org => line(org),
            },
            postal: line(record.postal),
            timezone: line(record.timezone),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::http::replies::IpInformation;
    use serde_json::json;

    use super::{LONGEST_NAME, Record};

    #[test]
    fn the_lite_shape_fills_the_fields_it_has() {
        let record: Record = serde_json::from_value(json!({
            "country": "Australia", "country_code": "AU", "continent": "Oceania",
            "asn": "AS64500", "as_name": "Example", "as_domain": "example.net",
        }))
        .expect("a record");
        let information = IpInformation::from(record);
        assert_eq!(information.country, "AU");
        assert_eq!(information.org, "AS64500 Example");
        assert_eq!(information.city, "");
    }

    #[test]
    fn hostile_provider_text_becomes_one_clean_line() {
        let hostile = format!(
            "</script><img src=x onerror=alert(1)>\u{202e}\n\u{1b}[2J{}",
            "\u{301}".repeat(10_000)
        );
        let kept = format!(
            "</script><img src=x onerror=alert(1)> [2J{}",
            "\u{301}".repeat(8)
        );
        let fields = [
            "hostname", "city", "region", "country", "loc", "org", "postal", "timezone",
        ];
        let record: serde_json::Map<_, _> = fields
            .iter()
            .map(|field| ((*field).to_owned(), json!(hostile)))
            .collect();
        let record: Record = serde_json::from_value(record.into()).expect("a record");
        let mut information = serde_json::to_value(IpInformation::from(record)).expect("JSON");
        assert_eq!(information["hostname"], "", "no name that the DNS knows");
        for field in &fields[1..] {
            assert_eq!(information[field].take(), json!(kept), "{field}");
        }
        let long: Record =
            serde_json::from_value(json!({ "org": "x".repeat(1_000_000) })).expect("a record");
        assert_eq!(IpInformation::from(long).org.len(), LONGEST_NAME);
    }
}
