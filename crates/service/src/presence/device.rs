//! The table of devices that report presence beside this computer, and what its owner decides.

use rusqlite::{Connection, Row, Transaction, params};
use secrecy::SecretString;
use serde::Serialize;

use super::report::Report;
use super::table;
use crate::clock::timestamp::Timestamp;
use crate::db::bounds::{content_columns, is_id, is_line, longest_valid};
use crate::db::query::Query as _;
use crate::db::{Database, DatabaseError, parsed};
use crate::devices::{DeviceAccess, DeviceId, DeviceKind};
use crate::error::message::Message;
use crate::http::replies::HeartbeatFields;
use crate::tokens::scope::Scope;
use crate::tokens::{self, Tokens};

/// `allowed` is 0 until the owner lets readers see it. `at` is NULL before the first report, with which
/// it begins to wait for that; the report is valid for `valid_for` milliseconds. `presence` has the report of this computer.
/// Devices are listed by `place`, those of the same place by age. `hidden` is 1 where the owner has
/// decided that readers do not see the device: it does not wait.
pub(crate) const CREATE: &str = concat!(
    "CREATE TABLE device (
        id TEXT PRIMARY KEY CHECK (",
    is_id!("id"),
    "),
        name TEXT NOT NULL CHECK (length(name) > 0 AND ",
    is_line!("name", 64),
    "),
        kind TEXT NOT NULL CHECK (kind IN ('desktop', 'laptop', 'phone', 'tablet', 'other')),
        allowed INTEGER NOT NULL DEFAULT 0 CHECK (allowed IN (0, 1)),
        hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1) AND NOT (allowed AND hidden)),
        place INTEGER NOT NULL DEFAULT 0,
        rules INTEGER NOT NULL DEFAULT 0,
        battery INTEGER CHECK (battery BETWEEN 0 AND 100),
        charging INTEGER CHECK (charging IN (0, 1)),
        at INTEGER CHECK (at >= 0),
        valid_for INTEGER NOT NULL DEFAULT 0 CHECK (valid_for BETWEEN 0 AND ",
    longest_valid!(),
    "),
        used_at INTEGER NOT NULL DEFAULT 0 CHECK (used_at >= 0),",
    content_columns!(),
    ") STRICT;"
);

/// A device that reports presence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Device {
    pub(crate) decided: DeviceDecision,
    pub(crate) battery: Option<u8>,
    pub(crate) charging: Option<bool>,
    pub(crate) report: Option<Report>,
    /// Which rules have made this of its report.
    pub(crate) rules: i64,
}

impl Device {
    /// One that has not reported.
    pub(super) fn new(decided: DeviceDecision) -> Self {
        Self {
            decided,
            battery: None,
            charging: None,
            report: None,
            rules: 0,
        }
    }

    /// Whether it has reported, and waits for its owner.
    pub(super) fn waits(&self) -> bool {
        self.decided.access == DeviceAccess::Waiting && self.report.is_some()
    }

    /// Ends its report, and forgets the content.
    pub(super) fn end(&mut self) {
        (self.battery, self.charging) = (None, None);
        if let Some(report) = &mut self.report {
            report.valid_for = 0;
            report.fields = HeartbeatFields::default();
        }
    }
}

/// A device as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceRow {
    /// Its id.
    pub id: DeviceId,
    /// What the owner calls it.
    pub name: String,
    /// What kind of device it is.
    pub kind: DeviceKind,
    /// Whether readers see it.
    pub allowed: bool,
    /// Whether the owner hides it from them. One that is neither allowed nor hidden waits from its first
    /// report on.
    pub hidden: bool,
    /// The name of its token; `None` where that was revoked.
    pub token: Option<String>,
    /// When it last reported.
    pub last_report: Option<Timestamp>,
}

/// A device to add.
#[derive(Debug, Clone)]
pub struct NewDevice {
    /// What the owner calls it: see [`crate::text::device_name`].
    pub name: String,
    /// What kind of device it is.
    pub kind: DeviceKind,
    /// Whether readers see it from its first report on; otherwise it waits from then on.
    pub allowed: bool,
}

/// The devices of a data folder, as the owner changes them. A running service follows within a
/// second.
pub struct Devices {
    database: Database,
    tokens: Tokens,
}

impl Devices {
    pub(crate) fn new(database: Database, tokens: Tokens) -> Self {
        Self { database, tokens }
    }

