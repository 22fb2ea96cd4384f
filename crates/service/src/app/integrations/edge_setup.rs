//! The set-up of the Worker from the window: one task at a time, in the background, whose progress
//! can be followed.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use secrecy::SecretString;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::cloudflare::{Cloudflare, Label};
use super::edge_deploy::{self, DeployError, Step, VERSION, Wish, own_domain};
use super::edge_record::{EdgeRecord, WorkerRecord};
use crate::app::tokens::secret_store::{Secret, SecretStore};
use crate::edge::window::{
    DeployedWorker, EdgeRequest, EdgeSetup as Glance, EdgeStep, EdgeTask, EdgeWork,
};
use crate::error::message::Message;
use crate::http::client_tls::cause_of;
use crate::service::Service;
use crate::settings::edit::Change;
use crate::settings::sections::StorageKind;
use crate::settings::store::SettingsStore;
use crate::state::{State, StateReader};
use crate::text::address::WebAddress;

/// The Worker's name where none was deployed from here.
const NAME: &str = "light";
/// How long an address is probed: the window does not wait, and shows why it takes so long.
const PROBED: Duration = Duration::from_secs(24 * 60 * 60);

/// The set-up of the Worker.
pub struct EdgeSetup(Arc<Parts>);

struct Parts {
    work: State<EdgeWork>,
    /// As last read from the file.
    record: Mutex<EdgeRecord>,
    settings: Arc<SettingsStore>,
    service: Service,
    secrets: SecretStore,
    folder: PathBuf,
    /// Commands of the window come on a thread without one.
    runtime: Handle,
    /// Ends with the process.
    stop: CancellationToken,
    /// Ends the task that waits for its address.
    cancel: Mutex<CancellationToken>,
}

/// What the owner is asked.
pub enum Question {
    /// Whether pictures and presence are kept at this address.
    SetUp(String),
    /// Whether the Worker at this address is deleted.
    Remove(String),
}

/// What came of it.
struct Done {
    url: String,
    note: Option<Message>,
}

/// Why nothing was done.
struct Failure {
    why: Message,
    accounts: Vec<(String, String)>,
}

impl From<Message> for Failure {
    fn from(why: Message) -> Self {
        Self {
            why,
            accounts: Vec::new(),
        }
    }
}

impl From<DeployError> for Failure {
    fn from(error: DeployError) -> Self {
        let why = Message::from(&error);
        let accounts = match error {
            DeployError::Accounts(accounts) => accounts,
            _ => Vec::new(),
        };
        let accounts = accounts.into_iter();
        let accounts = accounts.map(|(id, name)| (id.to_string(), name)).collect();
        Self { why, accounts }
    }
}

impl EdgeSetup {
    /// Must be called on a tokio runtime.
    pub fn new(
        settings: Arc<SettingsStore>,
        service: Service,
        secrets: SecretStore,
        folder: PathBuf,
        stop: CancellationToken,
    ) -> Self {
        Self(Arc::new(Parts {
            work: State::new(EdgeWork::Idle),
            record: Mutex::new(EdgeRecord::of(&folder)),
            settings,
            service,
            secrets,
            folder,
            runtime: Handle::current(),
            stop,
            cancel: Mutex::default(),
        }))
    }

    /// What is being done.
    pub fn work(&self) -> StateReader<EdgeWork> {
        self.0.work.reader()
    }

    pub fn glance(&self) -> Glance {
        // `porchlight edge deploy` may have written it.
        let record = EdgeRecord::of(&self.0.folder);
        *self.0.record.lock() = record;
        let deployed = self.0.worker().map(|worker| DeployedWorker {
            newer: worker.is_older().then(|| VERSION.to_owned()),
            later: worker.is_put_off(),
            name: worker.name,
            version: worker.version,
        });
        Glance {
            work: self.0.work.get(),
            token_kept: self.0.record.lock().token_kept,
            deployed,
        }
    }

    /// Whether the Worker is older than this Porchlight, and the owner did not put that off.
    pub fn is_outdated(&self) -> bool {
        let worker = self.0.worker();
        worker.is_some_and(|worker| worker.is_older() && !worker.is_put_off())
    }

