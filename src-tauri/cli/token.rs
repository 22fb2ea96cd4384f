//! `porchlight token`: the tokens of a data folder, also while another process serves it.

use anyhow::bail;
use clap::Subcommand;
use porchlight_service::devices::DeviceId;
use porchlight_service::files::data_dir;
use porchlight_service::tokens::scope::Scope;
use porchlight_service::tokens::{TokenRow, Tokens};
use secrecy::ExposeSecret as _;

use super::Invocation;
use super::printing::{print, print_json};

/// What to do with tokens.
#[derive(Subcommand)]
pub(super) enum Action {
    /// Show all tokens: number, name, scope, device, when made, when last used
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a token and print it, this once
    New {
        /// What to call it; no two have the same name
        #[arg(long)]
        name: String,
        /// What it may do: heartbeat (for this computer; `device add` makes one for another device), upload
        /// or admin
        #[arg(long)]
        scope: Scope,
    },
    /// Take a token out of use, at once
    Revoke {
        /// Its name or its number
        #[arg(value_name = "NAME_OR_ID")]
        which: String,
    },
}

pub(super) async fn run(invocation: Invocation, action: Action) -> anyhow::Result<bool> {
    let folder = if matches!(action, Action::New { .. }) {
        data_dir::make(&invocation.folder()?)?
    } else {
        invocation.existing_folder()?
    };
    let tokens = Tokens::open_beside(&folder).await?;
    match action {
        Action::List { json } => {
            let rows = tokens.list().await?;
            if json {
                print_json(&rows)?;
            } else {
                write_table(&rows)?;
            }
        }
        Action::New { name, scope } => {
            print(tokens.create(&name, scope).await?.expose_secret())?;
        }
        Action::Revoke { which } => {
            if !tokens.revoke(&which).await? {
                bail!(
                    "no token has the name or number {which:?}: `porchlight token list` shows them \
                     all"
                );
            }
        }
    }
    Ok(true)
}

fn write_table(rows: &[TokenRow]) -> anyhow::Result<()> {
    let widest = rows.iter().map(|row| row.name.chars().count());
    let name_width = widest.max().unwrap_or(0).max("NAME".len());
    let device = |row: &TokenRow| {
        row.device
            .as_ref()
            .map_or_else(String::new, DeviceId::to_string)
    };
    let widest = rows.iter().map(|row| device(row).len());
    let device_width = widest.max().unwrap_or(0).max("DEVICE".len());
    print(&format!(
        "{:>4}  {:name_width$}  {:9}  {:device_width$}  {:24}  LAST USED",
        "ID", "NAME", "SCOPE", "DEVICE", "CREATED"
    ))?;
    for row in rows {
        let last_used = row
            .last_used
            .map_or_else(|| "never".to_owned(), |time| time.to_string());
        print(&format!(
            "{:>4}  {:name_width$}  {:9}  {:device_width$}  {:24}  {last_used}",
            row.id,
            row.name,
            row.scope.to_string(),
            device(row),
            row.created_at.to_string(),
        ))?;
    }
    Ok(())
}
