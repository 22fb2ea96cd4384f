//! `porchlight token`: the tokens of a data folder, also while another process serves it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use porchlight_app::{data_dir, logging};
use porchlight_core::tokens::{Scope, TokenError, TokenRow, Tokens};
use secrecy::ExposeSecret as _;

use crate::cli::{failed, runtime};

/// What to do with tokens.
#[derive(Subcommand)]
pub(super) enum Action {
    /// Show all tokens: number, name, scope, when made, when last used
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
        /// What it may do: heartbeat, upload or admin
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

/// Why it was not done.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    DataFolder(#[from] data_dir::DataFolderError),
    #[error("there is no Porchlight in {0} yet: run `porchlight serve` or the tray app first")]
    NothingThere(PathBuf),
    #[error(transparent)]
    Open(#[from] porchlight_core::OpenDatabaseError),
    #[error(transparent)]
    Database(#[from] porchlight_core::DatabaseError),
    #[error(transparent)]
    Token(#[from] TokenError),
    #[error("no token has the name or number {0:?}: `porchlight token list` shows them all")]
    Unknown(String),
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

/// Does it.
pub(super) fn run(data_dir: Option<PathBuf>, action: Action) -> ExitCode {
    logging::start_for_a_command();
    let done = runtime()
        .map_err(Failure::Output)
        .and_then(|runtime| runtime.block_on(act(data_dir, action)));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure @ Failure::Token(TokenError::BadName)) => failed(&failure, 2),
        Err(failure) => failed(&failure, 1),
    }
}

async fn act(data_dir: Option<PathBuf>, action: Action) -> Result<(), Failure> {
    let folder = data_dir::place(data_dir)?;
    let makes_one = matches!(action, Action::New { .. });
    if makes_one {
        data_dir::make(&folder)?;
    } else if !folder.join("porchlight.db").exists() {
        return Err(Failure::NothingThere(folder));
    }
    let tokens = Tokens::open_beside(&folder).await?;
    let mut out = io::stdout().lock();
    match action {
        Action::List { json } => {
            let rows = tokens.list().await?;
            if json {
                serde_json::to_writer_pretty(&mut out, &rows).map_err(io::Error::from)?;
                writeln!(out)?;
            } else {
                write_table(&mut out, &rows)?;
            }
        }
        Action::New { name, scope } => {
            let token = tokens.create(&name, scope).await?;
            writeln!(out, "{}", token.expose_secret())?;
        }
        Action::Revoke { which } => {
            if !tokens.revoke(&which).await? {
                return Err(Failure::Unknown(which));
            }
        }
    }
    Ok(out.flush()?)
}

fn write_table(out: &mut impl Write, rows: &[TokenRow]) -> io::Result<()> {
    let widest = rows.iter().map(|row| row.name.chars().count());
    let name_width = widest.max().unwrap_or(0).max("NAME".len());
    writeln!(
        out,
        "{:>4}  {:name_width$}  {:9}  {:24}  LAST USED",
        "ID", "NAME", "SCOPE", "CREATED"
    )?;
    for row in rows {
        let last_used = row
            .last_used
            .map_or_else(|| "never".to_owned(), |time| time.to_string());
        writeln!(
            out,
            "{:>4}  {:name_width$}  {:9}  {:24}  {last_used}",
            row.id,
            row.name,
            row.scope.to_string(),
            row.created_at.to_string(),
        )?;
    }
    Ok(())
}
