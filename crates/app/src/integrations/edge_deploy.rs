//! Sets up the Worker at Cloudflare with a token: plans with calls that only read, then does it, and
//! changes the settings once the Worker's address has proved itself.

use std::time::Duration;

use porchlight_api::{Message, WebAddress, text};
use porchlight_core::prove_edge;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::cloudflare::{AccountId, Cloudflare, CloudflareError, Deployed, HostName, Label, MARK};
use super::edge::{self, EdgeError, WORKER};
use crate::settings::edit::{self, Change};
use crate::settings::layers::Layers;

/// The version of the Worker.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// As in `edge/wrangler.toml`.
const COMPATIBILITY_DATE: &str = "2025-01-01";
const BUCKET: &str = "porchlight";
/// How long a new address may take: a new name needs minutes in DNS.
const PROVED_WITHIN: Duration = Duration::from_secs(600);
/// The pause between two proofs.
const PAUSE: Duration = Duration::from_secs(2);
/// The most accounts that an error names.
const MOST_NAMED: usize = 10;

/// What to deploy.
#[derive(Debug)]
pub struct Wish {
    pub name: Label,
    pub account: Option<AccountId>,
    /// The account's name at workers.dev, where it has none yet.
    pub subdomain: Option<Label>,
    /// The address, instead of one below workers.dev.
    pub domain: Option<HostName>,
    /// Whether images go to R2.
    pub r2: bool,
}

/// What is being done, in this order; the window can show it, too.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Step {
    Verify,
    Account,
    Subdomain,
    Bucket,
    Upload,
    Address,
    Wait { url: WebAddress },
    /// The address has not proved itself yet; it is probed again.
    NotYet { why: Message },
    Settings,
}

/// Called with each step.
pub type Progress<'a> = &'a (dyn Fn(Step) + Send + Sync);

#[derive(Debug, thiserror::Error)]
pub enum DeployError {
    #[error(transparent)]
    Cloudflare(#[from] CloudflareError),
    #[error(transparent)]
    Settings(#[from] EdgeError),
    #[error(
        "the token lists no account: find the account's id in the address of Cloudflare's \
         dashboard, and name it with --account"
    )]
    NoAccount,
    #[error("the token is for several accounts: choose one with --account: {0}")]
    Accounts(String),
    #[error("the account has no name at workers.dev yet: choose one with --subdomain")]
    NeedsSubdomain,
    #[error(
        "the account has a Worker {0} that Porchlight did not deploy; it was left alone: choose \
         another name with --name"
    )]
    Foreign(Label),
    #[error("the account has no Worker {0}")]
    Missing(Label),
    #[error(
        "the Worker is deployed, but {url} has not proved itself: {why}. The settings are as they \
         were: run this again later"
    )]
    NotProved { url: WebAddress, why: Message },
}

/// What a deploy would do.
#[derive(Debug)]
pub struct Plan {
    account: AccountId,
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

/// What a deploy has done, for scripts.
#[derive(Debug, Serialize)]
pub struct Done {
    pub url: Option<WebAddress>,
    pub store: &'static str,
    pub updated: bool,
}

impl Plan {
    /// What this will have done.
    pub fn outcome(&self) -> Done {
        Done {
            url: self.url.clone(),
            store: match self.bucket {
                Some(_) => "r2",
                None => "durable-object",
            },
            updated: self.before.is_some(),
        }
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
        self.url = Some(address_of(&format!("{}.{subdomain}.workers.dev", wish.name)));
        self.new_subdomain = Some(subdomain);
        Ok(())
    }

