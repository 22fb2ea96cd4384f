//! `porchlight update --check`: whether a newer release is announced.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use porchlight_api::window::{UpdateCheck, UpdateFailure, UpdateResult, UpdateWay};
use porchlight_app::settings::layers::Layers;
use porchlight_app::{data_dir, logging, update};

use super::shown::printable;
use super::upkeep::{Failure, say, say_json};
use crate::cli::{failed, refuse, runtime};

/// What `update` takes.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// Look whether a newer release is announced at `update.url`
    #[arg(long)]
    check: bool,

    /// The result as JSON; `result.state` is `up_to_date`, `newer` or `failed`
    #[arg(long)]
    json: bool,

    /// A setting for this run; can be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
}

/// Does it.
pub(super) fn run(data_dir: Option<PathBuf>, options: Options) -> ExitCode {
    if !options.check {
        return refuse("say --check: Porchlight looks for updates and installs none");
    }
    logging::start_for_a_command();
    let json = options.json;
    let checked = check(data_dir, options.set).and_then(|checked| {
        if json {
            say_json(&checked)?;
        } else if let Some(text) = text(&checked) {
            say(&text)?;
        }
        Ok(checked.result)
    });
    match checked {
        Ok(UpdateResult::Failed { why }) => {
            let is_unset = matches!(why, UpdateFailure::NoAddress | UpdateFailure::NoKey);
            failed(&why, if is_unset { 2 } else { 1 })
        }
        Ok(_) => ExitCode::SUCCESS,
        Err(failure) => failed(&failure, failure.exit_code()),
    }
}

fn check(data_dir: Option<PathBuf>, set: Vec<String>) -> Result<UpdateCheck, Failure> {
    let folder = data_dir::place(data_dir)?;
    let settings = Layers::of_this_process(&folder, set, None).read()?.settings;
    Ok(runtime()?.block_on(update::check(&settings.update)))
}

/// What is printed of it; a failure is printed elsewhere.
fn text(checked: &UpdateCheck) -> Option<String> {
    let running = &checked.running;
    match &checked.result {
        UpdateResult::Failed { .. } => None,
        UpdateResult::UpToDate => Some(format!("Porchlight {running} is up to date.")),
        UpdateResult::Newer {
            version,
            notes,
            page,
        } => {
            let mut lines = vec![format!(
                "Porchlight {version} is available. This is {running}."
            )];
            lines.extend(notes.lines().map(|line| format!("  {}", printable(line))));
            lines.extend(page.as_ref().map(|page| format!("Download: {page}")));
            lines.extend(by_package(&checked.way));
            Some(lines.join("\n"))
        }
    }
}

fn by_package(way: &UpdateWay) -> Option<String> {
    match way {
        UpdateWay::Download => None,
        UpdateWay::Package { manager, command } => Some(format!(
            "This Porchlight was installed by {manager}, which also updates it: {command}\n\
             If you installed a downloaded package, install the newer one in the same way."
        )),
        UpdateWay::System => Some(
            "This Porchlight belongs to the system: update it in the way it was installed."
                .to_owned(),
        ),
    }
}