    /// Adds a device with a token that speaks for it alone. Its id is made from its name.
    ///
    /// # Errors
    /// When the name is taken or is none, or the database fails.
    pub async fn add(&self, new: NewDevice) -> Result<(DeviceId, SecretString), Message> {
        let add = move |transaction: &Transaction<'_>, digest: &[u8; 32], now| {
            let id = insert(transaction, &new).map_err(DatabaseError::from)?;
            let id = id.ok_or(tokens::name_taken(&new.name))?;
            let (name, scope) = (id.as_str(), Scope::Heartbeat);
            tokens::table::insert(transaction, name, scope, Some(&id), digest, now)
                .map_err(DatabaseError::from)?;
            Ok(id)
        };
        self.tokens.make(add).await
    }

    /// All of them in the owner's order: at first the oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self) -> Result<Vec<DeviceRow>, DatabaseError> {
        self.database.read(rows).await
    }

    /// Lets readers see a device; whether there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn allow(&self, id: DeviceId) -> Result<bool, DatabaseError> {
        let allow = "UPDATE device SET allowed = 1, hidden = 0 WHERE id = ?1";
        self.change(move |write| write.execute(allow, [id.as_str()]))
            .await
    }

    /// Hides a device from readers, so that it does not wait either; whether there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn hide(&self, id: DeviceId) -> Result<bool, DatabaseError> {
        let hide = "UPDATE device SET allowed = 0, hidden = 1 WHERE id = ?1";
        self.change(move |write| write.execute(hide, [id.as_str()]))
            .await
    }

    /// Puts the devices in this order; those that it leaves out stay where they are.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn order(&self, ids: Vec<DeviceId>) -> Result<(), DatabaseError> {
        let put = "UPDATE device SET place = ?2 WHERE id = ?1";
        let ordered = self.change(move |write| {
            for (id, place) in ids.iter().zip(1_i64..) {
                write.execute(put, params![id.as_str(), place])?;
            }
            Ok(0)
        });
        ordered.await.map(drop)
    }

    /// Gives a device another name; whether there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn rename(&self, id: DeviceId, name: String) -> Result<bool, DatabaseError> {
        let rename = "UPDATE device SET name = ?2 WHERE id = ?1";
        self.change(move |write| write.execute(rename, [id.as_str(), &name]))
            .await
    }

    /// Removes a device with its history, and revokes its token; whether there was one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget(&self, id: DeviceId) -> Result<bool, DatabaseError> {
        self.change(move |write| {
            let history = "DELETE FROM presence_change WHERE device = ?1";
            write.execute(history, [id.as_str()])?;
            write.execute("DELETE FROM device WHERE id = ?1", [id.as_str()])
        })
        .await
    }

    #[cfg(test)]
    pub(super) fn database(&self) -> &Database {
        &self.database
    }

    async fn change(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<usize> + Send + 'static,
    ) -> Result<bool, DatabaseError> {
        let write = move |transaction: &Transaction<'_>| -> Result<bool, DatabaseError> {
            Ok(change(transaction)? > 0)
        };
        self.database.write(write).await
    }
}

fn rows(connection: &Connection) -> rusqlite::Result<Vec<DeviceRow>> {
    connection.all(
        "SELECT device.id, device.name, kind, allowed, token.name, at, hidden FROM device
             LEFT JOIN token ON token.device = device.id ORDER BY place, device.rowid",
        [],
        |row| {
            Ok(DeviceRow {
                id: parsed(row, 0)?,
                name: row.get(1)?,
                kind: parsed(row, 2)?,
                allowed: row.get(3)?,
                hidden: row.get(6)?,
                token: row.get(4)?,
                last_report: row.get::<_, Option<i64>>(5)?.map(Timestamp::from_millis),
            })
        },
    )
}

/// What [`decision`] reads, first.
const DECISION: &str = "device.id, device.name, kind, allowed, hidden, token.id";

pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<Device>> {
    let select = format!(
        "SELECT {DECISION}, application, introduce, rgba, online, battery, charging, at, valid_for,
                used_at, rules
         FROM device LEFT JOIN token ON token.device = device.id ORDER BY place, device.rowid"
    );
    connection.all(&select, [], device)
}

