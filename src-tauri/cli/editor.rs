//! `porchlight editor` and `porchlight sharex`: what an editor or a screenshot tool needs to upload,
//! with a separate token, also while another process serves the data folder.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, Subcommand};
use porchlight_service::app::host::instance_file;
use porchlight_service::app::integrations::editors::EditorContext;
use porchlight_service::files;
use porchlight_service::settings::window::Editor;
use porchlight_service::text::address::WebAddress;
use porchlight_service::tokens::Tokens;
use secrecy::ExposeSecret as _;

use super::Invocation;
use super::printing::print;

/// Which editor, and where it reaches the service.
#[derive(Args)]
pub(super) struct Options {
    /// Where it reaches the service [default: `edge.url`, `server.public_url`, else this machine]
    #[arg(long, value_name = "URL", global = true)]
    address: Option<WebAddress>,

    #[command(subcommand)]
    program: Program,
}

#[derive(Subcommand)]
enum Program {
    /// A line that uploads one file
    Curl,
    /// A custom command that prints the address of each file it is given
    Typora,
    /// A line for a key of the desktop: Flameshot takes a screenshot, and its address is printed
    Flameshot,
    /// A script for ksnip that prints the address of the screenshot
    Ksnip,
}

/// Where the uploader is written, and where it reaches the service.
#[derive(Args)]
pub(super) struct ShareXOptions {
    /// The file to write; without it the uploader is printed
    file: Option<PathBuf>,

    /// Replace the file if it exists
    #[arg(long, requires = "file")]
    force: bool,

    /// Where `ShareX` reaches the service [default: `edge.url`, `server.public_url`, else this machine]
    #[arg(long, value_name = "URL")]
    address: Option<WebAddress>,
}

pub(super) async fn run(invocation: Invocation, options: Options) -> anyhow::Result<bool> {
    let editor = match options.program {
        Program::Curl => Editor::Curl,
        Program::Typora => Editor::Typora,
        Program::Flameshot => Editor::Flameshot,
        Program::Ksnip => Editor::Ksnip,
    };
    make(invocation, options.address, editor, None).await
}

pub(super) async fn share_x(
    invocation: Invocation,
    options: ShareXOptions,
) -> anyhow::Result<bool> {
    if let Some(file) = options.file.as_ref().filter(|file| file.exists())
        && !options.force
    {
        bail!("{} exists; --force replaces it", file.display());
    }
    make(invocation, options.address, Editor::ShareX, options.file).await
}

async fn make(
    invocation: Invocation,
    address: Option<WebAddress>,
    editor: Editor,
    file: Option<PathBuf>,
) -> anyhow::Result<bool> {
    let folder = invocation.existing_folder()?;
    let folder = files::full_path(&folder).unwrap_or(folder);
    let settings = invocation.layers()?.read()?;
    let public_url = settings.settings.chosen_url().cloned();
    let address = match address.or(public_url) {
        Some(address) => address.to_string(),
        None => instance_file::find(&folder)?.base,
    };
    let tokens = Tokens::open_beside(&folder).await?;
    let context = EditorContext {
        tokens: &tokens,
        address: &address,
        folder: &folder,
    };
    let made = match &file {
        Some(file) => context.share_x(Some(file)).await?,
        None => context.make(editor).await?,
    };
    if let Some(text) = made.text {
        print(text.expose_secret().trim_end())?;
    }
    eprintln!(
        "Its token is named {:?}; `porchlight token revoke` takes it out of use.",
        made.token
    );
    Ok(true)
}
