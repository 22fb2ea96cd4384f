//! `porchlight restore`: brings a backup back to an empty data folder.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;

use clap::Args;
use porchlight_service::app::maintenance::restore::Extent;
use porchlight_service::files::data_dir;
use porchlight_service::files::file_mode::ForItsOwner;
use porchlight_service::upkeep::{self, RestoreReport};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::Invocation;
use super::printing::{Bar, images, print, print_json};

/// What `restore` takes.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// A file that `porchlight backup` made
    file: PathBuf,

    /// The backup is your own: also restore its settings, tokens and devices, without asking
    #[arg(long)]
    all: bool,

    /// The result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Restored {
    #[serde(flatten)]
    report: RestoreReport,
    /// Whether settings, tokens and devices were restored, too.
    all: bool,
}

/// Restores; `false` where the owner wanted nothing of it.
pub(super) async fn run(invocation: Invocation, options: Options) -> anyhow::Result<bool> {
    let layers = invocation.layers()?;
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
    let Some(extent) = extent(options.all)? else {
        print("nothing was restored")?;
        return Ok(false);
    };
    let storage = extent.prepare(&mut unpacked, &layers)?;
    let report = {
        let bar = Bar::new("restored", options.json);
        let (authority, progress) = (extent.authority(&folder), bar.progress());
        let restored = unpacked.put_in_place(&storage, authority, &progress);
        restored.await?
    };
    let restored = Restored {
        report,
        all: extent == Extent::All,
    };
    if options.json {
        print_json(&restored)?;
        return Ok(true);
    }
    let Restored { report, all } = restored;
    print(&format!(
        "{}: {} and the database are back, all of them whole",
        folder.display(),
        images(report.images)
    ))?;
    if !all {
        print(
            "settings other than the presence rules, tokens and devices of the backup were not \
             restored; --all restores them, too",
        )?;
    }
    if !report.secrets.is_empty() {
        print(&format!("written: {}", report.secrets.join(", ")))?;
    }
    Ok(true)
}

/// How much is restored: asks on a terminal, unless `all` says it. `None` where the owner wants
/// nothing of it.
fn extent(all: bool) -> io::Result<Option<Extent>> {
    if all {
        return Ok(Some(Extent::All));
    }
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Ok(Some(Extent::Content));
    }
    let mut out = io::stderr().lock();
    let mut lines = io::stdin().lock().lines();
    loop {
        write!(
            out,
            "Is this backup your own? Then its settings, tokens and devices are restored, too. \
             [y]es, [n]o, [c]ancel: "
        )?;
        out.flush()?;
        let Some(line) = lines.next() else {
            return Ok(None);
        };
        match line?.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(Extent::All)),
            "n" | "no" => return Ok(Some(Extent::Content)),
            "c" | "cancel" => return Ok(None),
            _ => {}
        }
    }
}
