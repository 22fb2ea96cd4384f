//! `porchlight edge`: the Worker that keeps the blog's address and answers while this machine is
//! off.

use parking_lot::Mutex;
use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use porchlight_service::app::integrations::cloudflare::{Cloudflare, Label};
use porchlight_service::app::integrations::edge::{self, DEPLOY};
use porchlight_service::app::integrations::edge_deploy::{
    self, PROVED_WITHIN, Plan, Step, Wish, own_domain,
};
use porchlight_service::app::integrations::edge_record::{EdgeRecord, WorkerRecord};
use porchlight_service::error::message::Message;
use porchlight_service::files::data_dir;
use porchlight_service::settings::layers::Layers;
use porchlight_service::text::address::WebAddress;
use porchlight_service::upkeep::beside::take_over_worker;
use secrecy::SecretString;

use super::printing::{print, print_json};
use super::{Invocation, UsageError};

/// The variable that holds the token.
const TOKEN: &str = "CLOUDFLARE_API_TOKEN";
/// The longest line that is read from standard input, in bytes.
const LONGEST: u64 = 4096;

/// What to do with the Worker.
#[derive(Subcommand)]
pub(super) enum Action {
    /// Write the Worker and its configuration, ready to be deployed
    Init(Options),
    /// Deploy the Worker at Cloudflare, or update it; the API token is read from
    /// CLOUDFLARE_API_TOKEN, or from standard input
    Deploy(DeployOptions),
    /// Delete the Worker at Cloudflare with all that it stores
    Remove(RemoveOptions),
    /// Replace another Porchlight at the Worker, also while the service runs
    TakeOver,
    /// Make a new key for Worker and service; with CLOUDFLARE_API_TOKEN also at Cloudflare
    NewKey(Which),
}

/// Where to, and with which settings.
#[derive(Args)]
pub(super) struct Options {
    /// The folder for the files; it is made where it is missing
    folder: PathBuf,
}

/// Which Worker.
#[derive(Args)]
pub(super) struct Which {
    /// The Worker's name
    #[arg(long, default_value = "light")]
    name: Label,

    /// The id of the account, where the token does not say it
    #[arg(long, value_name = "ID")]
    account: Option<Label>,
}

#[derive(Args)]
pub(super) struct DeployOptions {
    #[command(flatten)]
    which: Which,

    /// The address, below a domain of the account, instead of one below workers.dev
    #[arg(long, value_name = "HOST", value_parser = edge_deploy::domain)]
    domain: Option<WebAddress>,

    /// The account's name at workers.dev, where it has none yet; it cannot be changed later
    #[arg(long, value_name = "NAME", conflicts_with = "domain")]
    subdomain: Option<Label>,

    /// Keep images in R2, Cloudflare's object store, which asks for a payment method
    #[arg(long)]
    r2: bool,

    /// Change the settings at once, without waiting until the address answers
    #[arg(long)]
    no_wait: bool,

    /// Verify the token and print what would be done; nothing is changed
    #[arg(long)]
    check: bool,

