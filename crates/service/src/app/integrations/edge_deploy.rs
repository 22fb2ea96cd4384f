//! Sets up the Worker at Cloudflare with a token: plans with calls that only read, then does it, and
//! changes the settings once the Worker's address has proved itself.

use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::cloudflare::{Cloudflare, CloudflareError, Deployed, Label, MARK};
use super::edge::{self, EdgeError};
use crate::error::message::Message;
use crate::files::private_file;
use crate::settings::Settings;
use crate::settings::edit::{self, Change};
use crate::settings::layers::Layers;
use crate::settings::sections::StorageKind;
use crate::storage::prove_edge;
use crate::text::address::WebAddress;

/// The version of the Worker.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What a deploy changes.
const CHANGED: [&str; 3] = ["edge.url", "edge.secret", "storage.kind"];
/// The file beside the settings that has the key which a Worker was given, until the settings have it.
const PENDING: &str = "edge-key.json";
/// As in `edge/wrangler.toml`.
const COMPATIBILITY_DATE: &str = "2025-01-01";
const BUCKET: &str = "porchlight";
/// How long a new address may take where somebody waits: a new name needs minutes in DNS.
pub const PROVED_WITHIN: Duration = Duration::from_secs(600);
/// The pause between two proofs.
const PAUSE: Duration = Duration::from_secs(2);
/// The most accounts that an error names.
const MOST_NAMED: usize = 10;

/// What to deploy, and how.
#[derive(Debug)]
pub struct Wish {
    pub name: Label,
    /// The account's id.
    pub account: Option<Label>,
    /// The account's name at workers.dev, where it has none yet.
    pub subdomain: Option<Label>,
    /// The address, instead of one below workers.dev.
    pub domain: Option<WebAddress>,
    /// Whether images go to R2.
    pub r2: bool,
    /// How long the settings wait until the address has proved itself; `None`: not at all.
    pub wait: Option<Duration>,
    /// Whether a new key replaces the one that the Worker has.
    pub new_key: bool,
    /// Whether the Worker must be there.
    pub must_exist: bool,
}

/// What is being done, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Verify,
    Account,
    Subdomain,
    Bucket,
    Upload,
    Address,
    Wait(WebAddress),
    /// The address has not proved itself yet; it is probed again.
    NotYet(Message),
    Settings,
}

/// Called with each step.
pub type Progress<'a> = &'a (dyn Fn(Step) + Send + Sync);

