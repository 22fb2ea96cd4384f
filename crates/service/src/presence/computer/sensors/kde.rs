//! KWin under Wayland has no protocol for the foreground window, but runs a script that reports it.

use std::io::Write as _;

use zbus::Connection;

use crate::presence::logind::bus_ended;

pub(super) const KWIN: &str = "org.kde.KWin";
const SCRIPTING: &str = "org.kde.kwin.Scripting";
const SCRIPTS: &str = "/Scripting";

/// The name of the script in KWin.
const OUR_SCRIPT: &str = "porchlight-front";

/// Loads the script, which calls the object of this connection at once.
pub(super) async fn load_script(bus: &Connection) -> zbus::Result<()> {
    let own = bus.unique_name().ok_or_else(bus_ended)?.to_string();
    let mut file = tempfile::Builder::new().suffix(".js").tempfile()?;
    file.write_all(include_str!("kde.js").replace("{name}", &own).as_bytes())?;
    let path = file.path().to_string_lossy().into_owned();
    // A script left by a killed process has no receiver.
    ask(bus, "unloadScript", &OUR_SCRIPT).await?;
    ask(bus, "loadScript", &(path.as_str(), OUR_SCRIPT)).await?;
    ask(bus, "start", &()).await
}

async fn ask<B>(bus: &Connection, what: &str, words: &B) -> zbus::Result<()>
where
    B: serde::Serialize + zbus::zvariant::DynamicType,
{
    bus.call_method(Some(KWIN), SCRIPTS, Some(SCRIPTING), what, words)
        .await?;
    Ok(())
}
