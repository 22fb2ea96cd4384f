//! The command line: what there is to say, and one file for each command.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand};
use porchlight_app::executable;
use porchlight_app::host::{StartOptions, TrayOptions};
use porchlight_app::watchdog::Watchdog;

mod backup;
mod check;
mod companion;
mod decode;
mod destination;
mod edge;
mod editor;
mod hold;
mod import;
mod manual;
mod publish;
mod restore;
pub(crate) mod serve;
mod shown;
mod storage;
mod token;
mod update;
mod upkeep;
mod upload;
mod watch;

/// How long the end of the program waits for work on its threads whose result
/// is no longer needed, such as a conversion for a client that hung up.
pub(crate) const LAST_WORK_LIMIT: Duration = Duration::from_secs(2);

/// A light left on at home, for a blog.
///
/// Without a command this opens the tray app.
// No `Debug`: `--set` can hold secrets.
#[derive(Parser)]
#[command(name = "porchlight", version)]
struct Arguments {
    /// The data folder [default: the platform's place for application data]
    #[arg(long, value_name = "DIR", env = "PORCHLIGHT_DATA_DIR", global = true)]
    data_dir: Option<PathBuf>,

    /// Start the tray app without its window
    #[arg(long)]
    hidden: bool,

    /// A setting for this run; can be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Hand these files to the tray app, which is started hidden where it does
    /// not run; everything that follows is a file
    #[arg(long, value_name = "FILE", num_args = 1.., allow_hyphen_values = true)]
    upload: Vec<PathBuf>,

    /// Have the tray app upload what is on the clipboard; for keys that a
    /// desktop binds to a command
    #[arg(long)]
    upload_clipboard: bool,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Serve without a window
    Serve {
        /// Where to listen; port 0 takes a free one
        #[arg(long, value_name = "ADDRESS:PORT")]
        listen: Option<SocketAddr>,

        /// A setting for this run; can be given more than once
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
    },
    /// Report your presence to another service, without a window
    Companion {
        /// A setting for this run; can be given more than once
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
    },
    /// List, make and revoke tokens, also while the service runs
    #[command(subcommand)]
    Token(token::Action),
    /// Make what an editor or a screenshot tool uploads with
    Editor(editor::What),
    /// Send many pictures, to the running app or to another service
    Upload(upload::What),
    /// Upload every picture that is put into a folder, until it is stopped
    Watch(watch::What),
    /// Check every stored file and the database, also while the service runs
    Check(check::Options),
    /// Take a backup of the database and the images, also while the service runs
    Backup(backup::Options),
    /// Bring a backup back to an empty data folder
    Restore(restore::Options),
    /// Run a program until standard input is closed
    #[command(hide = true)]
    Hold {
        /// The program's umask, in octal digits
        mask: String,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        words: Vec<OsString>,
    },
    /// Take over the images of another server of this interface
    Import(import::Options),
    /// The Worker that keeps the blog's address
    #[command(subcommand)]
    Edge(edge::Action),
    /// The snapshot in the object store, also while the service runs
    #[command(subcommand)]
    Publish(publish::Action),
    /// Where the images are kept
    #[command(subcommand)]
    Storage(storage::Action),
    /// Check for a newer release; nothing is downloaded or installed
    Update(update::Options),
    /// Write the manual pages and completions into a folder, for packages
    #[command(hide = true)]
    Manual { folder: PathBuf },
    /// Decode one picture, for the service, which calls itself with this
    #[command(name = porchlight_core::images::convert::sandbox::ARGUMENT, hide = true)]
    Decode(decode::Bounds),
}

