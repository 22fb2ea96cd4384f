//! What is on the screen: whether the window is drawn, and closing it.

use std::collections::HashSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, ImageFormat, MapState, Window,
};
use x11rb::rust_connection::RustConnection;

use crate::Result;

const TITLE: &[u8] = b"Porchlight";
const LOOK_EVERY: Duration = Duration::from_millis(4);
const GIVE_UP_AFTER: Duration = Duration::from_secs(60);
/// A page of text and images has many more colours than a blank one, or one
/// that is loading.
const COLOURS_OF_A_PAGE: usize = 200;

/// A connection to the screen.
pub(crate) struct Screen {
    connection: RustConnection,
    root: Window,
}

impl Screen {
    /// Opens this display.
    ///
    /// # Errors
    /// When it is not there.
    pub(crate) fn at(display: &str) -> Result<Self> {
        let (connection, number) = RustConnection::connect(Some(display))?;
        let root = connection.setup().roots[number].root;
        Ok(Self { connection, root })
    }

    /// Waits until the window shows a drawn page.
    ///
    /// # Errors
    /// When it does not within a minute.
    pub(crate) fn wait_until_drawn(&self) -> Result<()> {
        self.wait("the window was not drawn", || {
            Ok(match self.window()? {
                Some(window) => self.colours(window)? >= COLOURS_OF_A_PAGE,
                None => false,
            })
        })
    }

    /// Asks the window manager to close the window, as its button does, and
    /// waits until it is gone.
    ///
    /// # Errors
    /// When it stays for a minute.
    pub(crate) fn close(&self) -> Result<()> {
        let window = self.window()?.ok_or("there is no window to close")?;
        let close = self.connection.intern_atom(false, b"_NET_CLOSE_WINDOW")?;
        let close = close.reply()?.atom;
        let by_the_owner = 2;
        let event = ClientMessageEvent::new(32, window, close, [0, by_the_owner, 0, 0, 0]);
        let to = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
        self.connection.send_event(false, self.root, to, event)?;
        self.connection.flush()?;
        self.wait("the window did not close", || Ok(self.window()?.is_none()))
    }

    fn wait(&self, what: &str, seen: impl Fn() -> Result<bool>) -> Result<()> {
        let began = Instant::now();
        while !seen()? {
            if began.elapsed() > GIVE_UP_AFTER {
                return Err(what.into());
            }
            sleep(LOOK_EVERY);
        }
        Ok(())
    }

    /// The app's window, by the list that the window manager keeps.
    fn window(&self) -> Result<Option<Window>> {
        let clients = self.connection.intern_atom(false, b"_NET_CLIENT_LIST")?;
        let clients = clients.reply()?.atom;
        let list = self
            .connection
            .get_property(false, self.root, clients, AtomEnum::WINDOW, 0, 1024)?
            .reply()?;
        for window in list.value32().into_iter().flatten() {
            let title = self.connection.get_property(
                false,
                window,
                AtomEnum::WM_NAME,
                AtomEnum::ANY,
                0,
                64,
            )?;
            // It may have gone since it was listed.
            if title.reply().is_ok_and(|title| title.value == TITLE) {
                return Ok(Some(window));
            }
        }
        Ok(None)
    }

    /// How many colours the window shows; none while it is not on the screen.
    fn colours(&self, window: Window) -> Result<usize> {
        let attributes = self.connection.get_window_attributes(window)?.reply();
        if !attributes.is_ok_and(|of| of.map_state == MapState::VIEWABLE) {
            return Ok(0);
        }
        let Ok(size) = self.connection.get_geometry(window)?.reply() else {
            return Ok(0);
        };
        // From the root, where everything is as it is seen.
        let at = self
            .connection
            .translate_coordinates(window, self.root, 0, 0)?
            .reply();
        let Ok(at) = at else { return Ok(0) };
        let image = self.connection.get_image(
            ImageFormat::Z_PIXMAP,
            self.root,
            at.dst_x,
            at.dst_y,
            size.width,
            size.height,
            !0,
        )?;
        // Partly beyond the screen for a moment, it cannot be had.
        let Ok(image) = image.reply() else {
            return Ok(0);
        };
        let pixels = image.data.chunks_exact(4);
        let colours: HashSet<&[u8]> = pixels.step_by(3).map(|pixel| &pixel[..3]).collect();
        Ok(colours.len())
    }
}