#[derive(Debug, thiserror::Error)]
#[error("{}", Message::from(self))]
pub enum DeployError {
    #[error(transparent)]
    Cloudflare(#[from] CloudflareError),
    #[error(transparent)]
    Settings(#[from] EdgeError),
    /// The token lists none.
    NoAccount,
    /// The token is for several: their ids and names.
    Accounts(Vec<(Label, String)>),
    NeedsSubdomain,
    /// A Worker that Porchlight did not deploy.
    Foreign(Label),
    /// A Worker whose key is not in the settings.
    OfAnother(Label),
    /// Images are kept by the Worker there, and a new one would not have them.
    Elsewhere(WebAddress),
    Missing(Label),
    NotProved {
        url: WebAddress,
        why: Message,
    },
}

impl From<&DeployError> for Message {
    fn from(error: &DeployError) -> Self {
        let name = |label: &Label| label.to_string();
        match error {
            DeployError::Cloudflare(error) => error.into(),
            DeployError::Settings(error) => error.into(),
            DeployError::NoAccount => Self::EdgeNoAccount,
            DeployError::Accounts(accounts) => {
                let named = accounts.iter().take(MOST_NAMED);
                let named: Vec<_> = named.map(|(id, name)| format!("{id} ({name})")).collect();
                let accounts = named.join(", ").into();
                Self::EdgeAccounts { accounts }
            }
            DeployError::NeedsSubdomain => Self::EdgeNeedsSubdomain,
            DeployError::Foreign(label) => crate::detail!(
                "the account has a Worker {name} that Porchlight did not deploy; it was left alone: choose another name (--name), or rename or delete it in Cloudflare’s dashboard",
                name = name(label)
            ),
            DeployError::OfAnother(label) => crate::detail!(
                "the account has a Worker {name}, and there is no key for it here: it belongs to another Porchlight. Copy `edge.secret` from there to use the same one, or choose another name (--name)",
                name = name(label)
            ),
            DeployError::Elsewhere(url) => crate::detail!(
                "pictures are kept by the Worker at {url}, and a new one would not have them: move them to this disk first (`porchlight storage move --to disk`)",
                url = url.as_str()
            ),
            DeployError::Missing(label) => {
                crate::detail!("the account has no Worker {name}", name = name(label))
            }
            DeployError::NotProved { url, why } => crate::detail!(
                "the Worker is deployed, but {url} has not proved itself: {why}. The settings are as they were: set it up again later (`porchlight edge deploy`)",
                url = url.as_str(),
                why = why.clone()
            ),
        }
    }
}

/// What a deploy would do.
#[derive(Debug)]
pub struct Plan {
    pub account: Label,
    /// Where the Worker will be; `None` until a name at workers.dev is chosen.
    pub url: Option<WebAddress>,
    /// The name at workers.dev that the account takes.
    pub new_subdomain: Option<Label>,
    /// The Worker that is updated.
    pub before: Option<Deployed>,
    /// The bucket that is bound.
    pub bucket: Option<String>,
    /// Whether that is made.
    pub makes_bucket: bool,
}

impl Plan {
    /// What this will have done, for scripts.
    pub fn outcome(&self) -> Value {
        let store = if self.bucket.is_some() {
            "r2"
        } else {
            "durable-object"
        };
        json!({ "url": self.url, "store": store, "updated": self.before.is_some() })
    }

    /// Takes this name at workers.dev for the account, which has none yet.
    ///
    /// # Errors
    /// When it cannot be taken.
    pub async fn choose(
        &mut self,
        api: &Cloudflare,
        wish: &Wish,
        subdomain: Label,
    ) -> Result<(), DeployError> {
        api.can_take(&self.account, &subdomain).await?;
        self.url = Some(at_workers_dev(&wish.name, &subdomain));
        self.new_subdomain = Some(subdomain);
        Ok(())
    }

    /// Deletes the Worker with all that its store has.
    ///
    /// # Errors
    /// What Cloudflare answered instead.
    pub async fn remove(&self, api: &Cloudflare, wish: &Wish) -> Result<(), DeployError> {
        Ok(api.delete(&self.account, &wish.name).await?)
    }

    fn metadata(&self, secret: &SecretString, with_migration: bool) -> Value {
        let text = |name, text| json!({ "type": "plain_text", "name": name, "text": text });
        let mut bindings = vec![
            json!({ "type": "secret_text", "name": "EDGE_SECRET", "text": secret.expose_secret() }),
            text("CLIENT_IP_HEADER", "CF-Connecting-IP"),
            text(MARK, VERSION),
            json!({ "type": "durable_object_namespace", "name": "STORE", "class_name": "Store" }),
        ];
        if let Some(url) = &self.url {
            bindings.push(text("ADDRESS", url.as_str()));
        }
        if let Some(bucket) = &self.bucket {
            bindings.push(json!({ "type": "r2_bucket", "name": "BUCKET", "bucket_name": bucket }));
        }
        let others = self.before.iter().flat_map(|before| &before.others);
        bindings.extend(others.map(|name| json!({ "type": "inherit", "name": name })));
        let mut metadata = json!({
            "main_module": "worker.js",
            "compatibility_date": COMPATIBILITY_DATE,
            "bindings": bindings,
            "cache_options": { "enabled": true, "cross_version_cache": true },
        });
        if with_migration {
            metadata["migrations"] = json!({ "new_tag": "v1", "new_sqlite_classes": ["Store"] });
        }
        metadata
    }
}

/// Verifies the token and reads what is there; changes nothing.
///
/// # Errors
/// See [`DeployError`].
pub async fn plan(
    api: &Cloudflare,
    wish: &Wish,
    progress: Progress<'_>,
) -> Result<Plan, DeployError> {
    let account = account(api, wish.account.as_ref(), progress).await?;
    let before = api.worker(&account, &wish.name).await?;
    match &before {
        Some(Deployed { version: None, .. }) => {
            return Err(DeployError::Foreign(wish.name.clone()));
        }
        None if wish.must_exist => return Err(DeployError::Missing(wish.name.clone())),
        _ => {}
    }
    // Without its binding, what is in the bucket would be gone for readers.
    let bound = before.as_ref().and_then(|before| before.bucket.clone());
    let makes_bucket = wish.r2 && bound.is_none() && !api.has_bucket(&account, BUCKET).await?;
    let mut plan = Plan {
        account,
        url: wish.domain.clone(),
        new_subdomain: None,
        before,
        bucket: bound.or(wish.r2.then(|| BUCKET.to_owned())),
        makes_bucket,
    };
    if plan.url.is_none() {
        progress(Step::Subdomain);
        let there = api.subdomain(&plan.account).await?;
        match (there, &wish.subdomain) {
            (Some(there), _) => plan.url = Some(at_workers_dev(&wish.name, &there)),
            (None, Some(wanted)) => plan.choose(api, wish, wanted.clone()).await?,
            (None, None) => {}
        }
    }
    Ok(plan)
}

/// Deploys as planned.
///
/// # Errors
/// See [`DeployError`].
pub async fn deploy(
    api: &Cloudflare,
    wish: &Wish,
    plan: &Plan,
    layers: &Layers,
    progress: Progress<'_>,
) -> Result<(), DeployError> {
    let url = plan.url.as_ref().ok_or(DeployError::NeedsSubdomain)?;
    let text = layers.file_text().map_err(EdgeError::from)?;
    let reading = layers.read_with(&text).map_err(EdgeError::from)?;
    edge::must_be_of_the_file(&reading, &CHANGED)?;
    let settings = reading.settings;
    let pending = Pending::of(layers, plan, wish);
    // That of a deploy which did not end goes first: the Worker may have it already.
    let kept = pending.secret().or(settings.edge.secret.map(Into::into));
    if plan.before.is_some() && kept.is_none() {
        return Err(DeployError::OfAnother(wish.name.clone()));
    }
    if let Some(url) = settings.edge.url
        && plan.before.is_none()
        && settings.storage.kind == StorageKind::Edge
    {
        return Err(DeployError::Elsewhere(url));
    }
    let kept = kept.filter(|_| !wish.new_key);
    let secret = kept.unwrap_or_else(edge::new_key);
    let values = [url.as_str(), secret.expose_secret(), "edge"];
    let changes: [Change; 3] =
        std::array::from_fn(|place| (CHANGED[place], Some(values[place].into())));
    // Before anything is deployed, whether they can be made.
    let after = edit::changed(&text, &changes).map_err(EdgeError::from)?;
    layers.read_with(&after).map_err(EdgeError::from)?;

    if let Some(subdomain) = &plan.new_subdomain {
        api.take(&plan.account, subdomain).await?;
    }
    if plan.makes_bucket {
        progress(Step::Bucket);
        api.make_bucket(&plan.account, BUCKET).await?;
    }
    progress(Step::Upload);
    pending.write(&secret)?;
    let has_store = plan.before.as_ref().is_some_and(|before| before.has_store);
    let upload = async |with_migration| {
        let metadata = plan.metadata(&secret, with_migration);
        let (account, name) = (&plan.account, &wish.name);
        api.upload(account, name, (&metadata, &secret), edge::worker())
            .await
    };
    match upload(!has_store).await {
        Err(CloudflareError::Migrated(_)) if !has_store => upload(false).await?,
        uploaded => uploaded?,
    }
    progress(Step::Address);
    match &wish.domain {
        Some(domain) => api.attach(&plan.account, &wish.name, domain.host()).await?,
        None => api.enable_route(&plan.account, &wish.name).await?,
    }
    if let Some(wait) = wish.wait {
        proved(url, &secret, wait, progress).await?;
    }
    progress(Step::Settings);
    // Something else of it may have changed meanwhile.
    let text = layers.file_text().map_err(EdgeError::from)?;
    edge::write(layers, &text, &changes)?;
    pending.remove();
    Ok(())
}

/// The key that a Worker is given, from before it has it until the settings have it: whatever ends a
/// deploy in between, the next one can go on.
struct Pending {
    file: PathBuf,
    account: String,
    name: String,
}

impl Pending {
    fn of(layers: &Layers, plan: &Plan, wish: &Wish) -> Self {
        Self {
            file: layers.file.with_file_name(PENDING),
            account: plan.account.to_string(),
            name: wish.name.to_string(),
        }
    }

    /// The key that this Worker may have.
    fn secret(&self) -> Option<SecretString> {
        let text = std::fs::read(&self.file).ok()?;
        let found: Value = serde_json::from_slice(&text).ok()?;
        let is_of_it = found["account"] == self.account && found["name"] == self.name;
        Some(found["secret"].as_str().filter(|_| is_of_it)?.into())
    }

    fn write(&self, secret: &SecretString) -> Result<(), EdgeError> {
        let Self { account, name, .. } = self;
        let secret = secret.expose_secret();
        let content = json!({ "account": account, "name": name, "secret": secret });
        private_file::write(&self.file, &content.to_string())
            .map_err(|error| EdgeError::File(self.file.clone(), error))
    }

    /// Where that fails, the next deploy uses the key that the settings have, too.
    fn remove(&self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

/// The account's id, once the token is known to be valid for it.
async fn account(
    api: &Cloudflare,
    named: Option<&Label>,
    progress: Progress<'_>,
) -> Result<Label, DeployError> {
    progress(Step::Verify);
    // The token of an account is not valid at the address for those of users.
    let refusal = match api.verify(None).await {
        Ok(()) => None,
        Err(error @ CloudflareError::Token(_)) => Some(error),
        Err(error) => return Err(error.into()),
    };
    progress(Step::Account);
    let found = match named {
        Some(named) => vec![(named.clone(), String::new())],
        None => match api.accounts().await {
            Err(_) if refusal.is_some() => Vec::new(),
            found => found?,
        },
    };
    let [(account, _)] = found.as_slice() else {
        return Err(match refusal {
            Some(refusal) => refusal.into(),
            None if found.is_empty() => DeployError::NoAccount,
            None => DeployError::Accounts(found),
        });
    };
    if refusal.is_some() {
        api.verify(Some(account)).await?;
    }
    Ok(account.clone())
}

/// Probes the address until its answer shows that it has the key.
async fn proved(
    url: &WebAddress,
    secret: &SecretString,
    within: Duration,
    progress: Progress<'_>,
) -> Result<(), DeployError> {
    let until = Instant::now() + within;
    progress(Step::Wait(url.clone()));
    while let Err(why) = prove_edge(url, secret).await {
        if Instant::now() >= until {
            let url = url.clone();
            return Err(DeployError::NotProved { url, why });
        }
        progress(Step::NotYet(why));
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// The address of a host at a domain of the owner.
///
/// # Errors
/// When it is no host name.
pub fn domain(host: &str) -> Result<WebAddress, Message> {
    let url = format!("https://{host}").parse::<WebAddress>();
    let url = url
        .ok()
        .filter(|url| url.host() == host && host.contains('.'));
    url.ok_or(crate::detail!(
        "{host} is not a host name such as light.example.org"
    ))
}

/// The address that the Worker has, unless it is at workers.dev: an update keeps it.
pub fn own_domain(settings: &Settings) -> Option<WebAddress> {
    let url = settings.edge.url.clone();
    let url = url.filter(|_| settings.storage.kind == StorageKind::Edge);
    url.filter(|url| !url.host().ends_with(".workers.dev"))
}

fn at_workers_dev(name: &Label, subdomain: &Label) -> WebAddress {
    let url = format!("https://{name}.{subdomain}.workers.dev");
    url.parse().expect("labels make an address")
}

/// A name at workers.dev for a script without one: never derived from the owner or the machine.
pub fn random_subdomain() -> Label {
    let letters = rand::random::<[u8; 6]>();
    let letters: String = letters
        .iter()
        .map(|byte| char::from(b'a' + byte % 26))
        .collect();
    format!("light-{letters}").parse().expect("it is a label")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_is_that_of_the_file_for_wrangler() {
        let wrangler = include_str!("../../../../../edge/wrangler.toml");
        let line = format!("compatibility_date = \"{COMPATIBILITY_DATE}\"");
        assert!(wrangler.contains(&line));
    }

    #[test]
    fn every_binding_is_there_and_a_migration_only_at_the_first_upload() {
        let plan = Plan {
            account: "0123456789abcdef0123456789abcdef".parse().expect("an id"),
            url: None,
            new_subdomain: None,
            before: Some(Deployed {
                others: vec!["ORIGIN".to_owned()],
                ..Deployed::default()
            }),
            bucket: Some(BUCKET.to_owned()),
            makes_bucket: false,
        };
        let first = plan.metadata(&"hush".into(), true);
        let bindings = first["bindings"].as_array().expect("bindings");
        let names: Vec<_> = bindings
            .iter()
            .filter_map(|one| one["name"].as_str())
            .collect();
        let expected = [
            "EDGE_SECRET",
            "CLIENT_IP_HEADER",
            MARK,
            "STORE",
            "BUCKET",
            "ORIGIN",
        ];
        assert_eq!(names, expected);
        assert_eq!(bindings[5]["type"], "inherit");
        // What it answers says what may be kept, and a deletion purges that.
        assert_eq!(first["cache_options"]["enabled"], true);
        assert_eq!(first["migrations"]["new_sqlite_classes"], json!(["Store"]));
        let later = plan.metadata(&"hush".into(), false);
        assert_eq!(later.get("migrations"), None);
    }
}
