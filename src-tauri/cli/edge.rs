//! `porchlight edge`: the Worker that keeps the blog's address and answers while this machine is
//! off.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use porchlight_app::data_dir;
use porchlight_app::integrations::edge::{self, DEPLOY};

use super::Invocation;
use super::printing::print;

/// What to do with the Worker.
#[derive(Subcommand)]
pub(super) enum Action {
    /// Write the Worker and its configuration, ready to be deployed
    Init(Options),
}

/// Where to, and with which settings.
#[derive(Args)]
pub(super) struct Options {
    /// The folder for the files; it is made where it is missing
    folder: PathBuf,
}

pub(super) async fn run(invocation: Invocation, action: Action) -> anyhow::Result<bool> {
    let Action::Init(options) = action;
    data_dir::make(&invocation.folder()?)?;
    let done = edge::init(&options.folder, &invocation.layers()?)?;
    let folder = options.folder.display();
    if done.made_key {
        eprintln!("A key was made; a running Porchlight uses it from its next start on.");
    }
    eprintln!(
        "Deploy the Worker in {folder} with this line, and set `edge.url` to its address. On your \
         own server, `workerd serve workerd.capnp` runs it; the proxy in front of it must set \
         X-Forwarded-Proto and X-Real-IP on every request."
    );
    print(DEPLOY)?;
    Ok(true)
}
