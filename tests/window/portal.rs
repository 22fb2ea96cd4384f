//! A stand-in for a desktop's global shortcuts portal (xdg-desktop-portal):
//! like the real one, it answers a request with a signal on a separate object,
//! whose path the caller chooses.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use zbus::message::Header;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, connection, fdo, interface};

use crate::desktop::Desktop;
use crate::harness::TIMEOUT;

const NAME: &str = "org.freedesktop.portal.Desktop";
const OBJECT: &str = "/org/freedesktop/portal/desktop";
const SHORTCUTS: &str = "org.freedesktop.portal.GlobalShortcuts";

type Values = HashMap<String, OwnedValue>;

/// What the owner, or the desktop for them, answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    /// It gives these keys, which may be others than those that were liked.
    Keys(&'static str),
    /// It knows now what is wanted, and has no keys for it.
    NoKeys,
    /// The owner refuses.
    No,
}

/// The request.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The program's app id, where it was given.
    pub(crate) application: Option<String>,
    /// What the keys do.
    pub(crate) does: String,
    /// The keys that would be liked.
    pub(crate) keys: String,
    which: String,
    session: OwnedObjectPath,
    program: String,
}

/// The app id of the caller, once it was given.
#[derive(Clone, Default)]
struct Known(Arc<Mutex<Option<String>>>);

struct Registry {
    known: Known,
    /// Where the entries of the menu of applications are.
    entries: PathBuf,
}

#[interface(name = "org.freedesktop.host.portal.Registry")]
impl Registry {
    fn register(&self, application: &str, _options: Values) -> fdo::Result<()> {
        let entry = self.entries.join(format!("{application}.desktop"));
        if !entry.exists() {
            return Err(fdo::Error::Failed("App info not found".to_owned()));
        }
        *self.known.0.lock().expect("no panic") = Some(application.to_owned());
        Ok(())
    }
}

#[derive(Debug, zbus::DBusError)]
#[zbus(prefix = "org.freedesktop.portal.Error")]
enum Refusal {
    #[zbus(error)]
    Bus(zbus::Error),
    NotAllowed(String),
}

struct Shortcuts {
    answers: Answers,
    /// It gives keys only to callers with an app id, as from 1.21 on.
    strict: bool,
    known: Known,
    asked: UnboundedSender<Asked>,
    /// The bus is served outside of it.
    runtime: Handle,
}

#[interface(name = "org.freedesktop.portal.GlobalShortcuts")]
impl Shortcuts {
    #[zbus(property, name = "version")]
    fn version(&self) -> u32 {
        2
    }

    fn create_session(
        &self,
        options: Values,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] bus: &Connection,
    ) -> Result<OwnedObjectPath, Refusal> {
        if self.strict && self.known.0.lock().expect("no panic").is_none() {
            return Err(Refusal::NotAllowed("An app id is required".to_owned()));
        }
        let session = path(&header, "session", &text(&options, "session_handle_token"));
        // Of this one it is a string, against all custom.
        let results = HashMap::from([("session_handle", Value::from(session.to_string()))]);
        Ok(answer(&self.runtime, bus, &header, &options, 0, results))
    }

    fn bind_shortcuts(
        &self,
        session: OwnedObjectPath,
        shortcuts: Vec<(String, Values)>,
        _window: &str,
        options: Values,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] bus: &Connection,
    ) -> OwnedObjectPath {
        let [(which, about)] = &shortcuts[..] else {
            panic!("one shortcut, not {shortcuts:?}");
        };
        let asked = Asked {
            application: self.known.0.lock().expect("no panic").clone(),
            does: text(about, "description"),
            keys: text(about, "preferred_trigger"),
            which: which.clone(),
            session,
            program: sender(&header).to_owned(),
        };
        self.asked.send(asked).expect("a test that listens");
        let (code, given) = match self.answers {
            Answers::Keys(keys) => (0, vec![(which, given(keys))]),
            Answers::NoKeys => (0, Vec::new()),
            Answers::No => (1, Vec::new()),
        };
        let results = HashMap::from([("shortcuts", Value::from(given))]);
        answer(&self.runtime, bus, &header, &options, code, results)
    }
}

