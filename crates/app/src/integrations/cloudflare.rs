//! A client of Cloudflare's API, with the calls that set up the Worker.
//!
//! Paths are made from constants and checked names alone: a DELETE of an unknown path below that
//! of a Worker was reported to delete the Worker.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use porchlight_api::{Message, WebAddress, cause_of, http_client, text};
use reqwest::multipart::{Form, Part};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The time limit of each call; the longest sends the Worker, 60 KB.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The longest answer, in bytes.
const LONGEST: usize = 1024 * 1024;
/// The binding that says that a Worker is Porchlight's; its value is the version.
pub(super) const MARK: &str = "PORCHLIGHT_WORKER";

/// What Cloudflare answered instead, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum CloudflareError {
    #[error(
        "Cloudflare does not accept the token ({0}): copy all of an API token that is active. A \
         Global API Key or an Origin CA key is none; for a token of an account, name the account \
         with --account"
    )]
    Token(String),
    #[error(
        "the token lacks a permission ({0}): it needs Workers Scripts: Edit and Account Settings: \
         Read, for --r2 also Workers R2 Storage: Edit. Where you are a member of the account, your \
         role must be Admin, since Editor cannot create Workers"
    )]
    Permission(String),
    #[error(
        "the e-mail address of the account is not verified: open the link in Cloudflare's e-mail, \
         and run this again"
    )]
    Email,
    #[error("this name of workers.dev is taken: choose another one with --subdomain")]
    NameTaken,
    /// The answer for a name of workers.dev that can be taken.
    #[error("this name of workers.dev is not taken")]
    NameFree,
    /// There is no such Worker, or no name of workers.dev yet.
    #[error("Cloudflare does not find it: {0}")]
    NotFound(String),
    /// The Worker has its store already.
    #[error("the Worker has its store already: {0}")]
    Migrated(String),
    #[error(
        "R2 is not switched on in the account: switch it on in Cloudflare's dashboard, which asks \
         for a payment method, or leave out --r2"
    )]
    R2Off,
    #[error("the bucket is missing: {0}")]
    NoBucket(String),
    #[error("the bucket is there already: {0}")]
    BucketThere(String),
    #[error("Cloudflare rejects the Worker: {0}")]
    Invalid(String),
    #[error("Cloudflare counts too many calls of this account: run this again in five minutes")]
    TooMany,
    #[error("Cloudflare answered {status}: {why}")]
    Other { status: StatusCode, why: String },
    #[error("Cloudflare cannot be reached: {0}")]
    Unreachable(Message),
    #[error("the answer is not that of Cloudflare's API (status {0})")]
    Malformed(StatusCode),
}

