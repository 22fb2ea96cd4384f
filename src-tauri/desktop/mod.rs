//! The tray app: the service of one data folder with an icon in the tray, and
//! a window when one is wanted.
//!
//! The window talks to this process alone, by commands and a private scheme.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use parking_lot::Mutex;
use porchlight_service::app::host::{Host, Kind, StartOptions, TrayOptions};
use porchlight_service::error::message::Message;
use porchlight_service::files::data_dir;
use porchlight_service::state::{State, StateReader};
use porchlight_service::text::image_hash::ImageHash;
use porchlight_service::uploads::handed;
use tauri::{App, AppHandle, Context, Manager as _, RunEvent};
use tokio::sync::broadcast;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::cli::{self, control, serve};

mod commands;
mod csv_export;
mod dbus;
mod desktop_entries;
mod dialogs;
mod early_starts;
mod events;
mod home;
mod i18n;
mod image_protocol;
mod links;
mod notifications;
mod page_events;
mod pictures;
mod restart;
mod shortcut;
mod startup_error;
mod theme;
mod tray;
mod tray_icon;
mod uploads;
#[cfg(target_os = "linux")]
mod webkit;
mod window;
mod window_events;

use early_starts::EarlyStarts;

/// What is put on the clipboard of X11 is there for as long as this.
#[derive(Default)]
struct Clipboard(Mutex<Option<arboard::Clipboard>>);

/// The data folder of this run, as the window's parts need it.
struct Folder(PathBuf);

// The options of a second start; `cli` reads the same of a first one.
const HIDDEN: &str = "--hidden";
const UPLOAD: &str = "--upload";
const UPLOAD_CLIPBOARD: &str = "--upload-clipboard";

/// Windows ends a process that takes five seconds for the end of its session. macOS names no limit.
const SESSION_ENDS_WITHIN: Duration = Duration::from_millis(4500);

/// Whether the desktop has a tray; `None` until that is known.
type TrayThere = StateReader<Option<bool>>;

struct InTray {
    /// Whether the system has what it takes.
    put_up: bool,
    there: TrayThere,
}

