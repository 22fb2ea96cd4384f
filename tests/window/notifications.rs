//! The notification service of a test's desktop, and what was shown.

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use zbus::object_server::SignalEmitter;
use zbus::{Connection, connection, interface};

use crate::desktop::Desktop;
use crate::harness::TIMEOUT;

const NAME: &str = "org.freedesktop.Notifications";
const OBJECT: &str = "/org/freedesktop/Notifications";

/// A notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notification {
    /// Its number.
    pub(crate) number: u32,
    /// The one whose place it took; 0 for none.
    pub(crate) replaced: u32,
    /// Its title.
    pub(crate) title: String,
    /// The text below the title.
    pub(crate) body: String,
}

struct Server {
    last: u32,
    /// Whether markup is read in it.
    markup: bool,
    shown: UnboundedSender<Notification>,
}

#[interface(name = "org.freedesktop.Notifications")]
impl Server {
    fn get_capabilities(&self) -> Vec<&'static str> {
        let all = ["body", "actions", "body-markup"];
        all[..all.len() - usize::from(!self.markup)].to_vec()
    }

    #[expect(clippy::too_many_arguments, reason = "the specification has them")]
    fn notify(
        &mut self,
        _application: &str,
        replaced: u32,
        _icon: &str,
        title: &str,
        body: &str,
        _actions: Vec<String>,
        _hints: std::collections::HashMap<String, zbus::zvariant::OwnedValue>,
        _milliseconds: i32,
    ) -> u32 {
        self.last += 1;
        let number = if replaced == 0 { self.last } else { replaced };
        let shown = Notification {
            number,
            replaced,
            title: title.to_owned(),
            body: body.to_owned(),
        };
        self.shown.send(shown).expect("a test that listens");
        number
    }

    #[zbus(signal)]
    async fn action_invoked(
        emitter: &SignalEmitter<'_>,
        number: u32,
        action: &str,
    ) -> zbus::Result<()>;
}

/// Shows notifications on a desktop.
pub(crate) struct Notifications {
    bus: Connection,
    shown: UnboundedReceiver<Notification>,
}

impl Notifications {
    /// From now on, reading markup.
    pub(crate) async fn start(desktop: &Desktop) -> Self {
        Self::begin_with(desktop, true).await
    }

    /// From now on.
    pub(crate) async fn begin_with(desktop: &Desktop, markup: bool) -> Self {
        let (send, shown) = unbounded_channel();
        let server = Server {
            last: 0,
            markup,
            shown: send,
        };
        let bus = connection::Builder::address(desktop.bus())
            .and_then(|bus| bus.name(NAME))
            .and_then(|bus| bus.serve_at(OBJECT, server))
            .expect("a name");
        Self {
            bus: bus.build().await.expect("a bus"),
            shown,
        }
    }

    /// The next one.
    pub(crate) async fn next(&mut self) -> Notification {
        let next = tokio::time::timeout(TIMEOUT, self.shown.recv()).await;
        next.expect("a notification").expect("the server is there")
    }

    /// One that was shown and not read yet.
    pub(crate) fn another(&mut self) -> Option<Notification> {
        self.shown.try_recv().ok()
    }

    /// The owner clicks it.
    pub(crate) async fn click(&self, notification: &Notification) {
        let emitter = SignalEmitter::new(&self.bus, OBJECT).expect("an object");
        let clicked = Server::action_invoked(&emitter, notification.number, "default");
        clicked.await.expect("a signal");
    }
}
