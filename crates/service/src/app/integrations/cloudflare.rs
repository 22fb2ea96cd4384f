//! A client of Cloudflare's API, with the calls that set up the Worker.
//!
//! Paths are made from constants and [`Label`]s alone: a DELETE of an unknown path below that of a
//! Worker was reported to delete the Worker.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use reqwest::multipart::{Form, Part};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::message::Message;
use crate::http::client_tls::{cause_of, http_client};
use crate::text;
use crate::text::address::WebAddress;

/// The time limit of each call; the longest sends the Worker, 60 KB.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The longest answer, in bytes.
const LONGEST: usize = 1024 * 1024;
/// The binding that says that a Worker is Porchlight's; its value is the version.
pub(super) const MARK: &str = "PORCHLIGHT_WORKER";

/// Cloudflare's page that makes a token, with the permissions filled in: to edit Workers and R2, and
/// to read which accounts there are.
pub const TOKEN_PAGE: &str = "https://dash.cloudflare.com/profile/api-tokens?permissionGroupKeys=\
    %5B%7B%22key%22%3A%22workers_scripts%22%2C%22type%22%3A%22edit%22%7D%2C\
    %7B%22key%22%3A%22workers_r2%22%2C%22type%22%3A%22edit%22%7D%2C\
    %7B%22key%22%3A%22account_settings%22%2C%22type%22%3A%22read%22%7D%5D\
    &accountId=*&zoneId=all&name=Porchlight";

/// What Cloudflare answered instead.
#[derive(Debug, thiserror::Error)]
#[error("{}", Message::from(self))]
pub enum CloudflareError {
    Token(String),
    Permission(String),
    Email,
    NameTaken,
    NameFree,
    NotFound(String),
    /// The Worker has its store already.
    Migrated(String),
    R2Off,
    NoBucket(String),
    Invalid(String),
    TooMany,
    Other(StatusCode, String),
    Unreachable(Message),
    /// What is not an answer of Cloudflare's API.
    Malformed(StatusCode),
}

impl From<&CloudflareError> for Message {
    fn from(error: &CloudflareError) -> Self {
        let because = |why: &str| why.into();
        match error {
            CloudflareError::Token(why) => Self::CloudflareToken { why: because(why) },
            CloudflareError::Permission(why) => Self::CloudflarePermission { why: because(why) },
            CloudflareError::Email => crate::detail!(
                "the e-mail address of the account is not verified: open the link in Cloudflare’s e-mail, then try again"
            ),
            CloudflareError::NameTaken => Self::CloudflareNameTaken,
            CloudflareError::NameFree => crate::detail!("this name of workers.dev is not taken"),
            CloudflareError::NotFound(why) => {
                crate::detail!("Cloudflare does not find it: {why}", why = because(why))
            }
            CloudflareError::Migrated(why) | CloudflareError::Invalid(why) => {
                crate::detail!("Cloudflare rejects the Worker: {why}", why = because(why))
            }
            CloudflareError::R2Off => Self::CloudflareR2Off,
            CloudflareError::NoBucket(why) => crate::detail!(
                "the bucket of the Worker is missing: make it in Cloudflare’s dashboard ({why})",
                why = because(why)
            ),
            CloudflareError::TooMany => crate::detail!(
                "Cloudflare counts too many calls of this account: try again in five minutes"
            ),
            CloudflareError::Other(status, why) => crate::detail!(
                "Cloudflare answered {status}: {why}",
                status = status.as_u16(),
                why = because(why)
            ),
            CloudflareError::Unreachable(why) => {
                crate::detail!("Cloudflare cannot be reached: {why}", why = why.clone())
            }
            CloudflareError::Malformed(status) => crate::detail!(
                "the answer is not that of Cloudflare’s API (status {status})",
                status = status.as_u16()
            ),
        }
    }
}

type Called<T> = Result<T, CloudflareError>;

/// The name of a Worker, the name of an account at workers.dev, or an account's id: safe in paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label(String);

