//! The window in front, as KWin tells it under Wayland: it has no protocol for
//! that, but runs a script that speaks on the session bus.

use std::convert::Infallible;
use std::io::Write as _;
use std::sync::Arc;

use futures_util::StreamExt as _;
use zbus::fdo::DBusProxy;
use zbus::message::Header;
use zbus::{Connection, interface};

use super::super::front::{Front, Window};
use super::Seen;
use super::bus::{LOOK_FOR_IT_AGAIN, bus_ended};

const KWIN: &str = "org.kde.KWin";
const SCRIPTING: &str = "org.kde.kwin.Scripting";
const SCRIPTS: &str = "/Scripting";

/// What the script is called in KWin.
const OUR_SCRIPT: &str = "porchlight-front";

/// Where the script tells.
const FRONT: &str = "/front";

/// Watches for as long as it is polled, where the compositor itself offers no
/// way; `why` says which it lacks, for those who run no KWin either.
pub(super) async fn watch(seen: Seen, why: &str) {
    loop {
        let Err(error) = follow(&seen).await;
        tracing::debug!(%error, "there is no KWin to be asked");
        seen.change(|sight| {
            sight.front = Front::Unknown;
            sight.lacks.front = Some(format!("{why}, and there is no KWin to be asked"));
        });
        tokio::time::sleep(LOOK_FOR_IT_AGAIN).await;
    }
}

async fn follow(seen: &Seen) -> zbus::Result<Infallible> {
    let bus = Connection::session().await?;
    let names = DBusProxy::new(&bus).await?;
    let mut owners = names.receive_name_owner_changed().await?;
    let kwin = names.get_name_owner(KWIN.try_into()?).await?;
    let told = Told {
        seen: seen.clone(),
        kwin: kwin.to_string(),
    };
    bus.object_server().at(FRONT, told).await?;
    let own = bus.unique_name().ok_or_else(bus_ended)?.to_string();
    let mut file = tempfile::Builder::new().suffix(".js").tempfile()?;
    file.write_all(include_str!("kde.js").replace("{name}", &own).as_bytes())?;
    let path = file.path().to_string_lossy().into_owned();
    // What a killed process has left would tell nobody.
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

/// What the script calls.
struct Told {
    seen: Seen,
    /// The only one who is believed.
    kwin: String,
}

#[interface(name = "blog.porchlight.Front")]
impl Told {
    #[zbus(name = "Told")]
    fn told(
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
            Front::Nothing
        } else {
            Front::Window(Arc::new(Window {
                names,
                title: Window::title_of(&title),
                full_screen,
                ..Window::default()
            }))
        };
        self.seen.change(|sight| {
            sight.front = front;
            sight.lacks.front = None;
        });
    }
}
