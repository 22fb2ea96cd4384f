//! The foreground window and input from a Wayland compositor with `wlr-foreign-toplevel-management`
//! (sway, labwc, Hyprland, …) and `ext-idle-notify`. KDE has only the second, GNOME neither; both
//! report over the session bus.

use std::collections::HashMap;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::runtime::Handle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use wayland_client::backend::ObjectId;
use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_registry::WlRegistry;
use wayland_client::protocol::wl_seat::WlSeat;
use wayland_client::{
    Connection, Dispatch, EventQueue, Proxy as _, QueueHandle, delegate_noop, event_created_child,
};
use wayland_protocols::ext::idle_notify::v1::client::ext_idle_notification_v1::{
    Event as IdleEvent, ExtIdleNotificationV1,
};
use wayland_protocols::ext::idle_notify::v1::client::ext_idle_notifier_v1::ExtIdleNotifierV1;
use wayland_protocols_wlr::foreign_toplevel::v1::client::zwlr_foreign_toplevel_handle_v1::{
    Event as HandleEvent, State, ZwlrForeignToplevelHandleV1,
};
use wayland_protocols_wlr::foreign_toplevel::v1::client::zwlr_foreign_toplevel_manager_v1::{
    EVT_TOPLEVEL_OPCODE, Event as ManagerEvent, ZwlrForeignToplevelManagerV1,
};

use super::super::foreground::{Foreground, Window};
use super::bus::LOOK_FOR_IT_AGAIN;
use super::{Input, StateWriter, compositor, gnome};
use crate::error::message::Message;

/// How soon the end of the watching is noticed.
const LOOK_EVERY: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// Input counts as gone after this; how long ago is counted from there.
const PAUSE: Duration = Duration::from_secs(1);

/// The reason where neither this nor the session bus reports windows.
const NO_WINDOWS: Message = Message::WaylandNoForeground;

/// Watches on its own thread until `stop` is cancelled, which it notices within
/// a second. Must be called on a tokio runtime.
pub(super) fn open(writer: &StateWriter, stop: &CancellationToken) {
    let (reports, ended) = (writer.clone(), stop.clone());
    let runtime = Handle::current();
    let thread = std::thread::Builder::new().name("wayland".to_owned());
    let started = thread.spawn(move || {
        while !ended.is_cancelled() {
            if let Err(why) = watch(&reports, &ended, &runtime) {
                let why = Message::cause(why.as_ref());
                unknown(
                    &reports,
                    &crate::detail!("the Wayland compositor cannot be asked: {why}"),
                );
                std::thread::park_timeout(LOOK_FOR_IT_AGAIN);
            }
        }
    });
    if let Err(error) = started {
        unknown(
            writer,
            &crate::detail!("there is no thread for it: {why}", why = error),
        );
    }
}

fn unknown(writer: &StateWriter, why: &Message) {
    writer.change(|state| {
        (state.front, state.input) = (Foreground::Unknown, Input::Unknown);
        state.unavailable.front = Some(why.clone());
        state.unavailable.input = Some(why.clone());
    });
}

type AnyError = Box<dyn std::error::Error>;

fn watch(writer: &StateWriter, stop: &CancellationToken, runtime: &Handle) -> Result<(), AnyError> {
    let connection = Connection::connect_to_env()?;
    let (globals, mut queue) = registry_queue_init::<Watching>(&connection)?;
    let handle = queue.handle();
    let windows = globals.bind::<ZwlrForeignToplevelManagerV1, _, _>(&handle, 1..=3, ());
    let seat = globals.bind::<WlSeat, _, _>(&handle, 1..=1, ());
    let notifier = globals.bind::<ExtIdleNotifierV1, _, _>(&handle, 1..=1, ());
    let input = seat.and_then(|seat| Ok((seat, notifier?)));
    if let Ok((seat, notifier)) = &input {
        let pause = u32::try_from(PAUSE.as_millis())?;
        notifier.get_idle_notification(pause, seat, &handle, ());
    }
    let mut watching = Watching {
        writer: writer.clone(),
        knows_windows: windows.is_ok(),
        windows: HashMap::new(),
    };
    writer.change(|state| {
        state.front = match windows {
            Ok(_) => Foreground::Nothing,
            Err(_) => Foreground::Unknown,
        };
        state.unavailable.front = windows.is_err().then_some(NO_WINDOWS);
        state.input = match input {
            Ok(_) => Input::Now,
            Err(_) => Input::Unknown,
        };
        state.unavailable.input = input
            .as_ref()
            .err()
            .map(|_| crate::detail!("this Wayland compositor does not offer it (ext-idle-notify)"));
    });
    let beside = stop.child_token();
    let _until_then = beside.clone().drop_guard();
    if windows.is_err() {
        let windows = compositor::watch(writer.clone(), NO_WINDOWS);
        runtime.spawn(beside.clone().run_until_cancelled_owned(windows));
    }
    if input.is_err() {
        let input = gnome::watch_input(writer.clone());
        runtime.spawn(beside.run_until_cancelled_owned(input));
    }
    while !stop.is_cancelled() {
        wait_and_take(&mut queue, &mut watching)?;
    }
    Ok(())
}