impl FromStr for Label {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        let is_valid = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        // A prefix of xn-- promises a name in another script.
        let is_odd = text.starts_with('-') || text.ends_with('-') || text.starts_with("xn--");
        if (1..=63).contains(&text.len()) && text.bytes().all(is_valid) && !is_odd {
            return Ok(Self(text.to_owned()));
        }
        Err(crate::detail!(
            "a name is 1 to 63 of a-z, 0-9 and -, with no - at either end"
        ))
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A Worker that is there.
#[derive(Debug, Clone, Default)]
pub struct Deployed {
    /// The value of [`MARK`]; `None` for a Worker that is not Porchlight's.
    pub version: Option<String>,
    pub has_store: bool,
    /// The bucket that is bound to it.
    pub bucket: Option<String>,
    /// The names of bindings that are the owner's own.
    pub others: Vec<String>,
}

#[derive(Deserialize)]
struct ApiReply {
    success: bool,
    errors: Option<Vec<Reason>>,
    #[serde(default)]
    result: Value,
}

#[derive(Deserialize)]
struct Reason {
    #[serde(default)]
    code: u32,
    #[serde(default)]
    message: String,
}

pub struct Cloudflare {
    http: Client,
    base: String,
    token: SecretString,
}

impl Cloudflare {
    /// A client that sends this token, which is not empty, to this address only.
    ///
    /// # Errors
    /// When there is no TLS.
    pub fn new(base: &WebAddress, token: SecretString) -> reqwest::Result<Self> {
        let http = http_client()
            .https_only(!base.is_loopback())
            .redirect(Policy::none())
            .timeout(TIMEOUT)
            .build()?;
        let base = base.as_str().to_owned();
        Ok(Self { http, base, token })
    }

    /// Whether the token is valid; that of an account is verified there.
    pub(super) async fn verify(&self, account: Option<&Label>) -> Called<()> {
        let found = match account {
            None => self.get("/user/tokens/verify").await?,
            Some(account) => {
                self.get(&format!("/accounts/{account}/tokens/verify"))
                    .await?
            }
        };
        match found["status"].as_str() {
            Some("active") => Ok(()),
            other => Err(CloudflareError::Token(
                self.shown(other.unwrap_or("no status")),
            )),
        }
    }

    /// Ids and names of the accounts that the token may list; it can be none.
    pub(super) async fn accounts(&self) -> Called<Vec<(Label, String)>> {
        let found = self.get("/accounts").await?;
        let account = |one: &Value| {
            let name = self.shown(one["name"].as_str().unwrap_or_default());
            Some((one["id"].as_str()?.parse().ok()?, name))
        };
        Ok(found
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(account)
            .collect())
    }

    /// The account's name at workers.dev.
    pub(super) async fn subdomain(&self, account: &Label) -> Called<Option<Label>> {
        let path = format!("/accounts/{account}/workers/subdomain");
        let found = there(self.get(&path).await)?;
        Ok(found.and_then(|found| found["subdomain"].as_str()?.parse().ok()))
    }