fn given(keys: &str) -> HashMap<&'static str, Value<'_>> {
    HashMap::from([
        ("description", Value::from("")),
        ("trigger_description", Value::from(keys)),
    ])
}

fn text(values: &Values, key: &str) -> String {
    let value = values.get(key).unwrap_or_else(|| panic!("no {key}"));
    value.clone().try_into().expect("a text")
}

fn sender<'h>(header: &'h Header<'_>) -> &'h str {
    header.sender().expect("a sender").as_str()
}

/// The path of an object of this caller.
fn path(header: &Header<'_>, kind: &str, token: &str) -> OwnedObjectPath {
    let caller = sender(header).trim_start_matches(':').replace('.', "_");
    let path = format!("{OBJECT}/{kind}/{caller}/{token}");
    path.try_into().expect("a path")
}

/// Answers a request, to its caller alone.
fn answer(
    runtime: &Handle,
    bus: &Connection,
    header: &Header<'_>,
    options: &Values,
    code: u32,
    results: HashMap<&'static str, Value<'_>>,
) -> OwnedObjectPath {
    let request = path(header, "request", &text(options, "handle_token"));
    let to = header.sender().expect("a sender").to_owned();
    let results: Values = results
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value.try_to_owned().expect("a value")))
        .collect();
    let (bus, on) = (bus.clone(), request.clone());
    runtime.spawn(async move {
        let interface = "org.freedesktop.portal.Request";
        let words = (code, results);
        let signal = bus.emit_signal(Some(to), on, interface, "Response", &words);
        signal.await.expect("a signal");
    });
    request
}

/// The portal of a desktop. Dropping it takes it off the bus.
pub(crate) struct Portal {
    bus: Connection,
    asked: UnboundedReceiver<Asked>,
}

impl Portal {
    /// One that answers like this.
    pub(crate) async fn start(desktop: &Desktop, answers: Answers) -> Self {
        Self::of(desktop, answers, false).await
    }

    /// One that gives these keys, and to programs alone that are in the menu of
    /// applications.
    pub(crate) async fn strict(desktop: &Desktop, keys: &'static str) -> Self {
        Self::of(desktop, Answers::Keys(keys), true).await
    }

    async fn of(desktop: &Desktop, answers: Answers, strict: bool) -> Self {
        let (send, asked) = unbounded_channel();
        let known = Known::default();
        let registry = Registry {
            known: known.clone(),
            entries: desktop.home().join(".local/share/applications"),
        };
        let shortcuts = Shortcuts {
            answers,
            strict,
            known,
            asked: send,
            runtime: Handle::current(),
        };
        let bus = connection::Builder::address(desktop.bus())
            .and_then(|bus| bus.name(NAME))
            .and_then(|bus| bus.serve_at(OBJECT, registry))
            .and_then(|bus| bus.serve_at(OBJECT, shortcuts))
            .expect("a name");
        Self {
            bus: bus.build().await.expect("a bus"),
            asked,
        }
    }

    /// The next request.
    pub(crate) async fn asked(&mut self) -> Asked {
        let asked = tokio::time::timeout(TIMEOUT, self.asked.recv()).await;
        asked.expect("a question").expect("the portal is there")
    }

    /// The owner presses the keys.
    pub(crate) async fn press(&self, asked: &Asked) {
        let nothing = HashMap::<&str, Value<'_>>::new();
        let words = (&asked.session, &asked.which, 1_u64, nothing);
        let to = Some(asked.program.as_str());
        let pressed = self
            .bus
            .emit_signal(to, OBJECT, SHORTCUTS, "Activated", &words);
        pressed.await.expect("a signal");
    }

    /// It ends, as when the desktop restarts it.
    pub(crate) async fn ends(self) {
        self.bus.close().await.expect("closed");
    }
}
