//! The foreground window and input from an X11 server.
//!
//! It is queried when it announces a change, and once a second as well: an idle
//! counter announces nothing, and window managers miss events.

use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::errors::{ConnectionError, ReplyError};
use x11rb::protocol::res::{ClientIdMask, ClientIdSpec, ConnectionExt as _};
use x11rb::protocol::screensaver::ConnectionExt as _;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, GetPropertyReply,
    Window as WindowId,
};
use x11rb::protocol::{res, screensaver};
use x11rb::rust_connection::RustConnection;

use super::super::foreground::{Foreground, Icon, Window};
use super::bus::LOOK_FOR_IT_AGAIN;
use super::{Input, StateWriter};
use crate::error::message::{Message, Parameter};

/// From one look to the next where nothing is announced.
const LOOK_EVERY: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// Two readings of the idle counter that differ by less are the same.
const JITTER: Duration = Duration::from_millis(100);

/// The most 32-bit words that are read of an icon, or of a title.
const MOST_WORDS: u32 = 1 << 20;

/// The side of an icon, in pixels, that is large enough to have a colour.
const ICON_SIDE: u32 = 48;

x11rb::atom_manager! {
    Atoms: AtomsCookie {
        _NET_ACTIVE_WINDOW,
        _NET_SUPPORTING_WM_CHECK,
        _NET_WM_ICON,
        _NET_WM_NAME,
        _NET_WM_PID,
        _NET_WM_STATE,
        _NET_WM_STATE_FULLSCREEN,
        UTF8_STRING,
    }
}