    /// Fails where the account could not take this name at workers.dev.
    pub(super) async fn can_take(&self, account: &Label, name: &Label) -> Called<()> {
        let path = format!("/accounts/{account}/workers/subdomains/{name}");
        match self.get(&path).await {
            Err(CloudflareError::NameFree) => Ok(()),
            Ok(_) => Err(CloudflareError::NameTaken),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn take(&self, account: &Label, name: &Label) -> Called<()> {
        let path = format!("/accounts/{account}/workers/subdomain");
        let body = json!({ "subdomain": name.to_string() });
        self.answer(self.request(Method::PUT, &path).json(&body))
            .await
            .map(drop)
    }

    pub(super) async fn has_bucket(&self, account: &Label, name: &str) -> Called<bool> {
        let path = format!("/accounts/{account}/r2/buckets?name_contains={name}");
        let found = self.get(&path).await?;
        let mut buckets = found["buckets"].as_array().into_iter().flatten();
        Ok(buckets.any(|bucket| bucket["name"] == name))
    }

    pub(super) async fn make_bucket(&self, account: &Label, name: &str) -> Called<()> {
        let path = format!("/accounts/{account}/r2/buckets");
        let body = json!({ "name": name });
        self.answer(self.request(Method::POST, &path).json(&body))
            .await
            .map(drop)
    }

    /// The Worker of this name; `None` where there is none.
    pub(super) async fn worker(&self, account: &Label, name: &Label) -> Called<Option<Deployed>> {
        let path = format!("/accounts/{account}/workers/scripts/{name}/settings");
        let Some(settings) = there(self.get(&path).await)? else {
            return Ok(None);
        };
        let mut found = Deployed::default();
        for binding in settings["bindings"].as_array().into_iter().flatten() {
            let text = |field: &str| binding[field].as_str().map(|text| self.shown(text));
            match binding["name"].as_str() {
                Some(MARK) => found.version = text("text"),
                Some("STORE") => found.has_store = true,
                Some("BUCKET") => found.bucket = text("bucket_name"),
                Some("EDGE_SECRET" | "CLIENT_IP_HEADER" | "ADDRESS") | None => {}
                Some(other) => found.others.push(other.to_owned()),
            }
        }
        Ok(Some(found))
    }

    /// Uploads the Worker with this metadata, which has this secret.
    pub(super) async fn upload(
        &self,
        account: &Label,
        name: &Label,
        (metadata, secret): (&Value, &SecretString),
        script: String,
    ) -> Called<()> {
        let typed = |part: Part, kind: &str| part.mime_str(kind).map_err(unreachable);
        let metadata = typed(Part::text(metadata.to_string()), "application/json")?;
        let script = Part::text(script).file_name("worker.js");
        let script = typed(script, "application/javascript+module")?;
        let form = Form::new()
            .part("metadata", metadata)
            .part("worker.js", script);
        let path = format!("/accounts/{account}/workers/scripts/{name}");
        let request = self.request(Method::PUT, &path).multipart(form);
        self.answer_without(request, secret.expose_secret())
            .await
            .map(drop)
    }

    /// Makes the Worker answer at its address below workers.dev.
    pub(super) async fn enable_route(&self, account: &Label, name: &Label) -> Called<()> {
        let path = format!("/accounts/{account}/workers/scripts/{name}/subdomain");
        let body = json!({ "enabled": true, "previews_enabled": false });
        self.answer(self.request(Method::POST, &path).json(&body))
            .await
            .map(drop)
    }

    /// Makes the Worker answer at this name of one of the account's own domains.
    pub(super) async fn attach(&self, account: &Label, name: &Label, host: &str) -> Called<()> {
        let path = format!("/accounts/{account}/workers/domains");
        let body = json!({ "hostname": host, "service": name.to_string() });
        self.answer(self.request(Method::PUT, &path).json(&body))
            .await
            .map(drop)
    }

    /// Deletes the Worker with its store.
    pub(super) async fn delete(&self, account: &Label, name: &Label) -> Called<()> {
        let path = format!("/accounts/{account}/workers/scripts/{name}?force=true");
        self.answer(self.request(Method::DELETE, &path))
            .await
            .map(drop)
    }

    async fn get(&self, path: &str) -> Called<Value> {
        self.answer(self.request(Method::GET, path)).await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        request.bearer_auth(self.token.expose_secret())
    }

    /// The result of a call.
    async fn answer(&self, request: RequestBuilder) -> Called<Value> {
        self.answer_without(request, self.token.expose_secret())
            .await
    }

    /// The same for a call that sends this secret, which no error shows.
    async fn answer_without(&self, request: RequestBuilder, secret: &str) -> Called<Value> {
        let mut response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Err(CloudflareError::TooMany);
        }
        let mut body = Vec::new();
        while let Some(part) = response.chunk().await.map_err(unreachable)? {
            if body.len() + part.len() > LONGEST {
                return Err(CloudflareError::Malformed(status));
            }
            body.extend_from_slice(&part);
        }
        let answer: ApiReply =
            serde_json::from_slice(&body).map_err(|_| CloudflareError::Malformed(status))?;
        if answer.success {
            return Ok(answer.result);
        }
        let mut reasons = answer.errors.unwrap_or_default();
        for reason in &mut reasons {
            reason.message = reason.message.replace(secret, "***");
        }
        Err(self.refusal(status, &reasons))
    }

    /// The first error with a known code, else the first one.
    fn refusal(&self, status: StatusCode, reasons: &[Reason]) -> CloudflareError {
        let why =
            |reason: &Reason| self.shown(&format!("{}, code {}", reason.message, reason.code));
        let known = |reason: &Reason| {
            Some(match reason.code {
                1000 | 6003 | 6111 => CloudflareError::Token(why(reason)),
                9109 | 10000 => CloudflareError::Permission(why(reason)),
                10007 | 10090 => CloudflareError::NotFound(why(reason)),
                10021 => CloudflareError::Invalid(why(reason)),
                10031 => CloudflareError::NameTaken,
                10032 => CloudflareError::NameFree,
                10034 => CloudflareError::Email,
                10042 => CloudflareError::R2Off,
                10079 => CloudflareError::Migrated(why(reason)),
                10085 => CloudflareError::NoBucket(why(reason)),
                _ => return None,
            })
        };
        let other = || CloudflareError::Other(status, reasons.first().map(why).unwrap_or_default());
        reasons.iter().find_map(known).unwrap_or_else(other)
    }

    /// What Cloudflare wrote, as one line, and without the token.
    fn shown(&self, written: &str) -> String {
        let written = written.replace(self.token.expose_secret(), "***");
        text::one_line(&written, text::LONGEST_LINE)
    }
}

fn unreachable(error: reqwest::Error) -> CloudflareError {
    CloudflareError::Unreachable(cause_of(&error))
}

/// `None` for what is not there.
fn there(answer: Called<Value>) -> Called<Option<Value>> {
    match answer {
        Err(CloudflareError::NotFound(_)) => Ok(None),
        answer => answer.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_changes_a_path_is_a_name() {
        for text in [
            "", "..", "a.b", "a/b", "a?b", "a#b", "-a", "a-", "A", "ä", "a b", "%2e",
        ] {
            assert!(text.parse::<Label>().is_err(), "{text}");
        }
        assert!("light-2".parse::<Label>().is_ok());
    }
}
