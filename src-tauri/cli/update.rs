//! `porchlight update --check`: whether a newer release is announced.

use clap::Args;
use porchlight_service::app::update;
use porchlight_service::status::window::update::{
    UpdateCheck, UpdateFailure, UpdateResult, UpdateWay,
};

use super::printing::{print, print_json};
use super::shown::printable;
use super::{Invocation, UsageError};

/// What `update` takes.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// Look whether a newer release is announced at `update.url`
    #[arg(long)]
    check: bool,

    /// The result as JSON; `result.state` is `up_to_date`, `newer` or `failed`
    #[arg(long)]
    json: bool,
}

/// Looks for a newer release.
pub(super) async fn run(invocation: Invocation, options: Options) -> anyhow::Result<bool> {
    if !options.check {
        let why = "--check is missing: Porchlight looks for updates and installs none";
        return Err(UsageError(why.to_owned()).into());
    }
    let settings = invocation.layers()?.read()?.settings;
    let checked = update::check(&settings.update).await;
    if options.json {
        print_json(&checked)?;
    } else if let Some(text) = text(&checked) {
        print(&text)?;
    }
    match checked.result {
        UpdateResult::Failed { why } => match why {
            UpdateFailure::NoAddress | UpdateFailure::NoKey => {
                Err(UsageError(why.to_string()).into())
            }
            _ => Err(anyhow::anyhow!("{why}")),
        },
        _ => Ok(true),
    }
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