/// Watches on its own thread until `stop` is cancelled, which it notices within
/// a second.
pub(super) fn open(writer: &StateWriter, stop: &CancellationToken) {
    let (reports, ended) = (writer.clone(), stop.clone());
    let thread = std::thread::Builder::new().name("x11".to_owned());
    let started = thread.spawn(move || {
        while !ended.is_cancelled() {
            let why = match Screen::connect() {
                Ok(mut screen) => screen.watch(&reports, &ended),
                Err(why) => Err(why),
            };
            if let Err(why) = why {
                unknown(
                    &reports,
                    &crate::detail!("the X11 display cannot be asked: {why}"),
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

struct Screen {
    connection: RustConnection,
    root: WindowId,
    atoms: Atoms,
    has_idle_counter: bool,
    knows_processes: bool,
    /// The foreground window, with what does not change while it exists.
    known: Option<(WindowId, Window)>,
}

impl Screen {
    fn connect() -> Result<Self, Parameter> {
        let (connection, number) =
            x11rb::connect(None).map_err(|error| Parameter::from(error.to_string()))?;
        let root = connection.setup().roots[number].root;
        Self::prepare(connection, root).map_err(|error| Parameter::from(error.to_string()))
    }

    fn prepare(connection: RustConnection, root: WindowId) -> Result<Self, ReplyError> {
        let atoms = Atoms::new(&connection)?.reply()?;
        let has = |name| connection.extension_information(name);
        let has_idle_counter = has(screensaver::X11_EXTENSION_NAME)?.is_some();
        let knows_processes = has(res::X11_EXTENSION_NAME)?.is_some();
        if has_idle_counter {
            connection.screensaver_query_version(1, 1)?.reply()?;
        }
        if knows_processes {
            connection.res_query_version(1, 2)?.reply()?;
        }
        let screen = Self {
            connection,
            root,
            atoms,
            has_idle_counter,
            knows_processes,
            known: None,
        };
        screen.announce_changes_of(root)?;
        Ok(screen)
    }

    /// Queries whenever there may be a change.
    fn watch(&mut self, writer: &StateWriter, stop: &CancellationToken) -> Result<(), Parameter> {
        while !stop.is_cancelled() {
            self.look(writer)
                .map_err(|error| Parameter::from(error.to_string()))?;
            // Events may have arrived with replies; then there is no wait.
            let mut announced = false;
            while let Some(_event) = self
                .connection
                .poll_for_event()
                .map_err(|error| Parameter::from(error.to_string()))?
            {
                announced = true;
            }
            if !announced {
                let stream = self.connection.stream().as_fd();
                let mut readable = [PollFd::new(&stream, PollFlags::IN)];
                // An interrupted wait is a short one.
                let _ = poll(&mut readable, Some(&LOOK_EVERY));
            }
        }
        Ok(())
    }

    fn look(&mut self, writer: &StateWriter) -> Result<(), ConnectionError> {
        let front = self.front()?;
        let input = self.last_input()?;
        writer.change(|state| {
            state.unavailable.front = match front {
                Foreground::Unknown => Some(crate::detail!(
                    "the window manager does not say which window is in front"
                )),
                Foreground::Nothing | Foreground::Window(_) => None,
            };
            state.front = front;
            state.unavailable.input = match input {
                None => Some(crate::detail!(
                    "the X11 server has no idle counter (MIT-SCREEN-SAVER)"
                )),
                Some(_) => None,
            };
            state.input = match (state.input, input) {
                (_, None) => Input::Unknown,
                (Input::Last(known), Some(last))
                    if last.saturating_duration_since(known) < JITTER =>
                {
                    Input::Last(known)
                }
                (_, Some(last)) => Input::Last(last),
            };
        });
        Ok(())
    }

    fn last_input(&self) -> Result<Option<Instant>, ConnectionError> {
        if !self.has_idle_counter {
            return Ok(None);
        }
        let request = self.connection.screensaver_query_info(self.root)?;
        let reply = lasting(request.reply())?;
        Ok(reply.and_then(|reply| {
            Instant::now().checked_sub(Duration::from_millis(reply.ms_since_user_input.into()))
        }))
    }

    fn front(&mut self) -> Result<Foreground, ConnectionError> {
        let active = self.words(self.root, self.atoms._NET_ACTIVE_WINDOW, AtomEnum::WINDOW)?;
        let Some(&id) = active.first().filter(|id| **id != 0) else {
            self.known = None;
            let manager = self.atoms._NET_SUPPORTING_WM_CHECK;
            let manager = self.words(self.root, manager, AtomEnum::WINDOW)?;
            return Ok(match manager.is_empty() {
                true => Foreground::Unknown,
                false => Foreground::Nothing,
            });
        };
        let mut window = match self.known.take() {
            Some((known, window)) if known == id => window,
            _ => {
                self.announce_changes_of(id)?;
                self.program_of(id)?
            }
        };
        // Window managers may name a closed window for a while.
        let there = self.connection.get_window_attributes(id)?;
        if lasting(there.reply())?.is_none() {
            return Ok(Foreground::Nothing);
        }
        window.title = self.title(id)?;
        let state = self.words(id, self.atoms._NET_WM_STATE, AtomEnum::ATOM)?;
        window.full_screen = state.contains(&self.atoms._NET_WM_STATE_FULLSCREEN);
        self.known = Some((id, window.clone()));
        Ok(Foreground::Window(Arc::new(window)))
    }

    fn announce_changes_of(&self, window: WindowId) -> Result<(), ConnectionError> {
        let changes = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        // A closed window is no reason to stop.
        let request = self.connection.change_window_attributes(window, &changes)?;
        request.ignore_error();
        self.connection.flush()
    }

    /// What stays the same while the window is there.
    fn program_of(&self, id: WindowId) -> Result<Window, ConnectionError> {
        let class = self.bytes(id, AtomEnum::WM_CLASS.into(), AtomEnum::STRING.into())?;
        // Two texts, each with a zero behind it: the instance, then the class.
        let mut class = class
            .split(|byte| *byte == 0)
            .map(|part| String::from_utf8_lossy(part).into_owned());
        let (instance, class) = (class.next(), class.next());
        let file = self.process(id)?.and_then(file_of);
        let file_name = file
            .as_ref()
            .and_then(|file| Some(file.file_name()?.to_string_lossy().into_owned()));
        Ok(Window {
            names: Window::names_of([class, instance, file_name].into_iter().flatten()),
            file,
            icon: self.icon(id)?.map(Arc::new),
            ..Window::default()
        })
    }

    /// The window's process: from the server, which is right for sandboxed
    /// programs too; else from the program itself.
    fn process(&self, id: WindowId) -> Result<Option<u32>, ConnectionError> {
        if self.knows_processes {
            let request = ClientIdSpec {
                client: id,
                mask: ClientIdMask::LOCAL_CLIENT_PID,
            };
            let reply = lasting(self.connection.res_query_client_ids(&[request])?.reply())?;
            let pid = reply.and_then(|reply| reply.ids.first()?.value.first().copied());
            if pid.is_some() {
                return Ok(pid);
            }
        }
        let reply = self.words(id, self.atoms._NET_WM_PID, AtomEnum::CARDINAL)?;
        Ok(reply.first().copied())
    }

    fn title(&self, id: WindowId) -> Result<String, ConnectionError> {
        let (name, utf8) = (self.atoms._NET_WM_NAME, self.atoms.UTF8_STRING);
        let mut title = self.bytes(id, name, utf8)?;
        if title.is_empty() {
            title = self.bytes(id, AtomEnum::WM_NAME.into(), AtomEnum::ANY.into())?;
        }
        Ok(Window::title_of(&text_of(title)))
    }

    /// The smallest of the window's icons that is large enough; without one
    /// the largest.
    fn icon(&self, id: WindowId) -> Result<Option<Icon>, ConnectionError> {
        let words = self.words(id, self.atoms._NET_WM_ICON, AtomEnum::CARDINAL)?;
        let mut icons = Vec::new();
        let mut rest = words.as_slice();
        // Each: width, height, then ARGB pixels.
        while let [width, height, after @ ..] = rest {
            let pixels = usize::try_from(u64::from(*width) * u64::from(*height));
            let Some((pixels, more)) = pixels.ok().and_then(|count| after.split_at_checked(count))
            else {
                break;
            };
            icons.push((*width.min(height), pixels));
            rest = more;
        }
        icons.sort_by_key(|(side, _)| *side);
        let chosen = icons
            .iter()
            .find(|(side, _)| *side >= ICON_SIDE)
            .or(icons.last());
        Ok(chosen.map(|(_, pixels)| Icon {
            rgba: pixels
                .iter()
                .flat_map(|argb| {
                    let [alpha, red, green, blue] = argb.to_be_bytes();
                    [red, green, blue, alpha]
                })
                .collect(),
        }))
    }

    fn words(
        &self,
        window: WindowId,
        property: Atom,
        kind: AtomEnum,
    ) -> Result<Vec<u32>, ConnectionError> {
        let reply = self.property(window, property, kind.into())?;
        let words = reply
            .as_ref()
            .and_then(|reply| Some(reply.value32()?.collect()));
        Ok(words.unwrap_or_default())
    }

    fn bytes(
        &self,
        window: WindowId,
        property: Atom,
        kind: Atom,
    ) -> Result<Vec<u8>, ConnectionError> {
        let reply = self.property(window, property, kind)?;
        let reply = reply.filter(|reply| reply.format == 8);
        Ok(reply.map(|reply| reply.value).unwrap_or_default())
    }

    fn property(
        &self,
        window: WindowId,
        property: Atom,
        kind: Atom,
    ) -> Result<Option<GetPropertyReply>, ConnectionError> {
        let request = self
            .connection
            .get_property(false, window, property, kind, 0, MOST_WORDS)?;
        lasting(request.reply())
    }
}

/// An error of the server counts as no value, since the window may be closed; a
/// broken connection stays an error.
fn lasting<T>(reply: Result<T, ReplyError>) -> Result<Option<T>, ConnectionError> {
    match reply {
        Ok(reply) => Ok(Some(reply)),
        Err(ReplyError::X11Error(_)) => Ok(None),
        Err(ReplyError::ConnectionError(error)) => Err(error),
    }
}

/// The file that a process was started from; `None` where it is another user's or gone.
pub(super) fn file_of(pid: u32) -> Option<PathBuf> {
    let file = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    // An update has replaced it while it ran.
    let path = file.to_str()?;
    Some(PathBuf::from(
        path.strip_suffix(" (deleted)").unwrap_or(path),
    ))
}

/// A title as UTF-8, or else as Latin-1. Empty for one that switches between character sets (compound text,
/// of programs that do not use `_NET_WM_NAME`): read in part, it might not match the private list.
fn text_of(bytes: Vec<u8>) -> String {
    const ESCAPE: char = '\u{1b}';
    let text = String::from_utf8(bytes);
    let text =
        text.unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect());
    if text.contains(|sign| sign == ESCAPE || ('\u{80}'..='\u{9f}').contains(&sign)) {
        return String::new();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{file_of, text_of};

    #[test]
    fn a_title_is_read_whole_or_not_at_all() {
        for (written, text) in [
            ("招商银行 — plain".as_bytes(), "招商银行 — plain"),
            (b"Soci\xe9t\xe9 G\xe9n\xe9rale", "Société Générale"),
            (b"\x1b$(B;YIUJu", ""),
            (b"secret \x1b%G\xe2\x80\x94\x1b%@ Private Browsing", ""),
            (b"\x9b1]one\xe9", ""),
        ] {
            assert_eq!(text_of(written.to_vec()), text);
        }
    }

    #[test]
    fn a_process_is_known_by_its_file() {
        assert_eq!(
            file_of(std::process::id()),
            std::env::current_exe().ok(),
            "this very process"
        );
        assert_eq!(file_of(u32::MAX), None);
    }
}
