//! `porchlight restore`: brings a backup back to an empty data folder.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;

use clap::Args;
use porchlight_app::data_dir;
use porchlight_app::file_mode::ForItsOwner;
use porchlight_app::maintenance::for_approval::{ForApproval, LeftOut};
use porchlight_core::upkeep::{self, RestoreReport};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::Invocation;
use super::printing::{Bar, images, print, print_json};

/// Below settings or tokens of which not all are shown.
const MORE: &str = "and {count} more";

/// What `restore` takes.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// A file that `porchlight backup` made
    file: PathBuf,

    /// Also restore tokens, and settings that run a program, send data elsewhere, open
    /// a listener or show something of you, without asking
    #[arg(long)]
    yes: bool,

    /// The result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Restored {
    #[serde(flatten)]
    report: RestoreReport,
    left_out: LeftOut,
}

/// What the owner wants restored of a backup.
enum Approval {
    Everything,
    WithoutThese,
    Nothing,
}

/// Restores; `false` where the owner wanted nothing of it.
pub(super) async fn run(invocation: Invocation, options: Options) -> anyhow::Result<bool> {
    let mut layers = invocation.layers()?;
    layers.read()?;
    let folder = data_dir::make(&invocation.folder()?)?;
    let _owner = ForItsOwner::of(folder.clone());
    let _lock = data_dir::lock(&folder)?;
    let bar = Bar::new("unpacked", options.json);
    let mut unpacked = upkeep::unpack(
        &options.file,
        &folder,
        &bar.progress(),
        &CancellationToken::new(),
    )
    .await?;
    drop(bar);
    // The storage that the restored service will use.
    if let Some(file) = unpacked.settings_file()
        && !layers.file_is_named
    {
        layers.file = file;
    }
    layers.read()?;
    let had_secrets = !unpacked.secrets().is_empty();
    let for_approval = ForApproval::of(&unpacked, None).await?;
    let left_out = match approval(&for_approval, options.yes)? {
        Approval::Everything => LeftOut::default(),
        Approval::WithoutThese => for_approval.leave_out(&mut unpacked).await?,
        Approval::Nothing => {
            print("nothing was restored")?;
            return Ok(false);
        }
    };
    let storage = layers.read()?.settings.storage;
    let bar = Bar::new("restored", options.json);
    let report = unpacked.put_in_place(&storage, &bar.progress()).await?;
    drop(bar);
    let restored = Restored { report, left_out };
    if options.json {
        print_json(&restored)?;
        return Ok(true);
    }
    let Restored { report, left_out } = restored;
    print(&format!(
        "{}: {} and the database are back, all of them whole",
        folder.display(),
        images(report.images)
    ))?;
    if !had_secrets {
        print("settings and the app's own secrets were not in this backup")?;
    } else if !report.secrets.is_empty() {
        print(&format!("with secrets: {}", report.secrets.join(", ")))?;
    }
    if !left_out.settings.is_empty() {
        print(&format!(
            "left out, and commented out where they were in settings.toml: {}",
            left_out.settings.join(", ")
        ))?;
    }
    if !left_out.tokens.is_empty() {
        let names = for_approval.tokens().joined(", ", MORE);
        print(&format!("tokens left out: {names}"))?;
    }
    Ok(true)
}

/// Shows what needs approval, and asks for it on a terminal.
fn approval(for_approval: &ForApproval, yes: bool) -> io::Result<Approval> {
    if for_approval.is_empty() {
        return Ok(Approval::Everything);
    }
    let mut out = io::stderr().lock();
    let settings = for_approval.settings().joined("\n  ", MORE);
    if !settings.is_empty() {
        let about = "settings of this backup that run a program, send data elsewhere, open a \
                     listener or show something of you:";
        writeln!(out, "{about}\n  {settings}")?;
    }
    let tokens = for_approval.tokens().joined(", ", MORE);
    if !tokens.is_empty() {
        writeln!(
            out,
            "tokens of this backup that would become valid: {tokens}"
        )?;
    }
    if yes {
        return Ok(Approval::Everything);
    }
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        writeln!(out, "restored without these; --yes also restores them")?;
        return Ok(Approval::WithoutThese);
    }
    let mut lines = io::stdin().lock().lines();
    loop {
        write!(out, "Restore these, too? [y]es, [n]o, [c]ancel: ")?;
        out.flush()?;
        let Some(line) = lines.next() else {
            return Ok(Approval::Nothing);
        };
        match line?.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Approval::Everything),
            "n" | "no" => return Ok(Approval::WithoutThese),
            "c" | "cancel" => return Ok(Approval::Nothing),
            _ => {}
        }
    }
}
