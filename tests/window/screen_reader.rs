//! A screen reader on a test's desktop: what the accessibility bus reports of
//! the page, and what it would announce.

use std::collections::HashMap;

use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use zbus::zvariant::{DynamicType, OwnedObjectPath, OwnedValue, Type};
use zbus::{Connection, MatchRule, MessageStream, connection};

use crate::desktop::Desktop;
use crate::harness::TIMEOUT;
use crate::harness::process::RunningProcess;
use crate::process_group::Group;
use crate::{LOOK_AGAIN, eventually};

const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
const EVENTS: &str = "org.a11y.atspi.Event.Object";
const REGISTRY: &str = "org.a11y.atspi.Registry";
const ROOT: &str = "/org/a11y/atspi/accessible/root";
/// The path of the program that starts the accessibility bus.
const SERVICE: &str = "/usr/share/dbus-1/services/org.a11y.Bus.service";
/// The bit of `ATSPI_STATE_FOCUSABLE` in the first word of a state.
const FOCUSABLE: u32 = 1 << 11;

/// Numbers of `AtspiRole`.
pub(crate) mod role {
    pub(crate) const CHECK_BOX: u32 = 7;
    pub(crate) const COLOUR_CHOOSER: u32 = 9;
    pub(crate) const COMBO_BOX: u32 = 11;
    pub(crate) const DIALOG: u32 = 16;
    pub(crate) const IMAGE: u32 = 27;
    pub(crate) const MENU_ITEM: u32 = 35;
    pub(crate) const PAGE_TAB: u32 = 37;
    pub(crate) const PASSWORD: u32 = 40;
    pub(crate) const PUSH_BUTTON: u32 = 43;
    pub(crate) const RADIO_BUTTON: u32 = 44;
    pub(crate) const SLIDER: u32 = 51;
    pub(crate) const SPIN_BUTTON: u32 = 52;
    pub(crate) const TOGGLE_BUTTON: u32 = 62;
    pub(crate) const PARAGRAPH: u32 = 73;
    pub(crate) const ENTRY: u32 = 79;
    pub(crate) const HEADING: u32 = 83;
    pub(crate) const SECTION: u32 = 85;
    pub(crate) const LINK: u32 = 88;
    pub(crate) const DOCUMENT: u32 = 95;
    pub(crate) const STATIC: u32 = 116;
}

/// A program's name on the bus, and the path of a part of it.
type Place = (String, OwnedObjectPath);

/// A part of the page.
#[derive(Debug)]
pub(crate) struct Part {
    /// A number of `AtspiRole`.
    pub(crate) role: u32,
    /// Its name; empty for none.
    pub(crate) name: String,
    /// Whether it can have the keyboard focus.
    pub(crate) focusable: bool,
    attributes: HashMap<String, String>,
}

impl Part {
    /// The element that it is.
    pub(crate) fn tag(&self) -> &str {
        self.attribute("tag")
    }

    /// The role that the page gave it or its element has, in the page's words.
    pub(crate) fn kind(&self) -> &str {
        self.attribute("xml-roles")
    }

    /// Of a heading.
    pub(crate) fn level(&self) -> &str {
        self.attribute("level")
    }

    fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }
}

/// A screen reader. Dropping it takes the accessibility bus away.
pub(crate) struct Reader {
    bus: Connection,
    _group: Group,
    _launcher: RunningProcess,
}

impl Reader {
    /// Starts one on a desktop where programs let themselves be read.
    pub(crate) async fn start(desktop: &Desktop) -> Self {
        let service = std::fs::read_to_string(SERVICE);
        let service = service.expect("at-spi2-core, of `cargo xtask setup --tests`");
        let program = service
            .lines()
            .find_map(|line| line.strip_prefix("Exec=")?.split_whitespace().next());
        let mut launcher = desktop.command(program.expect("a program"));
        launcher.arg("--launch-immediately").process_group(0);
        let launcher = RunningProcess::spawn(launcher);
        let group = Group::of(&launcher);

        let session = connection::Builder::address(desktop.bus()).expect("an address");
        let session = session.build().await.expect("a session bus");
        let address = eventually("the accessibility bus", async || {
            let bus = ("org.a11y.Bus".to_owned(), path("/org/a11y/bus"));
            let address: String = ask(&session, &bus, "org.a11y.Bus", "GetAddress", &()).await?;
            (!address.is_empty()).then_some(address)
        })
        .await;
        let bus = connection::Builder::address(address.as_str()).expect("an address");
        let bus = bus.build().await.expect("an accessibility bus");
        // Programs emit only events with a listener.
        let registry = (REGISTRY.to_owned(), path("/org/a11y/atspi/registry"));
        eventually("the registry", async || {
            let what = ("object:children-changed",);
            ask::<()>(&bus, &registry, REGISTRY, "RegisterEvent", &what).await
        })
        .await;
        Self {
            bus,
            _group: group,
            _launcher: launcher,
        }
    }

