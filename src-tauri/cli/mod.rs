//! The command line: its arguments, and one file for each command.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use porchlight_service::app::host::{Host, StartOptions, TrayOptions};
use porchlight_service::app::integrations::edge::EdgeError;
use porchlight_service::app::integrations::edge_deploy::DeployError;
use porchlight_service::error::message::Message;
use porchlight_service::files::data_dir::{self};
use porchlight_service::log as logging;
use porchlight_service::settings::layers::Layers;
use porchlight_service::settings::problem::Problems;

mod backup;
mod blog;
mod check;
#[cfg(windows)]
pub(crate) mod console;
pub(crate) mod control;
mod convert;
mod destination;
mod device;
mod edge;
mod editor;
mod hold;
mod import;
mod manual;
mod opened;
mod printing;
mod restore;
pub(crate) mod serve;
#[cfg(windows)]
mod session_end;
mod shown;
mod storage;
mod token;
mod update;
mod upload;

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

    /// End every process of this program in order; for the setup
    #[cfg(windows)]
    #[arg(long, hide = true)]
    quit: bool,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Serve without a window: the service, and what the settings turn on (presence, watched folders,
    /// editors, a tunnel)
    Serve {
        /// Where to listen; port 0 takes a free one
        #[arg(long, value_name = "ADDRESS:PORT")]
        listen: Option<SocketAddr>,
    },
    /// List, make and revoke tokens, also while the service runs
    #[command(subcommand)]
    Token(token::Action),
    /// Add, list, allow, rename and forget devices, also while the service runs
    #[command(subcommand)]
    Device(device::Action),
    /// Make what an editor or a screenshot tool uploads with
    Editor(editor::Options),
    /// Make a custom uploader for `ShareX`, which holds its token
    #[command(name = "sharex")]
    ShareX(editor::ShareXOptions),
    /// Send many pictures, to the running app or to another service
    Upload(upload::What),
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
    /// Where the images are kept
    #[command(subcommand)]
    Storage(storage::Action),
    /// The pictures in the posts of a blog: list them, move them here, undo that
    #[command(subcommand)]
    Blog(blog::Action),
    /// Check for a newer release; nothing is downloaded or installed
    Update(update::Options),
    /// Write the manual pages and completions into a folder, for packages
    #[command(hide = true)]
    Manual { folder: PathBuf },
    /// Convert pictures for the service, which calls itself with this
    #[command(name = porchlight_convert::helper::ARGUMENT, hide = true)]
    Convert(convert::Options),
}

impl Command {
    /// Whether it needs the data folder to itself: then the process that has it runs the command.
    fn needs_the_folder(&self) -> bool {
        match self {
            Self::Check(options) => options.repair,
            Self::Import(_) | Self::Storage(_) | Self::Blog(_) => true,
            _ => false,
        }
    }
}

/// The subcommands that read the settings, and so take `--set`, too.
const READ_SETTINGS: [&str; 16] = [
    "serve", "editor", "sharex", "check", "backup", "restore", "import", "update", "init",
    "deploy", "remove", "new-key", "move", "scan", "adopt", "undo",
];

/// The arguments of the program. `--set` may stand before the command and after it.
fn arguments() -> clap::Command {
    fn with_set(command: clap::Command) -> clap::Command {
        let command = command.mut_subcommands(with_set);
        if !READ_SETTINGS.contains(&command.get_name()) {
            return command;
        }
        let set = Arg::new("set").long("set").value_name("KEY=VALUE");
        command.arg(
            set.action(ArgAction::Append)
                .help("A setting for this run; can be given more than once"),
        )
    }
    Arguments::command().mut_subcommands(with_set)
}

/// What every command gets: the data folder that was named, and the settings of this run.
struct Invocation {
    data_dir: Option<PathBuf>,
    set: Vec<String>,
    /// The host that it runs in, for a client; `None` in a process of its own.
    host: Option<Host>,
    /// Where it was typed; paths are from there on.
    typed_in: PathBuf,
}

impl Invocation {
    /// The data folder, whether it is there or not.
    fn folder(&self) -> Result<PathBuf, Message> {
        if let Some(host) = &self.host {
            return Ok(host.folder().to_owned());
        }
        data_dir::place(self.data_dir.clone())
    }

    /// The data folder, which has a database.
    fn existing_folder(&self) -> anyhow::Result<PathBuf> {
        let folder = self.folder()?;
        if !folder.join("porchlight.db").is_file() {
            bail!(
                "there is no Porchlight in {} yet: run `porchlight serve` or the tray app first",
                folder.display()
            );
        }
        Ok(folder)
    }

    /// A path as it was typed, from the root on.
    fn path(&self, typed: PathBuf) -> anyhow::Result<PathBuf> {
        Ok(std::path::absolute(self.typed_in.join(typed))?)
    }

    /// The settings, not read yet.
    fn layers(&self) -> Result<Layers, Message> {
        if let Some(host) = &self.host {
            return Ok(host.store().layers().clone());
        }
        let folder = self.folder()?;
        Ok(Layers::of_this_process(&folder, self.set.clone(), None))
    }
}

