//! Stand-ins for services on a desktop's bus: a media player, a screen saver,
//! and logind.

use std::collections::HashMap;
use std::fs::File;

use tokio::sync::watch;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::{OwnedFd, OwnedObjectPath, Value};
use zbus::{Connection, connection, interface};

use crate::TIMEOUT;
use crate::desktop::Desktop;

const PLAYER: &str = "/org/mpris/MediaPlayer2";
const SAVER: &str = "/org/freedesktop/ScreenSaver";
const LOGIN: &str = "/org/freedesktop/login1";
const SESSION: &str = "/org/freedesktop/login1/session/_31";

struct PlayerObject {
    status: String,
    title: String,
    artist: String,
}

#[interface(name = "org.mpris.MediaPlayer2.Player")]
impl PlayerObject {
    #[zbus(property)]
    fn playback_status(&self) -> &str {
        &self.status
    }

    #[zbus(property)]
    fn metadata(&self) -> HashMap<&str, Value<'_>> {
        HashMap::from([
            ("xesam:title", Value::from(self.title.as_str())),
            ("xesam:artist", Value::from(vec![self.artist.as_str()])),
        ])
    }
}

/// A media player on the bus. Dropping it takes it off.
pub struct Player(Connection);

impl Player {
    /// One that plays, or is paused.
    pub async fn start(desktop: &Desktop, status: &str) -> Self {
        Self::start_named(desktop, "test", status).await
    }

    /// The same of this name, which plays a piece of music.
    pub async fn start_named(desktop: &Desktop, name: &str, status: &str) -> Self {
        let object = PlayerObject {
            status: status.to_owned(),
            title: "Clair de lune".to_owned(),
            artist: "Claude Debussy".to_owned(),
        };
        let player = on(desktop)
            .name(format!("org.mpris.MediaPlayer2.{name}"))
            .and_then(|bus| bus.serve_at(PLAYER, object));
        Self(player.expect("a name").build().await.expect("a bus"))
    }

    /// `Playing`, `Paused` or `Stopped` from now on.
    pub async fn becomes(&self, status: &str) {
        let server = self.0.object_server();
        let player = server.interface::<_, PlayerObject>(PLAYER).await;
        let player = player.expect("it is there");
        let mut object = player.get_mut().await;
        object.status = status.to_owned();
        let signal = object.playback_status_changed(player.signal_emitter());
        signal.await.expect("a signal");
    }

    /// Does not play any more, and sends no signal of that.
    pub async fn falls_silent(&self) {
        let server = self.0.object_server();
        let player = server.interface::<_, PlayerObject>(PLAYER).await;
        let player = player.expect("it is there");
        "Stopped".clone_into(&mut player.get_mut().await.status);
    }

    /// Plays this title of the same artist from now on.
    pub async fn plays(&self, title: &str) {
        self.plays_by(title, "Claude Debussy").await;
    }

    /// Plays this title of this artist from now on.
    pub async fn plays_by(&self, title: &str, artist: &str) {
        let server = self.0.object_server();
        let player = server.interface::<_, PlayerObject>(PLAYER).await;
        let player = player.expect("it is there");
        let mut object = player.get_mut().await;
        (object.title, object.artist) = (title.to_owned(), artist.to_owned());
        let signal = object.metadata_changed(player.signal_emitter());
        signal.await.expect("a signal");
    }
}

struct SaverObject {
    active: bool,
}

#[interface(name = "org.freedesktop.ScreenSaver")]
impl SaverObject {
    fn get_active(&self) -> bool {
        self.active
    }

    #[zbus(signal)]
    async fn active_changed(emitter: &SignalEmitter<'_>, active: bool) -> zbus::Result<()>;
}

/// The screen saver of a desktop. Dropping it takes it off the bus.
pub struct Saver(Connection);

impl Saver {
    /// One that locks already, or does not.
    pub async fn start(desktop: &Desktop, active: bool) -> Self {
        let saver = on(desktop)
            .name("org.freedesktop.ScreenSaver")
            .and_then(|bus| bus.serve_at(SAVER, SaverObject { active }));
        Self(saver.expect("a name").build().await.expect("a bus"))
    }

    /// Locks or unlocks.
    pub async fn becomes(&self, active: bool) {
        let server = self.0.object_server();
        let saver = server.interface::<_, SaverObject>(SAVER).await;
        let saver = saver.expect("it is there");
        saver.get_mut().await.active = active;
        let signal = SaverObject::active_changed(saver.signal_emitter(), active);
        signal.await.expect("a signal");
    }
}

struct LoginObject {
    /// How often sleep was held up so far.
    held_up: watch::Sender<usize>,
}

#[interface(name = "org.freedesktop.login1.Manager")]
impl LoginObject {
    fn get_session(&self, _id: &str) -> OwnedObjectPath {
        OwnedObjectPath::try_from(SESSION).expect("a path")
    }

    fn inhibit(&self, what: &str, _who: &str, _why: &str, mode: &str) -> OwnedFd {
        assert_eq!((what, mode), ("sleep", "delay"));
        self.held_up.send_modify(|times| *times += 1);
        let lock = File::open("/dev/null").expect("a file");
        std::os::fd::OwnedFd::from(lock).into()
    }

    #[zbus(signal)]
    async fn prepare_for_sleep(emitter: &SignalEmitter<'_>, start: bool) -> zbus::Result<()>;
}

struct SessionObject {
    locked: bool,
}

#[interface(name = "org.freedesktop.login1.Session")]
impl SessionObject {
    #[zbus(property)]
    fn locked_hint(&self) -> bool {
        self.locked
    }
}

/// logind, on the desktop's own bus.
pub struct Login(Connection, watch::Receiver<usize>);

impl Login {
    /// With one session that is not locked.
    pub async fn start(desktop: &Desktop) -> Self {
        let (held_up, times) = watch::channel(0);
        let login = on(desktop)
            .name("org.freedesktop.login1")
            .and_then(|bus| bus.serve_at(LOGIN, LoginObject { held_up }))
            .and_then(|bus| bus.serve_at(SESSION, SessionObject { locked: false }));
        Self(login.expect("a name").build().await.expect("a bus"), times)
    }

    /// Waits until sleep was held up this often.
    pub async fn is_held_up(&self, times: usize) {
        let mut held_up = self.1.clone();
        let held_up = held_up.wait_for(|held_up| *held_up >= times);
        let in_time = tokio::time::timeout(TIMEOUT, held_up).await;
        in_time.expect("a lock in time").expect("logind lives");
    }

    /// Locks or unlocks the session.
    pub async fn locks(&self, locked: bool) {
        let server = self.0.object_server();
        let session = server.interface::<_, SessionObject>(SESSION).await;
        let session = session.expect("it is there");
        let mut object = session.get_mut().await;
        object.locked = locked;
        let signal = object.locked_hint_changed(session.signal_emitter());
        signal.await.expect("a signal");
    }

    /// Announces that the machine falls asleep, or that it woke up.
    pub async fn sleeps(&self, asleep: bool) {
        let server = self.0.object_server();
        let login = server.interface::<_, LoginObject>(LOGIN).await;
        let login = login.expect("it is there");
        let signal = LoginObject::prepare_for_sleep(login.signal_emitter(), asleep);
        signal.await.expect("a signal");
    }
}

fn on(desktop: &Desktop) -> connection::Builder<'static> {
    connection::Builder::address(desktop.bus()).expect("an address")
}
