//! `porchlight check`: whether everything that was stored is there and whole;
//! with `--repair` what can be done about what is not.

use clap::Args;
use porchlight_service::upkeep::{self, CheckReport};

use super::Invocation;
use super::opened::Opened;
use super::printing::{Bar, images, print, print_json, print_problems};

/// What `check` takes.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// Mend what can be mended; wrong files are moved to `set-aside`, never deleted
    #[arg(long)]
    pub(super) repair: bool,

    /// Mend also where more than 5 and more than a tenth of the images are missing: their rows are
    /// removed, and a copy of the database is kept
    #[arg(long, requires = "repair")]
    missing_is_lost: bool,

    /// The result as JSON
    #[arg(long)]
    json: bool,
}

/// Checks; `false` where something is wrong.
pub(super) async fn run(invocation: Invocation, options: Options) -> anyhow::Result<bool> {
    let folder = invocation.folder()?;
    if options.repair && !folder.is_dir() {
        return Err(upkeep::nothing_there(&folder).into());
    }
    let opened = match options.repair {
        true => Some(Opened::by(&invocation).await?),
        false => None,
    };
    let settings = match &opened {
        Some(opened) => opened.service.settings(),
        None => invocation.layers()?.read()?.settings.into(),
    };
    let checked = {
        let bar = Bar::new("checked", options.json);
        upkeep::check(&folder, &settings.storage, &bar.progress()).await
    };
    let mut report = checked?;
    if let Some(opened) = &opened {
        let missing_is_lost = options.missing_is_lost;
        let images = opened.service.images();
        let repaired = upkeep::repair(images, &folder, &mut report, missing_is_lost).await;
        opened.close().await;
        repaired?;
    }
    if options.json {
        print_json(&report)?;
    } else {
        print_problems(&report.problems)?;
        print(&summary(&report))?;
        if let Some(why) = &report.refused {
            print(&why.to_string())?;
        }
    }
    Ok(report.is_ok())
}

fn summary(report: &CheckReport) -> String {
    let mut line = format!("{} whole ({} bytes)", images(report.images), report.bytes);
    let wrong = report.problems.len();
    let mended = report.problems.iter().filter(|p| p.mended.is_some());
    let mended = mended.count();
    line += &match (wrong, mended) {
        (0, _) => ", nothing wrong".to_owned(),
        (_, 0) => format!(", {wrong} wrong"),
        _ => format!(", {wrong} wrong, {mended} of them repaired"),
    };
    if report.waiting > 0 {
        line += &format!(", {} waiting for the service", images(report.waiting));
    }
    if report.foreign > 0 {
        line += &format!(", {} files of others left alone", report.foreign);
    }
    line
}