/// Runs the program; `open_tray_app` is called where the arguments name no command. Returns the
/// exit code.
pub(crate) fn run(
    words: impl IntoIterator<Item = OsString>,
    open_tray_app: fn(StartOptions, TrayOptions) -> ExitCode,
) -> ExitCode {
    let words: Vec<OsString> = words.into_iter().collect();
    let matches = arguments().get_matches_from(&words);
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    #[cfg(windows)]
    if arguments.quit {
        let ended = session_end::end_others();
        return ended.map_or_else(|error| failed(&error, 1), |()| ExitCode::SUCCESS);
    }
    let mut set = arguments.set;
    let mut command = matches.subcommand();
    let mut reads_settings = command.is_none();
    while let Some((name, matches)) = command {
        if READ_SETTINGS.contains(&name) {
            reads_settings = true;
            set.extend(matches.get_many("set").into_iter().flatten().cloned());
        }
        command = matches.subcommand();
    }
    if !reads_settings && !set.is_empty() {
        return refuse("--set is given, but this command reads no settings");
    }
    let data_dir = arguments.data_dir;
    let start = |listen| StartOptions {
        data_dir: data_dir.clone(),
        listen,
        set: set.clone(),
        without_keyring: false,
    };
    let Some(command) = arguments.command else {
        let tray = TrayOptions {
            hidden: arguments.hidden,
            upload: arguments.upload,
            upload_clipboard: arguments.upload_clipboard,
        };
        return open_tray_app(start(None), tray);
    };
    let (hidden, clipboard) = (arguments.hidden, arguments.upload_clipboard);
    if hidden || clipboard || !arguments.upload.is_empty() {
        return refuse(
            "--hidden, --upload and --upload-clipboard are for the tray app, which has no command",
        );
    }
    let invocation = Invocation {
        data_dir: data_dir.clone(),
        set: set.clone(),
        host: None,
        // Where it is gone, what is typed there cannot be found either.
        typed_in: std::env::current_dir().unwrap_or_default(),
    };
    // A process that has the data folder goes by its own settings.
    if command.needs_the_folder()
        && set.is_empty()
        && let Ok(folder) = invocation.folder()
        && let Some(code) = control::pass_on(&folder, &words[1..], &invocation.typed_in)
    {
        return code;
    }
    match command {
        Command::Convert(options) => convert::run(&options),
        Command::Hold { mask, words } => hold::run(&mask, words),
        Command::Manual { folder } => manual::run(&folder),
        Command::Serve { listen } => serve::run(start(listen)),
        Command::Upload(what) => upload::run(data_dir, what),
        Command::Token(action) => finish(token::run(invocation, action)),
        Command::Device(action) => finish(device::run(invocation, action)),
        Command::Editor(options) => finish(editor::run(invocation, options)),
        Command::ShareX(options) => finish(editor::share_x(invocation, options)),
        Command::Check(options) => finish(check::run(invocation, options)),
        Command::Backup(options) => finish(backup::run(invocation, options)),
        Command::Restore(options) => finish(restore::run(invocation, options)),
        Command::Import(options) => finish(import::run(invocation, options)),
        Command::Edge(action) => finish(edge::run(invocation, action)),
        Command::Storage(action) => finish(storage::run(invocation, action)),
        Command::Blog(action) => finish(blog::run(invocation, action)),
        Command::Update(options) => finish(update::run(invocation, options)),
    }
}

fn refuse(why: &str) -> ExitCode {
    Arguments::command()
        .error(ErrorKind::ArgumentConflict, why)
        .exit()
}

/// Wrong usage that clap does not find.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct UsageError(String);

/// Runs a command to its end. `Ok(false)`: it ran, and some items failed.
fn finish(work: impl Future<Output = anyhow::Result<bool>>) -> ExitCode {
    logging::start_for_a_command();
    let done = runtime()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| runtime.block_on(work));
    ExitCode::from(exit_code_of(done))
}

/// The exit code of a command; why it failed is printed.
fn exit_code_of(done: anyhow::Result<bool>) -> u8 {
    match done {
        Ok(well) => u8::from(!well),
        Err(error) => {
            printing::print_error(&format!("porchlight: {}", with_causes(&error)));
            if is_usage(&error) { 2 } else { 1 }
        }
    }
}

/// An error with its causes, as `{:#}` prints it, but each text once: most of our errors have that of
/// their cause in their own.
fn with_causes(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// 2 for wrong arguments or settings, 1 for everything else.
pub(crate) fn exit_code(error: &Message) -> u8 {
    match error {
        Message::Settings { .. } => 2,
        _ => 1,
    }
}

/// Whether the arguments or the settings are wrong, not the machine.
fn is_usage(error: &anyhow::Error) -> bool {
    error.is::<UsageError>()
        || error.is::<Problems>()
        || matches!(error.downcast_ref(), Some(Message::Settings { .. }))
        || matches!(error.downcast_ref(), Some(EdgeError::Settings(_)))
        || matches!(
            error.downcast_ref(),
            Some(DeployError::Settings(EdgeError::Settings(_)))
        )
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

/// Runs this on a runtime of its own, until it ends.
fn run_for_long(service: impl Future<Output = ExitCode>) -> ExitCode {
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error, 1),
    };
    let code = runtime.block_on(service);
    runtime.shutdown_timeout(LAST_WORK_LIMIT);
    code
}

/// Prints on standard error why it did not work.
pub(crate) fn failed(error: &dyn std::fmt::Display, code: u8) -> ExitCode {
    eprintln!("porchlight: {error}");
    ExitCode::from(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_printed_with_each_cause_once() {
        let cause = std::io::Error::other("the disk is gone");
        let error = anyhow::Error::from(cause).context("no backup: the disk is gone");
        let error = error.context("nothing was written");
        assert_eq!(
            with_causes(&error),
            "nothing was written: no backup: the disk is gone"
        );
    }

    #[test]
    fn the_command_line_is_well_formed() {
        arguments().debug_assert();
    }

    #[test]
    fn only_windows_has_a_setup_that_ends_the_program() {
        let parsed = Arguments::try_parse_from(["porchlight", "--quit"]);
        assert_eq!(parsed.is_ok(), cfg!(windows));
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
