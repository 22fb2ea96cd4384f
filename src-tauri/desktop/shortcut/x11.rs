//! Keys asked of an X server, by the core protocol's `GrabKey`
//! (x.org/releases/current/doc/xproto/x11protocol.html). A separate thread
//! sleeps until one is pressed.

use std::sync::Arc;

use parking_lot::Mutex;
use porchlight_api::Message;
use porchlight_app::settings::shortcut::{Key, Shortcut};
use x11rb::connection::Connection as _;
use x11rb::errors::ReplyError;
use x11rb::protocol::xproto::{ConnectionExt as _, GrabMode, Keycode, ModMask, Window};
use x11rb::protocol::{ErrorKind, Event};
use x11rb::rust_connection::RustConnection;

/// Locks that may be on while keys are pressed: Caps Lock, Num Lock (which
/// every usual keyboard map has as the second modifier), and both.
const LOCKS: [ModMask; 2] = [ModMask::LOCK, ModMask::M2];

/// Listens for keys. Its thread lasts as long as the X server.
pub(super) struct Listener {
    x: Arc<X>,
    thread: std::thread::JoinHandle<()>,
}

struct X {
    connection: RustConnection,
    root: Window,
    /// The shortcut, and where its key is on this keyboard.
    asked: Mutex<Option<(Shortcut, Keycode)>>,
}

impl Listener {
    /// Begins; nothing is asked for yet. `pressed` is called at each press.
    ///
    /// # Errors
    /// When there is no X server or no thread.
    pub(super) fn start(pressed: impl Fn() + Send + 'static) -> Result<Self, Message> {
        let (connection, screen) =
            x11rb::connect(None).map_err(|error| Message::XServerSilent {
                why: error.to_string().into(),
            })?;
        let root = connection.setup().roots[screen].root;
        let x = Arc::new(X {
            connection,
            root,
            asked: Mutex::default(),
        });
        let thread = std::thread::Builder::new()
            .name("shortcut".to_owned())
            .spawn({
                let x = Arc::clone(&x);
                move || x.listen(pressed)
            })
            .map_err(|error| Message::NoThreadForKeys { why: error.into() })?;
        Ok(Self { x, thread })
    }

    /// Whether the X server has gone.
    pub(super) fn ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Listens for these keys and for no others.
    ///
    /// # Errors
    /// When they cannot be had; then none are listened for.
    pub(super) fn listen(&self, shortcut: Option<Shortcut>) -> Result<(), Message> {
        let mut asked = self.x.asked.lock();
        if let Some((before, key)) = asked.take() {
            self.x.give_back(before, key);
        }
        if let Some(shortcut) = shortcut {
            *asked = Some((shortcut, self.x.ask_for(shortcut)?));
        }
        Ok(())
    }
}

impl X {
    /// Receives keys until the X server is gone.
    fn listen(&self, pressed: impl Fn()) {
        loop {
            match self.connection.wait_for_event() {
                Ok(Event::KeyPress(press)) => {
                    let asked = *self.asked.lock();
                    if asked.is_some_and(|(_, key)| key == press.detail) {
                        pressed();
                    }
                }
                Ok(Event::MappingNotify(_)) => self.ask_again(),
                Ok(_) => {}
                Err(error) => {
                    tracing::info!(%error, "the shortcut has ended with the X server");
                    return;
                }
            }
        }
    }

    /// After the keyboard's map has changed, the key may be another one.
    fn ask_again(&self) {
        let mut asked = self.asked.lock();
        let Some((shortcut, key)) = *asked else {
            return;
        };
        if self.keycode(shortcut.key).is_ok_and(|now| now == Some(key)) {
            return;
        }
        self.give_back(shortcut, key);
        *asked = match self.ask_for(shortcut) {
            Ok(key) => Some((shortcut, key)),
            Err(why) => {
                tracing::warn!("the shortcut is lost with the new keyboard map: {why}");
                None
            }
        };
    }

    fn ask_for(&self, shortcut: Shortcut) -> Result<Keycode, Message> {
        let key = self
            .keycode(shortcut.key)
            .map_err(|error| Message::NoKeyboardMap {
                why: error.to_string().into(),
            })?
            .ok_or(Message::NoSuchKey)?;
        for held in held(shortcut) {
            let asked = self
                .connection
                .grab_key(
                    false,
                    self.root,
                    held,
                    key,
                    GrabMode::ASYNC,
                    GrabMode::ASYNC,
                )
                .map_err(ReplyError::from)
                .and_then(|asked| asked.check());
            if let Err(error) = asked {
                self.give_back(shortcut, key);
                return Err(match error {
                    ReplyError::X11Error(error) if error.error_kind == ErrorKind::Access => {
                        Message::KeysTaken
                    }
                    other => Message::KeysRefused {
                        why: other.to_string().into(),
                    },
                });
            }
        }
        Ok(key)
    }

    fn give_back(&self, shortcut: Shortcut, key: Keycode) {
        for held in held(shortcut) {
            if let Ok(given) = self.connection.ungrab_key(key, self.root, held) {
                given.ignore_error();
            }
        }
        // Where the server is gone, so are the keys.
        let _ = self.connection.flush();
    }

    fn keycode(&self, key: Key) -> Result<Option<Keycode>, ReplyError> {
        let setup = self.connection.setup();
        let first = setup.min_keycode;
        let count = setup.max_keycode - first + 1;
        let map = self
            .connection
            .get_keyboard_mapping(first, count)?
            .reply()?;
        let wanted = keysym(key);
        let each = usize::from(map.keysyms_per_keycode).max(1);
        let mut keys = (first..=setup.max_keycode).zip(map.keysyms.chunks(each));
        Ok(keys
            .find(|(_, signs)| signs.contains(&wanted))
            .map(|(key, _)| key))
    }
}

/// What is held down beside the key, with each lock on and off.
fn held(shortcut: Shortcut) -> [ModMask; 4] {
    let mut held = ModMask::default();
    for (wanted, mask) in [
        (shortcut.control, ModMask::CONTROL),
        (shortcut.alt, ModMask::M1),
        (shortcut.shift, ModMask::SHIFT),
        (shortcut.system, ModMask::M4),
    ] {
        if wanted {
            held |= mask;
        }
    }
    let [caps, num] = LOCKS;
    [held, held | caps, held | num, held | caps | num]
}

/// The number of the sign on a key, of X11's keysymdef.h. Letters are on their
/// keys in lower case, too.
fn keysym(key: Key) -> u32 {
    match key {
        // Latin-1 signs are their own numbers.
        Key::Sign(sign) => u32::from(sign),
        Key::Function(number) => 0xffbd + u32::from(number),
        Key::Print => 0xff61,
        Key::Insert => 0xff63,
        Key::Pause => 0xff13,
        Key::Home => 0xff50,
        Key::End => 0xff57,
        Key::PageUp => 0xff55,
        Key::PageDown => 0xff56,
    }
}