    /// Puts the update to this version off.
    pub fn put_off(&self) {
        self.0.change_record(|record| {
            if let Some(worker) = &mut record.worker {
                worker.later = Some(VERSION.to_owned());
            }
        });
    }

    /// Removes the token from the keyring.
    pub async fn forget_token(&self) {
        self.0.secrets.remove_from_keyring(Secret::Cloudflare).await;
        self.0.change_record(|record| record.token_kept = false);
    }

    /// Starts a task; `approve` asks the owner what the page may not decide.
    ///
    /// # Errors
    /// While another one is under way.
    pub fn start<F, A>(&self, request: EdgeRequest, approve: A) -> Result<(), Message>
    where
        A: FnOnce(Question) -> F + Send + 'static,
        F: Future<Output = bool> + Send + 'static,
    {
        let task = request.task;
        let parts = Arc::clone(&self.0);
        let started = parts.work.update(|work| {
            let is_free = !matches!(work, EdgeWork::Running { .. });
            if is_free {
                *work = running(task, EdgeStep::Verify);
            }
            is_free
        });
        if !started {
            return Err(Message::Busy);
        }
        let cancel = parts.stop.child_token();
        *parts.cancel.lock() = cancel.clone();
        self.0.runtime.spawn(async move {
            let result = cancel
                .run_until_cancelled(parts.run(request, approve))
                .await;
            let Some(result) = result else {
                return parts.work.set(EdgeWork::Idle);
            };
            let step = parts.work.with(|work| match work {
                EdgeWork::Running { step, .. } => *step,
                _ => EdgeStep::Verify,
            });
            parts.work.set(match result {
                Ok(Done { url, note }) => EdgeWork::Done { task, url, note },
                Err(Failure { why, accounts }) => EdgeWork::Failed {
                    task,
                    step,
                    why,
                    accounts,
                },
            });
        });
        Ok(())
    }

    /// Ends a task that waits for its address; other steps are not cut off.
    pub fn cancel(&self) {
        let waits = self.0.work.with(|work| {
            let step = EdgeStep::Wait;
            matches!(work, EdgeWork::Running { step: at, .. } if *at == step)
        });
        if waits {
            self.0.cancel.lock().cancel();
        }
    }
}

impl Parts {
    async fn run<F, A>(&self, request: EdgeRequest, approve: A) -> Result<Done, Failure>
    where
        A: FnOnce(Question) -> F + Send,
        F: Future<Output = bool> + Send,
    {
        let task = request.task;
        let worker = self.worker();
        let token = self.token(&request).await?;
        let wish = self.wish(&request, worker.as_ref())?;
        let settings = self.settings.current();
        let api = Cloudflare::new(&settings.edge.cloudflare_url, token.clone());
        let api = api.map_err(|error| {
            crate::detail!("HTTPS cannot be used here: {why}", why = cause_of(&error))
        })?;
        let progress = |step| self.show(task, step);
        let plan = edge_deploy::plan(&api, &wish, &progress).await?;
        let note = self.keep_token(&request, &token).await;
        if task == EdgeTask::Remove {
            let url = settings.edge.url.as_ref().map(ToString::to_string);
            let url = url.unwrap_or_default();
            self.holds_no_pictures().await?;
            if !approve(Question::Remove(url.clone())).await {
                return Err(Message::Declined.into());
            }
            // One may have come meanwhile.
            self.holds_no_pictures().await?;
            plan.remove(&api, &wish).await?;
            self.change_record(|record| record.worker = None);
            self.forget_in_settings().await?;
            return Ok(Done { url, note });
        }
        let url = plan.url.as_ref().ok_or(DeployError::NeedsSubdomain)?;
        let url = url.to_string();
        let is_known = settings.edge.url.as_ref().map(WebAddress::as_str) == Some(url.as_str());
        if !is_known && !approve(Question::SetUp(url.clone())).await {
            return Err(Message::Declined.into());
        }
        let layers = self.settings.layers();
        edge_deploy::deploy(&api, &wish, &plan, layers, &progress).await?;
        let worker = WorkerRecord::new(&wish.name, &plan.account, &url);
        self.change_record(|record| record.worker = Some(worker));
        self.settings.reload().await;
        Ok(Done { url, note })
    }

