//! `porchlight editor`: what an editor or a screenshot tool needs to upload,
//! with a separate token, also while another process serves the data folder.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use porchlight_api::{WebAddress, files};
use porchlight_app::host::instance_file;
use porchlight_app::integrations::editors::EditorContext;
use porchlight_core::tokens::Tokens;

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
    /// A custom uploader, as a .sxcu file that holds its token
    #[command(name = "sharex")]
    ShareX {
        /// The file to write
        file: PathBuf,
    },
    /// A line that uploads one file
    Curl,
    /// A custom command that prints the address of each file it is given
    Typora,
}

pub(super) async fn run(invocation: Invocation, options: Options) -> anyhow::Result<bool> {
    let folder = invocation.existing_folder()?;
    let folder = files::full_path(&folder).unwrap_or(folder);
    let settings = invocation.layers()?.read()?;
    let public_url = settings.settings.chosen_url().cloned();
    let address = match options.address.or(public_url) {
        Some(address) => address.to_string(),
        None => instance_file::find(&folder)?.base,
    };
    let tokens = Tokens::open_beside(&folder).await?;
    let context = EditorContext {
        tokens: &tokens,
        address: &address,
        folder: &folder,
    };
    let made = match &options.program {
        Program::ShareX { file } => context.share_x(file).await?,
        Program::Curl => context.curl().await?,
        Program::Typora => context.typora().await?,
    };
    if let Some(line) = made.line {
        print(&line)?;
    }
    eprintln!(
        "Its token is named {:?}; `porchlight token revoke` takes it out of use.",
        made.token
    );
    Ok(true)
}
