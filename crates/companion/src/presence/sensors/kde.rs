//! The foreground window from KWin under Wayland: it has no protocol for that,
//! but runs a script that reports over the session bus.

use std::convert::Infallible;
use std::io::Write as _;
use std::sync::Arc;

use futures_util::StreamExt as _;
use porchlight_api::Message;
use zbus::fdo::DBusProxy;
use zbus::message::Header;
use zbus::{Connection, interface};

use super::super::foreground::{Foreground, Window};
use super::StateWriter;
use super::linux::LOOK_FOR_IT_AGAIN;
use crate::logind::bus_ended;

const KWIN: &str = "org.kde.KWin";
const SCRIPTING: &str = "org.kde.kwin.Scripting";
const SCRIPTS: &str = "/Scripting";

/// The name of the script in KWin.
const OUR_SCRIPT: &str = "porchlight-front";

/// The object path that the script calls.
const FRONT: &str = "/front";

/// Watches while polled, where the compositor has no protocol for it; `why` is
/// the reason to report where there is no KWin either.
pub(super) async fn watch(writer: StateWriter, why: Message) {
    loop {
        let Err(error) = follow(&writer).await;
        tracing::debug!(%error, "KWin is not available");
        writer.change(|state| {
            state.front = Foreground::Unknown;
            state.unavailable.front = Some(Message::NoKwinEither {
                why: why.clone().into(),
            });
        });
        tokio::time::sleep(LOOK_FOR_IT_AGAIN).await;
    }
}

async fn follow(writer: &StateWriter) -> zbus::Result<Infallible> {
    let bus = Connection::session().await?;
    let names = DBusProxy::new(&bus).await?;
    let mut owners = names.receive_name_owner_changed().await?;
    let kwin = names.get_name_owner(KWIN.try_into()?).await?;
    let report = ScriptReport {
        writer: writer.clone(),
        kwin: kwin.to_string(),
    };
    bus.object_server().at(FRONT, report).await?;
    let own = bus.unique_name().ok_or_else(bus_ended)?.to_string();
    let mut file = tempfile::Builder::new().suffix(".js").tempfile()?;
    file.write_all(include_str!("kde.js").replace("{name}", &own).as_bytes())?;
    let path = file.path().to_string_lossy().into_owned();
    // A script left by a killed process has no receiver.
    ask(&bus, "unloadScript", &OUR_SCRIPT).await?;
    ask(&bus, "loadScript", &(path.as_str(), OUR_SCRIPT)).await?;
    ask(&bus, "start", &()).await?;
    loop {
        let change = owners.next().await.ok_or_else(bus_ended)?;
        let change = change.args()?;
        if change.name().as_str() == KWIN {
            return Err(bus_ended());
        }
    }
}

async fn ask<B>(bus: &Connection, what: &str, words: &B) -> zbus::Result<()>
where
    B: serde::Serialize + zbus::zvariant::DynamicType,
{
    bus.call_method(Some(KWIN), SCRIPTS, Some(SCRIPTING), what, words)
        .await?;
    Ok(())
}

/// The D-Bus interface that the script calls.
struct ScriptReport {
    writer: StateWriter,
    /// The only trusted sender.
    kwin: String,
}

#[interface(name = "blog.porchlight.Front")]
impl ScriptReport {
    #[zbus(name = "Report")]
    fn report(
        &self,
        program: String,
        title: String,
        full_screen: bool,
        #[zbus(header)] header: Header<'_>,
    ) {
        if header.sender().is_none_or(|sender| *sender != *self.kwin) {
            return;
        }
        let names = Window::names_of([program]);
        let front = if names.is_empty() && title.is_empty() {
            Foreground::Nothing
        } else {
            Foreground::Window(Arc::new(Window {
                names,
                title: Window::title_of(&title),
                full_screen,
                ..Window::default()
            }))
        };
        self.writer.change(|state| {
            state.front = front;
            state.unavailable.front = None;
        });
    }
}