/// A text that is safe in paths and addresses.
macro_rules! checked {
    ($(#[$about:meta])* $name:ident, $is_valid:path, $what:literal) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(String);

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match $is_valid(text) {
                    true => Ok(Self(text.to_owned())),
                    false => Err($what.to_owned()),
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

checked!(
    /// The id of an account.
    AccountId, is_id, "an account's id has 32 digits and letters from a to f"
);
checked!(
    /// The name of a Worker, or of an account at workers.dev.
    Label, is_label, "a name has 1 to 63 of a-z, 0-9 and -, and neither begins nor ends with -"
);
checked!(
    /// A name in DNS, in lower case.
    HostName, is_host, "this is not a host name such as light.example.org"
);

fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_label(text: &str) -> bool {
    let valid = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let has_dash = text.starts_with('-') || text.ends_with('-');
    (1..=63).contains(&text.len()) && text.bytes().all(valid) && !has_dash
}

fn is_host(text: &str) -> bool {
    text.len() <= 253 && text.contains('.') && text.split('.').all(is_label)
}

#[derive(Debug, Clone, Deserialize)]
pub struct Account {
    pub id: AccountId,
    #[serde(default)]
    pub name: String,
}

/// A Worker that is there.
#[derive(Debug, Clone, Default)]
pub struct Deployed {
    /// The value of [`MARK`]; `None` for a Worker that is not Porchlight's.
    pub version: Option<String>,
    pub has_store: bool,
    /// The bucket that is bound to it.
    pub bucket: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
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
    /// A client that sends this token to this address only.
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
    pub(super) async fn verify(&self, account: Option<&AccountId>) -> Result<(), CloudflareError> {
        #[derive(Deserialize)]
        struct Verified {
            status: String,
        }
        let path = match account {
            None => "/user/tokens/verify".to_owned(),
            Some(account) => format!("/accounts/{account}/tokens/verify"),
        };
        let Verified { status } = self.get(&path).await?;
        match status.as_str() {
            "active" => Ok(()),
            _ => Err(CloudflareError::Token(self.shown(&status))),
        }
    }

    /// The accounts that the token may list; it can be none.
    pub(super) async fn accounts(&self) -> Result<Vec<Account>, CloudflareError> {
        self.get("/accounts").await
    }

    /// The account's name at workers.dev.
    pub(super) async fn subdomain(
        &self,
        account: &AccountId,
    ) -> Result<Option<Label>, CloudflareError> {
        #[derive(Deserialize)]
        struct Subdomain {
            subdomain: Label,
        }
        let path = format!("/accounts/{account}/workers/subdomain");
        let found = there(self.get::<Subdomain>(&path).await)?;
        Ok(found.map(|found| found.subdomain))
    }

    /// Whether the account could take this name at workers.dev.
    pub(super) async fn can_take(
        &self,
        account: &AccountId,
        name: &Label,
    ) -> Result<(), CloudflareError> {
        let path = format!("/accounts/{account}/workers/subdomains/{name}");
        match self.get::<Value>(&path).await {
            Err(CloudflareError::NameFree) => Ok(()),
            Ok(_) => Err(CloudflareError::NameTaken),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn take(
        &self,
        account: &AccountId,
        name: &Label,
    ) -> Result<(), CloudflareError> {
        let path = format!("/accounts/{account}/workers/subdomain");
        let body = json!({ "subdomain": name.to_string() });
        self.send(Method::PUT, &path, |request| request.json(&body)).await
    }

    pub(super) async fn has_bucket(
        &self,
        account: &AccountId,
        name: &str,
    ) -> Result<bool, CloudflareError> {
        #[derive(Deserialize)]
        struct Buckets {
            buckets: Vec<Bucket>,
        }
        #[derive(Deserialize)]
        struct Bucket {
            name: String,
        }
        let path = format!("/accounts/{account}/r2/buckets?name_contains={name}");
        let Buckets { buckets } = self.get(&path).await?;
        Ok(buckets.iter().any(|bucket| bucket.name == name))
    }

    pub(super) async fn make_bucket(
        &self,
        account: &AccountId,
        name: &str,
    ) -> Result<(), CloudflareError> {
        let path = format!("/accounts/{account}/r2/buckets");
        let body = json!({ "name": name });
        match self.send(Method::POST, &path, |request| request.json(&body)).await {
            Err(CloudflareError::BucketThere(_)) => Ok(()),
            made => made,
        }
    }

    /// The Worker of this name; `None` where there is none.
    pub(super) async fn worker(
        &self,
        account: &AccountId,
        name: &Label,
    ) -> Result<Option<Deployed>, CloudflareError> {
        #[derive(Deserialize)]
        struct Settings {
            #[serde(default)]
            bindings: Vec<Binding>,
        }
        #[derive(Deserialize)]
        struct Binding {
            name: String,
            text: Option<String>,
            bucket_name: Option<String>,
        }
        let path = format!("/accounts/{account}/workers/scripts/{name}/settings");
        let Some(Settings { bindings }) = there(self.get(&path).await)? else {
            return Ok(None);
        };
        let mut found = Deployed::default();
        for binding in bindings {
            match binding.name.as_str() {
                MARK => found.version = binding.text,
                "STORE" => found.has_store = true,
                "BUCKET" => found.bucket = binding.bucket_name,
                _ => {}
            }
        }
        Ok(Some(found))
    }

    pub(super) async fn upload(
        &self,
        account: &AccountId,
        name: &Label,
        metadata: &Value,
        script: &'static str,
    ) -> Result<(), CloudflareError> {
        let part = |content: Part, kind| {
            let part = content.mime_str(kind);
            part.map_err(|error| CloudflareError::Unreachable(cause_of(&error)))
        };
        let metadata = part(Part::text(metadata.to_string()), "application/json")?;
        let script = Part::text(script).file_name("worker.js");
        let script = part(script, "application/javascript+module")?;
        let form = Form::new().part("metadata", metadata).part("worker.js", script);
        let path = format!("/accounts/{account}/workers/scripts/{name}");
        self.send(Method::PUT, &path, |request| request.multipart(form)).await
    }

    /// Makes the Worker answer at its address below workers.dev.
    pub(super) async fn enable_route(
        &self,
        account: &AccountId,
        name: &Label,
    ) -> Result<(), CloudflareError> {
        let path = format!("/accounts/{account}/workers/scripts/{name}/subdomain");
        let body = json!({ "enabled": true, "previews_enabled": false });
        self.send(Method::POST, &path, |request| request.json(&body)).await
    }

    /// Makes the Worker answer at this name of one of the account's own domains.
    pub(super) async fn attach(
        &self,
        account: &AccountId,
        name: &Label,
        host: &HostName,
    ) -> Result<(), CloudflareError> {
        let path = format!("/accounts/{account}/workers/domains");
        let body = json!({ "hostname": host.to_string(), "service": name.to_string() });
        self.send(Method::PUT, &path, |request| request.json(&body)).await
    }

    /// Deletes the Worker with its store.
    pub(super) async fn delete(
        &self,
        account: &AccountId,
        name: &Label,
    ) -> Result<(), CloudflareError> {
        let path = format!("/accounts/{account}/workers/scripts/{name}?force=true");
        self.send(Method::DELETE, &path, |request| request).await
    }

    async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, CloudflareError> {
        self.call(Method::GET, path, |request| request).await
    }

    /// A call whose result does not matter.
    async fn send(
        &self,
        method: Method,
        path: &str,
        with_body: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<(), CloudflareError> {
        self.call::<Value>(method, path, with_body).await.map(drop)
    }

    async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        with_body: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<T, CloudflareError> {
        let unreachable = |error| CloudflareError::Unreachable(cause_of(&error));
        let request = self.http.request(method, format!("{}{path}", self.base));
        let request = with_body(request.bearer_auth(self.token.expose_secret()));
        let mut response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Err(CloudflareError::TooMany);
        }
        let malformed = || CloudflareError::Malformed(status);
        let mut body = Vec::new();
        while let Some(part) = response.chunk().await.map_err(unreachable)? {
            if body.len() + part.len() > LONGEST {
                return Err(malformed());
            }
            body.extend_from_slice(&part);
        }
        let answer: Answer = serde_json::from_slice(&body).map_err(|_| malformed())?;
        if answer.success {
            return serde_json::from_value(answer.result).map_err(|_| malformed());
        }
        Err(self.refusal(status, &answer.errors.unwrap_or_default()))
    }

    /// The first error with a known code, else the first one.
    fn refusal(&self, status: StatusCode, reasons: &[Reason]) -> CloudflareError {
        for Reason { code, message } in reasons {
            let why = self.shown(&format!("{message}, code {code}"));
            return match code {
                1000 | 6003 | 6111 => CloudflareError::Token(why),
                9109 | 10000 => CloudflareError::Permission(why),
                10004 => CloudflareError::BucketThere(why),
                10007 | 10090 => CloudflareError::NotFound(why),
                10021 => CloudflareError::Invalid(why),
                10031 => CloudflareError::NameTaken,
                10032 => CloudflareError::NameFree,
                10034 => CloudflareError::Email,
                10042 => CloudflareError::R2Off,
                10079 => CloudflareError::Migrated(why),
                10085 => CloudflareError::NoBucket(why),
                _ => continue,
            };
        }
        let why = reasons.first().map_or_else(
            || "no reason".to_owned(),
            |Reason { code, message }| self.shown(&format!("{message}, code {code}")),
        );
        CloudflareError::Other { status, why }
    }

    /// What Cloudflare wrote, as one line, and without the token.
    fn shown(&self, written: &str) -> String {
        let written = written.replace(self.token.expose_secret(), "***");
        text::one_line(&written, text::LONGEST_LINE)
    }
}

/// `None` for what is not there.
fn there<T>(answer: Result<T, CloudflareError>) -> Result<Option<T>, CloudflareError> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(CloudflareError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_changes_a_path_is_a_name() {
        for text in ["", "..", "a/b", "a?b", "a#b", "-a", "a-", "A", "ä", "a b", "%2e"] {
            assert!(text.parse::<Label>().is_err(), "{text}");
            assert!(format!("{text}.example").parse::<HostName>().is_err(), "{text}");
            assert!(text.parse::<AccountId>().is_err(), "{text}");
        }
        assert!("light-2".parse::<Label>().is_ok());
        assert!("light.example.org".parse::<HostName>().is_ok());
        assert!("localhost".parse::<HostName>().is_err());
        assert!("0123456789abcdef0123456789abcdef".parse::<AccountId>().is_ok());
    }
}