/// Runs the program; `open_tray_app` is called where the arguments name no command. Returns the
/// exit code.
pub(crate) fn run(
    arguments: impl IntoIterator<Item = OsString>,
    open_tray_app: fn(StartOptions, TrayOptions) -> ExitCode,
) -> ExitCode {
    let Arguments {
        data_dir,
        hidden,
        mut set,
        upload,
        upload_clipboard,
        command,
    } = Arguments::parse_from(arguments);
    match command {
        None => open_tray_app(
            StartOptions {
                data_dir,
                listen: None,
                set,
                without_keyring: false,
            },
            TrayOptions {
                hidden,
                upload,
                upload_clipboard,
            },
        ),
        Some(Command::Decode(bounds)) => decode::run(&bounds),
        Some(_) if hidden => refuse("--hidden is for the tray app, which has no command"),
        Some(_) if upload_clipboard || !upload.is_empty() => {
            refuse("--upload and --upload-clipboard are for the tray app, which has no command")
        }
        Some(Command::Serve { listen, set: more }) => {
            set.extend(more);
            serve::run(StartOptions {
                data_dir,
                listen,
                set,
                without_keyring: false,
            })
        }
        Some(Command::Hold { mask, words }) => hold::run(&mask, words),
        Some(Command::Manual { folder }) => manual::run(&folder),
        Some(Command::Companion { set: more }) => {
            set.extend(more);
            companion::run(data_dir, set)
        }
        Some(Command::Token(_)) if !set.is_empty() => refuse("`token` reads no settings"),
        Some(Command::Upload(_)) if !set.is_empty() => refuse("`upload` reads no settings"),
        Some(Command::Upload(what)) => upload::run(data_dir, what),
        Some(Command::Watch(_)) if !set.is_empty() => refuse("`watch` reads no settings"),
        Some(Command::Watch(what)) => watch::run(data_dir, what),
        Some(Command::Editor(mut what)) => {
            what.set.splice(0..0, set);
            editor::run(data_dir, what)
        }
        Some(Command::Token(action)) => token::run(data_dir, action),
        Some(Command::Check(mut options)) => {
            options.set.splice(0..0, set);
            check::run(data_dir, options)
        }
        Some(Command::Backup(mut options)) => {
            options.set.splice(0..0, set);
            backup::run(data_dir, options)
        }
        Some(Command::Restore(mut options)) => {
            options.set.splice(0..0, set);
            restore::run(data_dir, options)
        }
        Some(Command::Import(mut options)) => {
            options.set.splice(0..0, set);
            import::run(data_dir, options)
        }
        Some(Command::Update(mut options)) => {
            options.set.splice(0..0, set);
            update::run(data_dir, options)
        }
        Some(Command::Edge(edge::Action::Init(mut options))) => {
            options.set.splice(0..0, set);
            edge::run(data_dir, edge::Action::Init(options))
        }
        Some(Command::Publish(_)) if !set.is_empty() => refuse("`publish` reads no settings"),
        Some(Command::Publish(action)) => publish::run(data_dir, action),
        Some(Command::Storage(storage::Action::Move(mut options))) => {
            options.set.splice(0..0, set);
            storage::run(data_dir, storage::Action::Move(options))
        }
    }
}

fn refuse(why: &str) -> ExitCode {
    Arguments::command()
        .error(ErrorKind::ArgumentConflict, why)
        .exit()
}

/// What commands that wait for something run on.
///
/// # Errors
/// When the system gives no threads.
pub(crate) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
}

/// Runs this on a runtime that is watched, until it ends.
fn run_for_long(service: impl Future<Output = ExitCode>) -> ExitCode {
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error, 1),
    };
    let watchdog = Watchdog::start(runtime.handle().clone(), || {
        executable::restart_frozen(std::env::args_os().skip(1));
    });
    let code = runtime.block_on(service);
    drop(watchdog);
    runtime.shutdown_timeout(LAST_WORK_LIMIT);
    code
}

/// Says on standard error why it did not work.
pub(crate) fn failed(error: &dyn std::fmt::Display, code: u8) -> ExitCode {
    eprintln!("porchlight: {error}");
    ExitCode::from(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn everything_after_upload_is_a_file_whatever_it_looks_like() {
        let words = [
            "porchlight",
            "--upload",
            "a.png",
            "-b.png",
            "--hidden",
            "serve",
        ];
        let Ok(arguments) = Arguments::try_parse_from(words) else {
            panic!("it was refused");
        };
        let files = ["a.png", "-b.png", "--hidden", "serve"].map(PathBuf::from);
        assert_eq!(arguments.upload, files);
        assert!(!arguments.hidden && arguments.command.is_none());
        assert!(Arguments::try_parse_from(["porchlight", "--upload"]).is_err());
    }
}