/// Runs the tray app until it is quit. Gives back the exit code: 0 also when
/// another one already runs for the same data folder, which then brings its
/// window to the front or uploads the files that were handed over.
pub(crate) fn run(options: StartOptions, start: TrayOptions) -> ExitCode {
    #[cfg(target_os = "linux")]
    webkit::decide_who_paints();
    let runtime = match cli::runtime() {
        Ok(runtime) => runtime,
        Err(error) => return cli::failed(&error, 1),
    };
    tauri::async_runtime::set(runtime.handle().clone());
    // Before anything is opened: a signal that comes early is not lost.
    let signals = match runtime.block_on(async { serve::Signals::listen() }) {
        Ok(signals) => signals,
        Err(error) => return cli::failed(&error, 1),
    };
    let folder = match data_dir::place(options.data_dir.clone()) {
        Ok(place) => data_dir::full_path(&place),
        Err(error) => return cli::failed(&error, 2),
    };
    let handed = (!start.upload.is_empty()).then(|| handed::hand(&folder, &start.upload));
    let _handed = match handed.transpose() {
        Ok(handed) => handed,
        Err(error) => return cli::failed(&format!("the files cannot be handed over: {error}"), 1),
    };
    // Who uploads is at another program, and stays there.
    let hidden = start.hidden || start.upload_clipboard || !start.upload.is_empty();
    let language = startup_error::language(&options);
    let (notices, received) = notifications::Notices::new();
    let app = match build(&folder, notices) {
        Ok(app) => app,
        Err(why) => return cli::failed(&why, 1),
    };
    let host = match runtime.block_on(Host::start(options, Kind::Desktop)) {
        Ok(host) => host,
        Err(error) => return startup_error::show(app, &runtime, signals, &error, language),
    };
    let added = host.service().images().added();
    handed::take_back(&folder);
    runtime.block_on(async { control::serve(&host) });
    serve::print_ready(&host);
    let icons = match tempfile::tempdir() {
        Ok(icons) => Some(icons),
        Err(error) => {
            tracing::warn!(%error, "there is no tray: its pictures have no place");
            None
        }
    };
    app.manage(Folder(folder.clone()));
    app.manage(host.clone());
    let alerts = events::alerts(&host);
    let content = events::for_the_tray(&host, &alerts, &[]);
    let put_up = icons
        .as_ref()
        .is_some_and(|icons| tray::put_up(app.handle(), icons.path(), content));
    let write_tray = State::new((!put_up).then_some(false));
    let there = write_tray.reader();
    app.manage(InTray {
        put_up,
        there: there.clone(),
    });
    let mut beside = JoinSet::new();
    {
        let _runtime = runtime.enter();
        begin(&mut beside, app.handle(), &host, signals, added);
        let entries_of = folder.clone();
        beside.spawn_blocking(move || desktop_entries::renew(&entries_of));
        beside.spawn(live_in_session(app.handle().clone(), received, write_tray));
        beside.spawn(notifications::notify_without_tray(
            app.handle().clone(),
            there,
            hidden,
        ));
    }
    uploads::upload_handed(app.handle());
    for arguments in app.state::<EarlyStarts>().take() {
        second_start(app.handle(), arguments);
    }
    if start.upload_clipboard {
        uploads::upload_from_clipboard(app.handle());
    }
    if !hidden {
        window::open(app.handle());
    }
    let handle = app.handle().clone();
    let mut is_quit = false;
    let (ended, on) = (host.clone(), runtime.handle().clone());
    let code = app.run_return(move |_, event| match event {
        // The last window is closed; the service goes on.
        RunEvent::ExitRequested {
            code: None, api, ..
        } => api.prevent_exit(),
        RunEvent::ExitRequested { .. } => is_quit = true,
        // On Windows the session ends; macOS also sends this for its own "Quit". The process is ended
        // as soon as this returns.
        RunEvent::Exit if cfg!(not(target_os = "linux")) && !is_quit => {
            on.block_on(async {
                let stop = async {
                    ended.uploads().all_taken().await;
                    ended.clone().stop().await;
                };
                if timeout(SESSION_ENDS_WITHIN, stop).await.is_err() {
                    tracing::warn!("the session ended before everything was done");
                }
            });
        }
        _ => {}
    });
    runtime.block_on(host.uploads().all_taken());
    // A program that keeps what was copied takes it now.
    drop(handle.state::<Clipboard>().0.lock().take());
    // There is no window or tray to update any more.
    runtime.block_on(beside.shutdown());
    runtime.block_on(host.stop());
    let again = restart::is_wanted(&handle);
    runtime.shutdown_timeout(cli::LAST_WORK_LIMIT);
    if again {
        // Nothing of this run is in the way of the next.
        drop((handle, icons));
        return restart::start();
    }
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// The app with all that it needs of the system, and nothing that runs yet.
/// Ends the process where another one has the same data folder.
fn build(folder: &Path, notices: notifications::Notices) -> Result<App, String> {
    if cfg!(target_os = "linux") && !has_display() {
        return Err(
            "there is no display: `porchlight serve` runs the same service without a \
                    window"
                .to_owned(),
        );
    }
    let mut context: Context = tauri::generate_context!();
    let identifier = &context.config().identifier;
    let bus_name = format!("{identifier}.at_{}", desktop_entries::fingerprint(folder));
    if cfg!(windows) {
        // By the identifier alone a start finds the one that runs there, whatever its data folder.
        context.config_mut().identifier.clone_from(&bus_name);
    }
    // What was remembered of the window belongs to the data folder, too.
    let window_state = folder.join("window.json").to_string_lossy().into_owned();
    let builder = tauri::Builder::default()
        .plugin(
            tauri_plugin_single_instance::Builder::new()
                .dbus_id(bus_name)
                .callback(|app, arguments, _| second_start(app, arguments))
                .build(),
        )
        .plugin(tauri_plugin_dialog::init())
        .plugin(
            tauri_plugin_window_state::Builder::new()
                .with_state_flags(kept_of_the_window())
                .with_filename(window_state)
                .build(),
        )
        .manage(events::Changes::default())
        .manage(theme::Colours::default())
        .manage(window::OneAtATime::default())
        .manage(window::BeganWithoutWebView::now())
        .manage(notices)
        .manage(shortcut::Keys::default())
        .manage(restart::RestartRequest::default())
        .manage(commands::TypedFields::default())
        .manage(commands::ChosenBlog::default())
        .manage(window::RequestedPage::default())
        .manage(EarlyStarts::default())
        .manage(Clipboard::default())
        .register_asynchronous_uri_scheme_protocol(image_protocol::SCHEME, image_protocol::answer)
        .on_window_event(window_events::on_event)
        .invoke_handler(commands::all());
    #[cfg(not(target_os = "linux"))]
    let builder = builder.plugin(tauri_plugin_global_shortcut::Builder::new().build());
    // GTK panics where the display cannot be reached.
    match catch_unwind(AssertUnwindSafe(|| builder.build(context))) {
        Ok(Ok(app)) => Ok(app),
        Ok(Err(error)) => Err(format!("the window system cannot be used: {error}")),
        Err(_) => Err(
            "the display cannot be reached: `porchlight serve` runs the same service \
                       without a window"
                .to_owned(),
        ),
    }
}

fn kept_of_the_window() -> tauri_plugin_window_state::StateFlags {
    use tauri_plugin_window_state::StateFlags;
    StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED
}

fn begin(
    beside: &mut JoinSet<()>,
    app: &AppHandle,
    host: &Host,
    signals: serve::Signals,
    added: broadcast::Receiver<ImageHash>,
) {
    uploads::begin(beside, app);
    beside.spawn(events::follow_images(app.clone()));
    beside.spawn(events::follow_posts(app.clone()));
    let changes = app.state::<events::Changes>().subscribe();
    beside.spawn(events::follow(app.clone(), changes));
    let outcomes = host.uploads().outcomes();
    beside.spawn(notifications::follow_watched(
        app.clone(),
        outcomes.resubscribe(),
    ));
    beside.spawn(links::copy_those_of_watched(
        app.clone(),
        host.clone(),
        outcomes,
    ));
    beside.spawn(notifications::follow_added(app.clone(), added));
    beside.spawn(follow_settings(app.clone()));
    beside.spawn(events::follow_presence(app.clone()));
    beside.spawn(page_events::of_settings(app.clone(), host.clone()));
    beside.spawn(page_events::of_work(app.clone(), host.clone()));
    beside.spawn(page_events::of_edge_setup(app.clone(), host.clone()));
    beside.spawn(page_events::of_log(app.clone()));
    let app = app.clone();
    beside.spawn(async move {
        signals.one().await;
        app.exit(0);
    });
}

/// What follows a change of the settings at once, until the app ends: the colours, and the keys that
/// upload. The words do by themselves, since they are looked up whenever something is shown.
async fn follow_settings(app: AppHandle) {
    // Whoever changes the settings does not wait for the X server.
    let mut changes = host_of(&app).store().changes();
    let mut keys = String::new();
    loop {
        theme::follow(&app);
        let wanted = host_of(&app).settings().app.upload_shortcut.clone();
        if keys != wanted {
            keys.clone_from(&wanted);
            let app = app.clone();
            // The X server is asked, and answers when it likes.
            let asked =
                tauri::async_runtime::spawn_blocking(move || shortcut::follow(&app, &wanted));
            if let Err(error) = asked.await {
                tracing::error!(%error, "the shortcut could not be changed");
            }
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

/// What speaks on the session bus, for as long as the app runs.
async fn live_in_session(
    app: AppHandle,
    received: notifications::Received,
    write_tray: State<Option<bool>>,
) {
    let session = dbus::Session::join().await;
    if let Err(why) = &session {
        tracing::warn!("no notifications are shown: {why}");
    }
    let session = session.ok();
    let tray = async {
        match &session {
            Some(session) if app.state::<InTray>().put_up => session.follow_tray(&write_tray).await,
            _ => {
                write_tray.set(Some(false));
            }
        }
    };
    let clicks = async {
        if let Some(session) = &session {
            session.follow_clicks().await;
        }
    };
    let tray_changes = async {
        let mut there = app.state::<InTray>().there.clone();
        while there.changed().await.is_ok() {
            app.state::<events::Changes>().notify();
        }
    };
    let colours = async {
        if let Some(session) = &session {
            let apply = |theme| {
                theme::system_asks_for(&app, theme);
                theme::follow(&app);
            };
            session.follow_colours(apply).await;
        }
    };
    let notices = notifications::follow(app.clone(), session.clone(), received);
    tokio::join!(tray, clicks, tray_changes, colours, notices);
}

/// A bus usually answers sooner.
const TRAY_IS_KNOWN_WITHIN: Duration = Duration::from_secs(5);

/// Whether the icon is to be seen in a tray, as far as that is known.
fn tray_is_there(app: &AppHandle) -> bool {
    app.try_state::<InTray>()
        .is_some_and(|tray| tray.put_up && tray.there.get().unwrap_or(true))
}

/// Waits until it is known whether there is a tray, but not for long.
async fn tray_is_known(app: &AppHandle) {
    let Some(mut there) = app.try_state::<InTray>().map(|tray| tray.there.clone()) else {
        return;
    };
    // Without an answer the default counts.
    let _ = timeout(TRAY_IS_KNOWN_WITHIN, there.wait_for(Option::is_some)).await;
}

fn second_start(app: &AppHandle, arguments: Vec<String>) {
    let is_there = || app.try_state::<Host>().is_some();
    let Some(arguments) = app.state::<EarlyStarts>().keep_unless(is_there, arguments) else {
        return;
    };
    // What follows `--upload` are files.
    let uploads = arguments.iter().position(|argument| argument == UPLOAD);
    let arguments = &arguments[..uploads.unwrap_or(arguments.len())];
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let clipboard = has(UPLOAD_CLIPBOARD);
    if clipboard {
        uploads::upload_from_clipboard(app);
    }
    if !clipboard && uploads.is_none() && !has(HIDDEN) {
        window::open(app);
    }
    uploads::upload_handed(app);
}

fn host_of(app: &AppHandle) -> Host {
    app.state::<Host>().inner().clone()
}

/// Puts a text on the clipboard. The process does, since a webview may keep it from pages.
///
/// # Errors
/// When it is not there.
fn put_on_clipboard<'a>(app: &AppHandle, text: impl Into<Cow<'a, str>>) -> Result<(), Message> {
    let write = || {
        let clipboard = arboard::Clipboard::new()?;
        app.state::<Clipboard>()
            .0
            .lock()
            .insert(clipboard)
            .set_text(text)
    };
    write().map_err(|error: arboard::Error| {
        porchlight_service::detail!(
            "it cannot be put on the clipboard: {why}",
            why = error.to_string()
        )
    })
}

fn has_display() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|display| !display.is_empty()))
}