fn device(row: &Row<'_>) -> rusqlite::Result<Device> {
    let report = match row.get::<_, Option<i64>>("at")? {
        None => None,
        Some(at) => Some(Report {
            at: Timestamp::from_millis(at),
            valid_for: row.get("valid_for")?,
            used_at: Timestamp::from_millis(row.get("used_at")?),
            fields: table::fields(row)?,
        }),
    };
    Ok(Device {
        decided: decision(row)?,
        battery: row.get("battery")?,
        charging: row.get("charging")?,
        report,
        rules: row.get("rules")?,
    })
}

/// What the owner decides about a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeviceDecision {
    pub(super) id: DeviceId,
    pub(super) name: String,
    pub(super) kind: DeviceKind,
    pub(super) access: DeviceAccess,
    /// The number of the token that speaks for it; `None` where that was revoked: what it reported is
    /// no longer shown.
    pub(super) token: Option<i64>,
}

fn decision(row: &Row<'_>) -> rusqlite::Result<DeviceDecision> {
    Ok(DeviceDecision {
        id: parsed(row, 0)?,
        name: row.get(1)?,
        kind: parsed(row, 2)?,
        access: match (row.get(3)?, row.get(4)?) {
            (true, _) => DeviceAccess::Allowed,
            (false, true) => DeviceAccess::Hidden,
            (false, false) => DeviceAccess::Waiting,
        },
        token: row.get(5)?,
    })
}

/// What the owner decides, in the owner's order.
pub(super) fn decisions(connection: &Connection) -> rusqlite::Result<Vec<DeviceDecision>> {
    let select = format!(
        "SELECT {DECISION} FROM device LEFT JOIN token ON token.device = device.id
         ORDER BY place, device.rowid"
    );
    connection.all(&select, [], decision)
}

