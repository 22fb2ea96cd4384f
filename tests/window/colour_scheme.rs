//! A stand-in for a desktop's settings portal (xdg-desktop-portal), which
//! reports whether the desktop is light or dark.

use zbus::object_server::SignalEmitter;
use zbus::zvariant::Value;
use zbus::{Connection, connection, fdo, interface};

use crate::desktop::Desktop;

const NAME: &str = "org.freedesktop.portal.Desktop";
const OBJECT: &str = "/org/freedesktop/portal/desktop";
const KEY: (&str, &str) = ("org.freedesktop.appearance", "color-scheme");

/// The colours that a desktop asks for, as the portal counts them.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scheme {
    Dark = 1,
    Light = 2,
}

struct Settings(Scheme);

#[interface(name = "org.freedesktop.portal.Settings")]
impl Settings {
    fn read(&self, namespace: &str, key: &str) -> fdo::Result<Value<'_>> {
        if (namespace, key) != KEY {
            return Err(fdo::Error::Failed("Requested setting not found".to_owned()));
        }
        // A value in a value, as the real one has it.
        Ok(Value::Value(Box::new(Value::U32(self.0 as u32))))
    }

    #[zbus(signal)]
    async fn setting_changed(
        emitter: &SignalEmitter<'_>,
        namespace: &str,
        key: &str,
        value: Value<'_>,
    ) -> zbus::Result<()>;
}

/// Sets the desktop's colour scheme.
pub(crate) struct ColourScheme(Connection);

impl ColourScheme {
    /// These, from now on.
    pub(crate) async fn start(desktop: &Desktop, scheme: Scheme) -> Self {
        let bus = connection::Builder::address(desktop.bus())
            .and_then(|bus| bus.name(NAME))
            .and_then(|bus| bus.serve_at(OBJECT, Settings(scheme)))
            .expect("a name");
        Self(bus.build().await.expect("a bus"))
    }

    /// The desktop asks for others.
    pub(crate) async fn turn(&self, scheme: Scheme) {
        let server = self.0.object_server();
        let settings = server.interface::<_, Settings>(OBJECT).await;
        let settings = settings.expect("it is served");
        settings.get_mut().await.0 = scheme;
        let signal = Settings::setting_changed(
            settings.signal_emitter(),
            KEY.0,
            KEY.1,
            Value::U32(scheme as u32),
        );
        signal.await.expect("a signal");
    }
}