    /// The result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct RemoveOptions {
    #[command(flatten)]
    which: Which,

    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl Which {
    /// What is wished of a Worker that is there.
    fn wish(self) -> Wish {
        Wish {
            name: self.name,
            account: self.account,
            subdomain: None,
            domain: None,
            r2: false,
            wait: Some(PROVED_WITHIN),
            new_key: false,
            must_exist: true,
        }
    }
}

pub(super) async fn run(invocation: Invocation, action: Action) -> anyhow::Result<bool> {
    let folder = invocation.folder()?;
    if !matches!(&action, Action::Deploy(options) if options.check) {
        data_dir::make(&folder)?;
    }
    let layers = invocation.layers()?;
    match action {
        Action::Init(options) => init(&options, &layers)?,
        Action::Deploy(options) => deploy(options, &layers, &folder).await?,
        Action::Remove(options) => return remove(options, &layers, &folder).await,
        Action::NewKey(which) => new_key(which, &layers, &folder).await?,
        Action::TakeOver => {
            take_over_worker(&folder).await?;
            eprintln!(
                "This Porchlight tells the Worker what readers see: now where its service waits for \
                 that, otherwise from its next start on."
            );
        }
    }
    Ok(true)
}

fn init(options: &Options, layers: &Layers) -> anyhow::Result<()> {
    let done = edge::init(&options.folder, layers)?;
    let folder = options.folder.display();
    if done.made_key {
        eprintln!("A key was made; a running Porchlight uses it from its next start on.");
    }
    eprintln!(
        "Deploy the Worker in {folder} with this line, and set `edge.url` to its address. On your \
         own server, `workerd serve workerd.capnp` runs it; the proxy in front of it must set \
         X-Forwarded-Proto and X-Real-IP on every request."
    );
    print(DEPLOY)
}

async fn deploy(options: DeployOptions, layers: &Layers, folder: &Path) -> anyhow::Result<()> {
    let wish = Wish {
        domain: options.domain.or(own_domain(&layers.read()?.settings)),
        subdomain: options.subdomain,
        r2: options.r2,
        wait: (!options.no_wait).then_some(PROVED_WITHIN),
        must_exist: false,
        ..options.which.wish()
    };
    let api = client(layers, token()?)?;
    let steps = Steps::default();
    let progress = |step| steps.print(&step);
    let mut plan = edge_deploy::plan(&api, &wish, &progress).await?;
    if !options.check {
        if plan.url.is_none() {
            plan.choose(&api, &wish, subdomain()?).await?;
        }
        edge_deploy::deploy(&api, &wish, &plan, layers, &progress).await?;
        remember(folder, &wish, &plan);
    }
    if options.json {
        print_json(&plan.outcome())
    } else if options.check {
        print(&planned(&wish, &plan))
    } else {
        print(&deployed(&plan))
    }
}

/// What a deploy would do, in sentences.
fn planned(wish: &Wish, plan: &Plan) -> String {
    let mut text = "The token is valid. Nothing was changed. A deploy would:".to_owned();
    if let Some(name) = &plan.new_subdomain {
        text +=
            &format!("\n- take the name {name} at workers.dev, for the whole account and for good");
    }
    if plan.makes_bucket {
        text += "\n- make a bucket in R2";
    }
    let name = &wish.name;
    text += &match before(plan) {
        Some(version) => format!("\n- update the Worker {name}, version {version}; its data stays"),
        None => format!("\n- make the Worker {name}"),
    };
    text += &match &plan.url {
        Some(url) => format!(
            "\n- set `edge.url`, `edge.secret` and `storage.kind` = \"edge\", once {url} answers"
        ),
        None => "\n- need a name at workers.dev, which the account does not have yet: --subdomain"
            .to_owned(),
    };
    text
}

/// The version of the Worker that is updated.
fn before(plan: &Plan) -> Option<&str> {
    plan.before.as_ref()?.version.as_deref()
}

fn deployed(plan: &Plan) -> String {
    let url = plan.url.as_ref().map_or("", |url| url.as_str());
    let now = env!("CARGO_PKG_VERSION");
    let what = match before(plan) {
        Some(old) => format!("{url} is updated from version {old} to {now}; its data stays."),
        None => format!("{url} is deployed."),
    };
    format!(
        "{what}\nA running Porchlight stores new pictures there from its next start on. While it \
         does not run, `porchlight storage move --to edge` moves those that you have."
    )
}

async fn remove(options: RemoveOptions, layers: &Layers, folder: &Path) -> anyhow::Result<bool> {
    if !options.yes && token_of_environment().is_none() && !io::stdin().is_terminal() {
        let why = "standard input holds the token, so --yes is needed";
        return Err(UsageError(why.to_owned()).into());
    }
    let wish = options.which.wish();
    let api = client(layers, token()?)?;
    let steps = Steps::default();
    let plan = edge_deploy::plan(&api, &wish, &|step| steps.print(&step)).await?;
    let name = &wish.name;
    eprintln!(
        "The Worker {name} will be deleted with its store: all pictures that are kept there and \
         nowhere else, your status and the lists. Links to its address stop working. \
         What is in a bucket of R2 stays. `porchlight storage move --to disk` brings the pictures \
         back before."
    );
    if !options.yes && ask(&format!("Type {name} to delete it:"))? != name.to_string() {
        eprintln!("Nothing was deleted.");
        return Ok(false);
    }
    plan.remove(&api, &wish).await?;
    EdgeRecord::change(folder, |record| record.worker = None);
    print(&format!("The Worker {name} is deleted."))?;
    if layers.read()?.settings.edge.url.is_some() {
        print("Take `edge.url` out of the settings, and choose another `storage.kind`.")?;
    }
    Ok(true)
}

async fn new_key(which: Which, layers: &Layers, folder: &Path) -> anyhow::Result<()> {
    let Some(token) = token_of_environment() else {
        edge::renew_key(layers)?;
        return print(
            "`edge.secret` is new, and a running Porchlight uses it from its next start on. The \
             Worker still has the old one: replace its secret EDGE_SECRET. `porchlight edge init \
             DIR` writes the new one to secrets.json, for `npx wrangler secret bulk secrets.json`; \
             on your own server, give it to workerd as EDGE_SECRET.",
        );
    };
    let wish = Wish {
        domain: own_domain(&layers.read()?.settings),
        new_key: true,
        ..which.wish()
    };
    let api = client(layers, token)?;
    let steps = Steps::default();
    let progress = |step| steps.print(&step);
    let plan = edge_deploy::plan(&api, &wish, &progress).await?;
    edge_deploy::deploy(&api, &wish, &plan, layers, &progress).await?;
    remember(folder, &wish, &plan);
    print(
        "The Worker and `edge.secret` have a new key; a running Porchlight uses it from its next \
         start on.",
    )
}

/// Writes down what was deployed, for the window.
fn remember(folder: &Path, wish: &Wish, plan: &Plan) {
    let url = plan.url.as_ref().map_or("", WebAddress::as_str);
    let worker = WorkerRecord::new(&wish.name, &plan.account, url);
    EdgeRecord::change(folder, |record| record.worker = Some(worker));
}

fn client(layers: &Layers, token: SecretString) -> anyhow::Result<Cloudflare> {
    let settings = layers.read()?.settings;
    Ok(Cloudflare::new(&settings.edge.cloudflare_url, token)?)
}

fn token_of_environment() -> Option<SecretString> {
    let token = std::env::var(TOKEN).ok()?;
    let token = token.trim();
    (!token.is_empty()).then(|| token.into())
}

fn token() -> anyhow::Result<SecretString> {
    if let Some(token) = token_of_environment() {
        return Ok(token);
    }
    let token = ask("Cloudflare API token:")?;
    if token.is_empty() {
        let why = format!("no API token: set {TOKEN}, or write it to standard input");
        return Err(UsageError(why).into());
    }
    Ok(token.into())
}

/// The name at workers.dev that the owner chooses; a random one where nobody can be asked.
fn subdomain() -> anyhow::Result<Label> {
    if !io::stdin().is_terminal() {
        return Ok(edge_deploy::random_subdomain());
    }
    let name = ask(
        "The account needs a name at workers.dev. It is part of the address, holds for the whole \
         account, and stays. Name:",
    )?;
    let chosen: Result<Label, Message> = name.parse();
    chosen.map_err(|why| UsageError(why.to_string()).into())
}

/// One line of standard input; on a terminal the question is shown.
fn ask(question: &str) -> anyhow::Result<String> {
    if io::stdin().is_terminal() {
        eprint!("{question} ");
    }
    let mut line = String::new();
    io::stdin().lock().take(LONGEST).read_line(&mut line)?;
    Ok(line.trim().to_owned())
}

/// Prints each step on standard error, a repeated reason once.
#[derive(Default)]
struct Steps(Mutex<String>);

impl Steps {
    fn print(&self, step: &Step) {
        let text = match step {
            Step::Verify => "Verifying the token".to_owned(),
            Step::Account => "Finding the account".to_owned(),
            Step::Subdomain => "Finding the name at workers.dev".to_owned(),
            Step::Bucket => "Making the bucket".to_owned(),
            Step::Upload => "Uploading the Worker".to_owned(),
            Step::Address => "Switching its address on".to_owned(),
            Step::Wait(url) => format!("Waiting for {url}; a new name can take minutes"),
            Step::NotYet(why) => format!("Not yet: {why}"),
            Step::Settings => "Changing the settings".to_owned(),
        };
        let mut last = self.0.lock();
        if *last != text {
            eprintln!("{text}");
            *last = text;
        }
    }
}
