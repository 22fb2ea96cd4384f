//! A mouse on a compositor, by wlr-virtual-pointer: what xdotool is to an X
//! server.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Instant;

use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_pointer::ButtonState;
use wayland_client::protocol::wl_registry::{self, WlRegistry};
use wayland_client::{Connection, Dispatch, EventQueue, QueueHandle, delegate_noop};
use wayland_protocols_wlr::virtual_pointer::v1::client::zwlr_virtual_pointer_manager_v1::ZwlrVirtualPointerManagerV1;
use wayland_protocols_wlr::virtual_pointer::v1::client::zwlr_virtual_pointer_v1::ZwlrVirtualPointerV1;

/// The left button, by its number in the kernel.
const LEFT: u32 = 0x110;

/// A mouse; dropping it unplugs it.
pub(crate) struct Pointer {
    queue: EventQueue<IgnoreEvents>,
    pointer: ZwlrVirtualPointerV1,
    started: Instant,
}

/// A receiver that ignores all events.
struct IgnoreEvents;

impl Dispatch<WlRegistry, GlobalListContents> for IgnoreEvents {
    fn event(
        _: &mut Self,
        _: &WlRegistry,
        _: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
    }
}

delegate_noop!(IgnoreEvents: ZwlrVirtualPointerManagerV1);
delegate_noop!(IgnoreEvents: ZwlrVirtualPointerV1);

impl Pointer {
    /// One on the compositor with this socket.
    pub(crate) fn plug_in(socket: &Path) -> Self {
        let socket = UnixStream::connect(socket).expect("a compositor");
        let connection = Connection::from_socket(socket).expect("a connection");
        let (globals, queue) =
            registry_queue_init::<IgnoreEvents>(&connection).expect("its globals");
        let handle = queue.handle();
        let manager: ZwlrVirtualPointerManagerV1 =
            globals.bind(&handle, 1..=2, ()).expect("a manager");
        let pointer = manager.create_virtual_pointer(None, &handle, ());
        Self {
            queue,
            pointer,
            started: Instant::now(),
        }
    }

    /// Moves to this place on a screen of this size.
    pub(crate) fn to(&mut self, (x, y): (u32, u32), (width, height): (u32, u32)) {
        self.pointer
            .motion_absolute(self.now(), x, y, width, height);
        self.seen();
    }

    /// Presses the left button.
    pub(crate) fn press(&mut self) {
        self.pointer.button(self.now(), LEFT, ButtonState::Pressed);
        self.seen();
    }

    /// Lets it go.
    pub(crate) fn release(&mut self) {
        self.pointer.button(self.now(), LEFT, ButtonState::Released);
        self.seen();
    }

    fn now(&self) -> u32 {
        u32::try_from(self.started.elapsed().as_millis()).expect("a short test")
    }

    /// The compositor has seen all that was done.
    fn seen(&mut self) {
        self.pointer.frame();
        self.queue
            .roundtrip(&mut IgnoreEvents)
            .expect("a compositor");
    }
}