/// Adds a device behind all others, and returns the id that is made for it; `None` where no other is
/// left. No token has this id as its name.
fn insert(transaction: &Transaction<'_>, new: &NewDevice) -> rusqlite::Result<Option<DeviceId>> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO device (id, name, kind, allowed, place)
         SELECT ?1, ?2, ?3, ?4, (SELECT coalesce(max(place), 0) FROM device)
         WHERE NOT EXISTS (SELECT 1 FROM token WHERE name = ?1)
         ON CONFLICT (id) DO NOTHING",
    )?;
    for id in DeviceId::made_of(&new.name, new.kind).filter(|id| *id != DeviceId::own()) {
        let kind = new.kind.to_string();
        if insert.execute(params![id.as_str(), new.name, kind, new.allowed])? > 0 {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Stores what a device reports.
pub(super) fn store(transaction: &Transaction<'_>, device: &Device) -> rusqlite::Result<()> {
    let report = device.report.as_ref();
    let fields = report.map(|report| report.fields.clone());
    let fields = fields.unwrap_or_default();
    transaction
        .run(
            "UPDATE device SET
                battery = ?2, charging = ?3, at = ?4, valid_for = ?5, used_at = ?6,
                application = ?7, introduce = ?8, rgba = ?9, online = ?10, rules = ?11
             WHERE id = ?1",
            params![
                device.decided.id.as_str(),
                device.battery,
                device.charging,
                report.map(|report| report.at.as_millis()),
                report.map_or(0, |report| report.valid_for),
                report.map_or(0, |report| report.used_at.as_millis()),
                fields.application,
                fields.introduce,
                fields.rgba.as_str(),
                fields.application_online,
                device.rules,
            ],
        )
        .map(drop)
}

#[cfg(test)]
pub(super) mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;
    use crate::clock::Clock;

    pub(in crate::presence) fn device(
        id: &str,
        is_allowed: bool,
        report: Option<Report>,
    ) -> Device {
        Device {
            battery: Some(80),
            report,
            rules: 7,
            ..Device::new(DeviceDecision {
                id: id.parse().expect("an id"),
                name: id.to_owned(),
                kind: DeviceKind::Phone,
                access: match is_allowed {
                    true => DeviceAccess::Allowed,
                    false => DeviceAccess::Waiting,
                },
                token: Some(1),
            })
        }
    }

    #[tokio::test]
    async fn what_is_stored_is_read_and_a_report_changes_no_decision() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = crate::schema::open(&folder.path().join("a.db")).await;
        let database = database.expect("a database");
        let tokens = Tokens::new(database.clone(), Clock::system());
        let devices = Devices::new(database, tokens);
        let add = async |name: &str, allowed| {
            let new = NewDevice {
                name: name.to_owned(),
                kind: DeviceKind::Phone,
                allowed,
            };
            devices.add(new).await.expect("added").0
        };
        assert_eq!(add("phone", false).await.as_str(), "phone");
        let all = async || devices.database.read(all).await.expect("devices");
        let mut phone = device("phone", false, None);
        (phone.battery, phone.rules) = (None, 0);
        assert_eq!(all().await, [phone.clone()]);

        let id = phone.decided.id.clone();
        assert!(devices.allow(id.clone()).await.expect("allowed"));
        let renamed = devices.rename(id.clone(), "My phone".to_owned()).await;
        assert!(renamed.expect("renamed"));
        phone.report = Some(Report {
            at: Timestamp::from_millis(7),
            valid_for: 8,
            used_at: Timestamp::from_millis(9),
            fields: HeartbeatFields {
                application: "a".to_owned(),
                introduce: "b".to_owned(),
                rgba: "1,2,3,0.5".parse().expect("a colour"),
                application_online: true,
                track: None,
            },
        });
        (phone.battery, phone.charging, phone.rules) = (Some(80), Some(true), 8);
        let put = async |device: &Device| {
            let device = device.clone();
            let put = devices
                .database
                .write(move |write| -> Result<(), DatabaseError> { Ok(store(write, &device)?) });
            put.await.expect("stored");
        };
        put(&phone).await;
        phone.decided.access = DeviceAccess::Allowed;
        phone.decided.name = "My phone".to_owned();
        assert_eq!(all().await, [phone.clone()]);

        assert!(devices.hide(id.clone()).await.expect("hidden"));
        phone.decided.access = DeviceAccess::Hidden;
        put(&phone).await;
        assert_eq!(all().await, [phone.clone()]);
        assert!(devices.allow(id.clone()).await.expect("allowed"));
        let shown = &devices.list().await.expect("devices")[0];
        assert!(shown.allowed && !shown.hidden);

        for name in ["tablet", "watch"] {
            add(name, false).await;
        }
        let order = async || -> Vec<String> {
            let rows = devices.list().await.expect("devices");
            rows.iter().map(|row| row.id.to_string()).collect()
        };
        assert_eq!(order().await, ["phone", "tablet", "watch"]);
        let ids = ["watch", "phone", "tablet"].map(|id| id.parse().expect("an id"));
        devices.order(ids.to_vec()).await.expect("ordered");
        add("car", false).await;
        assert_eq!(order().await, ["watch", "phone", "tablet", "car"]);
        for id in ["tablet", "watch", "car"] {
            let forgotten = devices.forget(id.parse().expect("an id")).await;
            assert!(forgotten.expect("an answer"));
        }

        assert!(devices.forget(id.clone()).await.expect("forgotten"));
        assert!(!devices.forget(id).await.expect("an answer"));
        assert_eq!(devices.list().await.expect("devices"), []);
    }

    #[tokio::test]
    async fn a_device_and_its_token_are_added_and_forgotten_together() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = crate::schema::open(&folder.path().join("a.db")).await;
        let database = database.expect("a database");
        let tokens = Tokens::new(database.clone(), Clock::system());
        let devices = Devices::new(database, tokens.clone());
        tokens.create("phone", Scope::Upload).await.expect("made");
        for (name, expected) in [
            ("Phone", "phone-2"),
            ("phone", "phone-3"),
            ("手机", "tablet"),
            ("This Computer", "this-computer-2"),
        ] {
            let new = NewDevice {
                name: name.to_owned(),
                kind: DeviceKind::Tablet,
                allowed: false,
            };
            let (id, token) = devices.add(new).await.expect("added");
            assert_eq!(id.as_str(), expected);
            let known = tokens.recognise(token.expose_secret()).await;
            let bearer = known.expect("an answer").expect("known");
            assert_eq!(bearer.scope, Scope::Heartbeat);
            assert_eq!(bearer.device.as_ref(), Some(&id));
            if name == "Phone" {
                assert!(devices.forget(id).await.expect("forgotten"));
                let known = tokens.recognise(token.expose_secret()).await;
                assert_eq!(known.expect("an answer"), None);
                // A token of the name of a device goes alone.
                assert!(tokens.revoke("phone").await.expect("revoked"));
                tokens.create("phone-2", Scope::Upload).await.expect("made");
                tokens.create("phone", Scope::Upload).await.expect("made");
            }
        }
    }
}