/// Takes the events that are there, or that come within a second.
fn wait_and_take(
    queue: &mut EventQueue<Watching>,
    watching: &mut Watching,
) -> Result<(), AnyError> {
    queue.dispatch_pending(watching)?;
    queue.flush()?;
    if let Some(reading) = queue.prepare_read() {
        let socket = reading.connection_fd();
        let socket = socket.as_fd();
        let mut readable = [PollFd::new(&socket, PollFlags::IN)];
        // An interrupted wait is a short one.
        if poll(&mut readable, Some(&LOOK_EVERY)).is_ok_and(|ready| ready > 0) {
            reading.read()?;
        }
    }
    queue.dispatch_pending(watching)?;
    Ok(())
}

/// A window as its last events left it; they count from the next `done` on.
#[derive(Default)]
struct Toplevel {
    program: String,
    title: String,
    in_front: bool,
    full_screen: bool,
}

struct Watching {
    writer: StateWriter,
    knows_windows: bool,
    windows: HashMap<ObjectId, Toplevel>,
}

impl Watching {
    fn write_foreground(&self) {
        if !self.knows_windows {
            return;
        }
        let in_front = self.windows.values().find(|window| window.in_front);
        let front = in_front.map_or(Foreground::Nothing, |window| {
            Foreground::Window(Arc::new(Window {
                names: Window::names_of([window.program.clone()]),
                title: Window::title_of(&window.title),
                full_screen: window.full_screen,
                ..Window::default()
            }))
        });
        self.writer.change(|state| state.front = front);
    }
}

impl Dispatch<ZwlrForeignToplevelHandleV1, ()> for Watching {
    fn event(
        watching: &mut Self,
        handle: &ZwlrForeignToplevelHandleV1,
        event: HandleEvent,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        let window = watching.windows.entry(handle.id()).or_default();
        match event {
            HandleEvent::Title { title } => window.title = title,
            HandleEvent::AppId { app_id } => window.program = app_id,
            HandleEvent::State { state } => {
                let is = |wanted: State| {
                    let (words, _) = state.as_chunks::<4>();
                    words
                        .iter()
                        .any(|word| u32::from_ne_bytes(*word) == u32::from(wanted))
                };
                window.in_front = is(State::Activated);
                window.full_screen = is(State::Fullscreen);
            }
            HandleEvent::Done => watching.write_foreground(),
            HandleEvent::Closed => {
                watching.windows.remove(&handle.id());
                handle.destroy();
                watching.write_foreground();
            }
            _ => {}
        }
    }
}

impl Dispatch<ZwlrForeignToplevelManagerV1, ()> for Watching {
    fn event(
        watching: &mut Self,
        _: &ZwlrForeignToplevelManagerV1,
        event: ManagerEvent,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let ManagerEvent::Finished = event {
            watching.knows_windows = false;
            watching.writer.change(|state| {
                state.front = Foreground::Unknown;
                state.unavailable.front =
                    Some(crate::detail!("the compositor no longer reports windows"));
            });
        }
    }

    event_created_child!(Watching, ZwlrForeignToplevelManagerV1, [
        EVT_TOPLEVEL_OPCODE => (ZwlrForeignToplevelHandleV1, ()),
    ]);
}

impl Dispatch<ExtIdleNotificationV1, ()> for Watching {
    fn event(
        watching: &mut Self,
        _: &ExtIdleNotificationV1,
        event: IdleEvent,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        let input = match event {
            IdleEvent::Idled => Instant::now()
                .checked_sub(PAUSE)
                .map_or(Input::Now, Input::Last),
            _ => Input::Now,
        };
        watching.writer.change(|state| state.input = input);
    }
}

impl Dispatch<WlRegistry, GlobalListContents> for Watching {
    fn event(
        _: &mut Self,
        _: &WlRegistry,
        _: <WlRegistry as wayland_client::Proxy>::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
    }
}

delegate_noop!(Watching: ignore WlSeat);
delegate_noop!(Watching: ignore ExtIdleNotifierV1);