    fn metadata(&self, secret: &SecretString, prefix: &str, with_migration: bool) -> Value {
        let text = |name, text| json!({ "type": "plain_text", "name": name, "text": text });
        let mut bindings = vec![
            json!({ "type": "secret_text", "name": "EDGE_SECRET", "text": secret.expose_secret() }),
            text("PREFIX", prefix),
            text("CLIENT_IP_HEADER", "CF-Connecting-IP"),
            text(MARK, VERSION),
            json!({ "type": "durable_object_namespace", "name": "STORE", "class_name": "Store" }),
        ];
        if let Some(bucket) = &self.bucket {
            bindings.push(json!({ "type": "r2_bucket", "name": "BUCKET", "bucket_name": bucket }));
        }
        let mut metadata = json!({
            "main_module": "worker.js",
            "compatibility_date": COMPATIBILITY_DATE,
            "bindings": bindings,
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
    if before.as_ref().is_some_and(|before| before.version.is_none()) {
        return Err(DeployError::Foreign(wish.name.clone()));
    }
    // Without its binding, what is in the bucket would be gone for readers.
    let bound = before.as_ref().and_then(|before| before.bucket.clone());
    let makes_bucket = wish.r2 && bound.is_none() && !api.has_bucket(&account, BUCKET).await?;
    let mut plan = Plan {
        account,
        url: None,
        new_subdomain: None,
        before,
        bucket: bound.or(wish.r2.then(|| BUCKET.to_owned())),
        makes_bucket,
    };
    if let Some(domain) = &wish.domain {
        plan.url = Some(address_of(&domain.to_string()));
        return Ok(plan);
    }
    progress(Step::Subdomain);
    match (api.subdomain(&plan.account).await?, &wish.subdomain) {
        (Some(there), _) => {
            plan.url = Some(address_of(&format!("{}.{there}.workers.dev", wish.name)));
        }
        (None, Some(wanted)) => plan.choose(api, wish, wanted.clone()).await?,
        (None, None) => {}
    }
    Ok(plan)
}

/// Deploys as planned. The settings change once the address has proved itself, or at once where
/// that is not waited for; `new_key` replaces the one that the Worker has.
///
/// # Errors
/// See [`DeployError`].
pub async fn deploy(
    api: &Cloudflare,
    wish: &Wish,
    plan: &Plan,
    layers: &Layers,
    how: How,
    progress: Progress<'_>,
) -> Result<(), DeployError> {
    let url = plan.url.clone().ok_or(DeployError::NeedsSubdomain)?;
    let text = layers.file_text().map_err(EdgeError::from)?;
    let settings = layers.read_with(&text).map_err(EdgeError::from)?.settings;
    let kept = settings.edge.secret.filter(|_| !how.new_key);
    let secret = kept.unwrap_or_else(edge::new_key);
    let changes: [Change; 3] = [
        ("edge.url", Some(url.as_str().into())),
        ("edge.secret", Some(secret.expose_secret().into())),
        ("storage.kind", Some("edge".into())),
    ];
    // Before anything is deployed, whether they can be made.
    let after = edit::changed(&text, &changes).map_err(EdgeError::from)?;
    layers.read_with(&after).map_err(EdgeError::from)?;

    if let Some(subdomain) = &plan.new_subdomain {
        progress(Step::Subdomain);
        api.take(&plan.account, subdomain).await?;
    }
    if plan.makes_bucket {
        progress(Step::Bucket);
        api.make_bucket(&plan.account, BUCKET).await?;
    }
    progress(Step::Upload);
    let has_store = plan.before.as_ref().is_some_and(|before| before.has_store);
    let upload = async |with_migration| {
        let metadata = plan.metadata(&secret, &settings.publish.prefix, with_migration);
        api.upload(&plan.account, &wish.name, &metadata, WORKER).await
    };
    match upload(!has_store).await {
        Err(CloudflareError::Migrated(_)) if !has_store => upload(false).await?,
        uploaded => uploaded?,
    }
    progress(Step::Address);
    match &wish.domain {
        Some(domain) => api.attach(&plan.account, &wish.name, domain).await?,
        None => api.enable_route(&plan.account, &wish.name).await?,
    }
    if how.wait {
        proved(&url, &secret, progress).await?;
    }
    progress(Step::Settings);
    // Something else of it may have changed meanwhile.
    let text = layers.file_text().map_err(EdgeError::from)?;
    edge::write(layers, &text, &changes)?;
    Ok(())
}

/// How to deploy.
#[derive(Debug, Clone, Copy)]
pub struct How {
    pub wait: bool,
    pub new_key: bool,
}

/// Makes a new key in the settings alone.
///
/// # Errors
/// When it cannot be written.
pub fn renew_key(layers: &Layers) -> Result<(), EdgeError> {
    let key = edge::new_key();
    let text = layers.file_text()?;
    edge::write(layers, &text, &[("edge.secret", Some(key.expose_secret().into()))])
}

/// Deletes the Worker with all that its store has.
///
/// # Errors
/// See [`DeployError`]; a Worker that Porchlight did not deploy is left alone.
pub async fn remove(api: &Cloudflare, wish: &Wish, plan: &Plan) -> Result<(), DeployError> {
    if plan.before.is_none() {
        return Err(DeployError::Missing(wish.name.clone()));
    }
    Ok(api.delete(&plan.account, &wish.name).await?)
}

/// The account, once the token is known to be valid for it.
async fn account(
    api: &Cloudflare,
    named: Option<&AccountId>,
    progress: Progress<'_>,
) -> Result<AccountId, DeployError> {
    progress(Step::Verify);
    // The token of an account is not valid at the address for those of users.
    let refusal = match api.verify(None).await {
        Ok(()) => None,
        Err(error @ CloudflareError::Token(_)) => Some(error),
        Err(error) => return Err(error.into()),
    };
    progress(Step::Account);
    let account = match (named, refusal) {
        (Some(named), refusal) => {
            if refusal.is_some() {
                api.verify(Some(named)).await?;
            }
            return Ok(named.clone());
        }
        (None, Some(refusal)) => match api.accounts().await {
            Ok(found) if found.len() == 1 => {
                api.verify(Some(&found[0].id)).await?;
                found
            }
            Err(error @ CloudflareError::Unreachable(_)) => return Err(error.into()),
            _ => return Err(refusal.into()),
        },
        (None, None) => api.accounts().await?,
    };
    match account.as_slice() {
        [] => Err(DeployError::NoAccount),
        [one] => Ok(one.id.clone()),
        several => {
            let named = several.iter().take(MOST_NAMED);
            let named = named.map(|one| {
                let name = text::one_line(&one.name, text::LONGEST_LINE);
                format!("{} ({name})", one.id)
            });
            Err(DeployError::Accounts(named.collect::<Vec<_>>().join(", ")))
        }
    }
}

/// Probes the address until its answer shows that it has the key.
async fn proved(
    url: &WebAddress,
    secret: &SecretString,
    progress: Progress<'_>,
) -> Result<(), DeployError> {
    let until = Instant::now() + PROVED_WITHIN;
    progress(Step::Wait { url: url.clone() });
    loop {
        let Err(why) = prove_edge(url, secret).await else {
            return Ok(());
        };
        if Instant::now() >= until {
            let url = url.clone();
            return Err(DeployError::NotProved { url, why });
        }
        progress(Step::NotYet { why });
        tokio::time::sleep(PAUSE).await;
    }
}

/// A name at workers.dev for a script without one: never derived from the owner or the machine.
pub fn random_subdomain() -> Label {
    let letters = rand::random::<[u8; 6]>();
    let letters: String = letters.iter().map(|byte| char::from(b'a' + byte % 26)).collect();
    let name = format!("light-{letters}");
    name.parse().expect("it is a name")
}

/// The address of a checked host name.
fn address_of(host: &str) -> WebAddress {
    let url = format!("https://{host}");
    url.parse().expect("a host name makes an address")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_is_that_of_the_file_for_wrangler() {
        let wrangler = include_str!("../../../../edge/wrangler.toml");
        let line = format!("compatibility_date = \"{COMPATIBILITY_DATE}\"");
        assert!(wrangler.contains(&line));
    }

    #[test]
    fn every_binding_is_there_and_a_migration_only_at_the_first_upload() {
        let plan = Plan {
            account: "0123456789abcdef0123456789abcdef".parse().expect("an id"),
            url: None,
            new_subdomain: None,
            before: None,
            bucket: Some(BUCKET.to_owned()),
            makes_bucket: false,
        };
        let first = plan.metadata(&"hush".into(), "porchlight/", true);
        let bindings = first["bindings"].as_array().expect("bindings");
        let names: Vec<_> = bindings.iter().map(|one| &one["name"]).collect();
        let expected = ["EDGE_SECRET", "PREFIX", "CLIENT_IP_HEADER", MARK, "STORE", "BUCKET"];
        assert_eq!(names, expected);
        assert_eq!(first["migrations"]["new_sqlite_classes"], json!(["Store"]));
        let later = plan.metadata(&"hush".into(), "porchlight/", false);
        assert_eq!(later.get("migrations"), None);
    }
}