    /// All parts of the page from top to bottom, as soon as they are as wanted
    /// and none of them goes while it is read.
    pub(crate) async fn page(&self, what: &str, wanted: impl Fn(&[Part]) -> bool) -> Vec<Part> {
        eventually(what, async || {
            let parts = self.parts().await?.into_iter().map(|(_, part)| part);
            Some(parts.collect::<Vec<_>>()).filter(|parts| wanted(parts))
        })
        .await
    }

    async fn parts(&self) -> Option<Vec<(Place, Part)>> {
        let mut parts = Vec::new();
        let mut waiting = vec![(REGISTRY.to_owned(), path(ROOT))];
        while let Some(place) = waiting.pop() {
            let part = self.part(&place).await?;
            if part.role == role::DOCUMENT || !parts.is_empty() {
                parts.push((place.clone(), part));
            }
            let count: i32 = self.property(&place, "ChildCount").await?;
            for index in (0..count).rev() {
                waiting.push(self.ask(&place, "GetChildAtIndex", &(index,)).await?);
            }
        }
        (!parts.is_empty()).then_some(parts)
    }

    async fn part(&self, place: &Place) -> Option<Part> {
        let state: Vec<u32> = self.ask(place, "GetState", &()).await?;
        Some(Part {
            role: self.ask(place, "GetRole", &()).await?,
            name: self.property(place, "Name").await?,
            focusable: state.first()? & FOCUSABLE != 0,
            attributes: self.ask(place, "GetAttributes", &()).await?,
        })
    }

    async fn ask<T: DeserializeOwned + Type>(
        &self,
        place: &Place,
        method: &str,
        body: &(impl serde::Serialize + DynamicType),
    ) -> Option<T> {
        ask(&self.bus, place, ACCESSIBLE, method, body).await
    }

    async fn property<T: TryFrom<OwnedValue>>(&self, place: &Place, name: &str) -> Option<T> {
        const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
        let value: Option<OwnedValue> =
            ask(&self.bus, place, PROPERTIES, "Get", &(ACCESSIBLE, name)).await;
        value?.try_into().ok()
    }

    /// Listens from now on.
    pub(crate) async fn listen(&self) -> Listening<'_> {
        let rule = MatchRule::builder()
            .msg_type(zbus::message::Type::Signal)
            .interface(EVENTS)
            .and_then(|rule| rule.member("ChildrenChanged"))
            .expect("names");
        let events = MessageStream::for_match_rule(rule.build(), &self.bus, Some(1_000)).await;
        Listening {
            reader: self,
            events: events.expect("a bus"),
        }
    }
}

/// What a screen reader announces without focus.
pub(crate) struct Listening<'a> {
    reader: &'a Reader,
    events: MessageStream,
}

impl Listening<'_> {
    /// Waits until a change is signalled and this is in a live region; returns
    /// its politeness.
    pub(crate) async fn announces(&mut self, text: &str) -> String {
        let announced = async {
            self.events.next().await.expect("a bus").expect("a message");
            loop {
                if let Some(hurry) = self.reader.live(text).await {
                    return hurry;
                }
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        };
        let announced = tokio::time::timeout(TIMEOUT, announced).await;
        announced.unwrap_or_else(|_| panic!("{text:?} was not announced"))
    }
}

impl Reader {
    /// The politeness of the live region that contains this, if any.
    async fn live(&self, text: &str) -> Option<String> {
        for (place, part) in self.parts().await? {
            let hurry = part.attribute("live");
            if !["", "off"].contains(&hurry) && self.words(&place).await.contains(text) {
                return Some(hurry.to_owned());
            }
        }
        None
    }

    /// All that is written there.
    async fn words(&self, place: &Place) -> String {
        const TEXT: &str = "org.a11y.atspi.Text";
        let mut words = String::new();
        let mut waiting = vec![place.clone()];
        while let Some(place) = waiting.pop() {
            let own: Option<String> = ask(&self.bus, &place, TEXT, "GetText", &(0, -1)).await;
            words.push_str(&own.unwrap_or_default());
            let count: i32 = self.property(&place, "ChildCount").await.unwrap_or(0);
            for index in (0..count).rev() {
                waiting.extend(self.ask(&place, "GetChildAtIndex", &(index,)).await);
            }
        }
        words
    }
}

/// The result of a call; `None` where its object is gone.
async fn ask<T: DeserializeOwned + Type>(
    bus: &Connection,
    (program, path): &Place,
    interface: &str,
    method: &str,
    body: &(impl serde::Serialize + DynamicType),
) -> Option<T> {
    let answer = bus.call_method(Some(program.as_str()), path, Some(interface), method, body);
    answer.await.ok()?.body().deserialize().ok()
}

fn path(path: &str) -> OwnedObjectPath {
    OwnedObjectPath::try_from(path).expect("a path")
}