    /// The Worker that was deployed from here, where the settings still name it.
    fn worker(&self) -> Option<WorkerRecord> {
        let settings = self.settings.current();
        let url = settings.edge.url.as_ref()?;
        let worker = self.record.lock().worker.clone();
        worker.filter(|worker| worker.url == url.as_str())
    }

    /// Fails where images are kept by the Worker alone.
    async fn holds_no_pictures(&self) -> Result<(), Message> {
        match self.service.images().count_in(StorageKind::Edge).await? {
            0 => Ok(()),
            count => Err(Message::EdgeHoldsPictures {
                count: count.into(),
            }),
        }
    }

    /// The token of the request, or that of the keyring.
    async fn token(&self, request: &EdgeRequest) -> Result<SecretString, Message> {
        let given = request.token.trim();
        if !given.is_empty() {
            return Ok(given.into());
        }
        let is_kept = self.record.lock().token_kept;
        if is_kept && let Some(token) = self.secrets.in_keyring(Secret::Cloudflare).await {
            return Ok(token);
        }
        self.change_record(|record| record.token_kept = false);
        Err(crate::detail!("there is no token: paste one"))
    }

    /// Keeps a token that is valid, where that is wanted; what went wrong.
    async fn keep_token(&self, request: &EdgeRequest, token: &SecretString) -> Option<Message> {
        if !request.keep_token || request.token.trim().is_empty() {
            return None;
        }
        let token_kept = self.secrets.put_in_keyring(Secret::Cloudflare, token).await;
        self.change_record(|record| record.token_kept = token_kept);
        (!token_kept).then_some(crate::detail!(
            "the keyring did not take the token, so it is forgotten"
        ))
    }

    fn wish(&self, request: &EdgeRequest, known: Option<&WorkerRecord>) -> Result<Wish, Message> {
        let label = |text: &str| match text.trim() {
            "" => Ok(None),
            text => text.parse::<Label>().map(Some),
        };
        let name = known.map_or(NAME, |worker| &worker.name);
        let account = label(&request.account)?;
        let account = match known {
            Some(worker) if account.is_none() => label(&worker.account)?,
            _ => account,
        };
        let domain = match request.domain.trim() {
            "" => own_domain(&self.settings.current()),
            host => Some(edge_deploy::domain(host)?),
        };
        Ok(Wish {
            name: name.parse()?,
            account,
            subdomain: label(&request.subdomain)?,
            domain,
            r2: request.r2,
            wait: Some(PROBED),
            new_key: request.task == EdgeTask::NewKey,
            must_exist: request.task != EdgeTask::SetUp,
        })
    }

    /// Takes the Worker out of the settings; new pictures go to the disk again.
    async fn forget_in_settings(&self) -> Result<(), Message> {
        let mut changes: Vec<Change> = vec![("edge.url", None), ("edge.secret", None)];
        if self.settings.current().storage.kind == StorageKind::Edge {
            changes.push(("storage.kind", None));
        }
        self.settings.update(&changes).await?;
        Ok(())
    }

    fn show(&self, task: EdgeTask, step: Step) {
        self.work.update(|work| {
            let at = match step {
                Step::Verify => EdgeStep::Verify,
                Step::Account => EdgeStep::Account,
                Step::Subdomain => EdgeStep::Subdomain,
                Step::Bucket => EdgeStep::Bucket,
                Step::Upload => EdgeStep::Upload,
                Step::Address => EdgeStep::Address,
                Step::Settings => EdgeStep::Settings,
                Step::Wait(address) => {
                    *work = EdgeWork::Running {
                        task,
                        step: EdgeStep::Wait,
                        url: Some(address.to_string()),
                        why: None,
                    };
                    return;
                }
                Step::NotYet(reason) => {
                    if let EdgeWork::Running { why, .. } = work {
                        *why = Some(reason);
                    }
                    return;
                }
            };
            *work = running(task, at);
        });
    }

    fn change_record(&self, change: impl FnOnce(&mut EdgeRecord)) {
        let mut record = self.record.lock();
        EdgeRecord::change(&self.folder, change);
        *record = EdgeRecord::of(&self.folder);
    }
}

fn running(task: EdgeTask, step: EdgeStep) -> EdgeWork {
    EdgeWork::Running {
        task,
        step,
        url: None,
        why: None,
    }
}

#[cfg(test)]
mod tests;
