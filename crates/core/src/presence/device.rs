//! The table of devices that report presence beside this computer, and what its owner decides.

use std::str::FromStr;

use porchlight_api::{DeviceId, DeviceKind, HeartbeatFields, Timestamp};
use rusqlite::types::{FromSqlError, Type};
use rusqlite::{Connection, Row, Transaction, params};
use serde::Serialize;

use super::report::Report;
use super::table;
use crate::database::{Database, DatabaseError};
use crate::schema::bounds::{content_columns, is_id, is_line, longest_valid};

/// `token` is the number of the token that first reported it, negative for one of the environment.
/// `allowed` is 0 until the owner lets readers see it. `at` is NULL before the first report that
/// counts; it is valid for `valid_for` milliseconds. `presence` has the report of this computer.
/// Devices are listed by `place`, those of the same place by age. `hidden` is 1 where the owner has
/// decided that readers do not see the device: it does not wait.
pub(crate) const CREATE: &str = concat!(
    "CREATE TABLE device (
        id TEXT PRIMARY KEY CHECK (",
    is_id!("id"),
    "),
        token INTEGER NOT NULL,
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
    pub(crate) id: DeviceId,
    pub(crate) token: i64,
    pub(crate) name: String,
    pub(crate) kind: DeviceKind,
    pub(crate) is_allowed: bool,
    pub(crate) is_hidden: bool,
    pub(crate) is_revoked: bool,
    pub(crate) battery: Option<u8>,
    pub(crate) charging: Option<bool>,
    pub(crate) report: Option<Report>,
    /// Which rules have made this of its report.
    pub(crate) rules: i64,
    /// Whether it has a row.
    pub(crate) is_stored: bool,
}

impl Device {
    /// Whether it waits for its owner.
    pub(super) fn waits(&self) -> bool {
        !self.is_allowed && !self.is_hidden
    }

    pub(super) fn decision(&self) -> DeviceDecision {
        DeviceDecision {
            id: self.id.clone(),
            name: self.name.clone(),
            is_allowed: self.is_allowed,
            is_hidden: self.is_hidden,
            is_revoked: self.is_revoked,
        }
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
    /// Whether the owner hides it from them. One that is neither allowed nor hidden waits.
    pub hidden: bool,
    /// The name of its token; `None` of one that was revoked or is of the environment.
    pub token: Option<String>,
    /// When it last reported.
    pub last_report: Option<Timestamp>,
}

/// The devices of a data folder, as the owner changes them. A running service follows within a
/// second.
pub struct Devices(Database);

impl Devices {
    pub(crate) fn new(database: Database) -> Self {
        Self(database)
    }

    /// All of them in the owner's order: at first the oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self) -> Result<Vec<DeviceRow>, DatabaseError> {
        self.0.read(rows).await
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

    /// Removes a device and its history; whether there was one. With its next report it waits as a
    /// new one, of whichever token.
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
        &self.0
    }

    async fn change(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<usize> + Send + 'static,
    ) -> Result<bool, DatabaseError> {
        let write = move |transaction: &Transaction<'_>| -> Result<bool, DatabaseError> {
            Ok(change(transaction)? > 0)
        };
        self.0.write(write).await
    }
}

fn rows(connection: &Connection) -> rusqlite::Result<Vec<DeviceRow>> {
    connection
        .prepare_cached(
            "SELECT device.id, device.name, kind, allowed, token.name, at, hidden FROM device
             LEFT JOIN token ON token.id = device.token ORDER BY place, device.rowid",
        )?
        .query_map([], |row| {
            Ok(DeviceRow {
                id: parsed(row, 0)?,
                name: row.get(1)?,
                kind: parsed(row, 2)?,
                allowed: row.get(3)?,
                hidden: row.get(6)?,
                token: row.get(4)?,
                last_report: row.get::<_, Option<i64>>(5)?.map(Timestamp::from_millis),
            })
        })?
        .collect()
}

pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<Device>> {
    connection
        .prepare_cached(
            "SELECT application, introduce, rgba, online, id, token, name, kind, allowed,
                    battery, charging, at, valid_for, used_at, hidden, rules
             FROM device ORDER BY place, rowid",
        )?
        .query_map([], device)?
        .collect()
}

fn device(row: &Row<'_>) -> rusqlite::Result<Device> {
    let report = match row.get::<_, Option<i64>>(11)? {
        None => None,
        Some(at) => Some(Report {
            at: Timestamp::from_millis(at),
            valid_for: row.get(12)?,
            used_at: Timestamp::from_millis(row.get(13)?),
            fields: table::fields(row)?,
        }),
    };
    Ok(Device {
        id: parsed(row, 4)?,
        token: row.get(5)?,
        name: row.get(6)?,
        kind: parsed(row, 7)?,
        is_allowed: row.get(8)?,
        is_hidden: row.get(14)?,
        is_revoked: false,
        battery: row.get(9)?,
        charging: row.get(10)?,
        report,
        rules: row.get(15)?,
        is_stored: true,
    })
}

/// What the owner decides about a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DeviceDecision {
    pub(super) id: DeviceId,
    pub(super) name: String,
    pub(super) is_allowed: bool,
    pub(super) is_hidden: bool,
    /// Whether its token was revoked: what it reported is no longer shown.
    pub(super) is_revoked: bool,
}

/// What the owner decides, in the owner's order.
pub(super) fn decisions(connection: &Connection) -> rusqlite::Result<Vec<DeviceDecision>> {
    connection
        .prepare_cached(
            "SELECT id, name, allowed, hidden,
                    token > 0 AND NOT EXISTS (SELECT 1 FROM token WHERE token.id = device.token)
             FROM device ORDER BY place, rowid",
        )?
        .query_map([], |row| {
            Ok(DeviceDecision {
                id: parsed(row, 0)?,
                name: row.get(1)?,
                is_allowed: row.get(2)?,
                is_hidden: row.get(3)?,
                is_revoked: row.get(4)?,
            })
        })?
        .collect()
}

/// Stores what a device reports, a new one behind all others. What the owner decides about one that is
/// there is left as it is.
pub(super) fn store(transaction: &Transaction<'_>, device: &Device) -> rusqlite::Result<()> {
    let report = device.report.as_ref();
    let fields = report.map(|report| report.fields.clone());
    let fields = fields.unwrap_or_default();
    transaction
        .prepare_cached(
            "INSERT INTO device (id, token, name, kind, battery, charging, at, valid_for, used_at,
                                 application, introduce, rgba, online, rules, allowed, hidden, place)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
                     (SELECT coalesce(max(place), 0) FROM device))
             ON CONFLICT (id) DO UPDATE SET
                battery = ?5, charging = ?6, at = ?7, valid_for = ?8, used_at = ?9,
                application = ?10, introduce = ?11, rgba = ?12, online = ?13, rules = ?14",
        )?
        .execute(params![
            device.id.as_str(),
            device.token,
            device.name,
            device.kind.to_string(),
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
            device.is_allowed,
            device.is_hidden,
        ])
        .map(drop)
}

fn parsed<T: FromStr>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let parsed = row.get::<_, String>(column)?.parse();
    parsed.map_err(|_| {
        let why = FromSqlError::InvalidType.into();
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, why)
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::presence) fn device(
        id: &str,
        is_allowed: bool,
        report: Option<Report>,
    ) -> Device {
        Device {
            id: id.parse().expect("an id"),
            token: 1,
            name: id.to_owned(),
            kind: DeviceKind::Phone,
            is_allowed,
            is_hidden: false,
            is_revoked: false,
            battery: Some(80),
            charging: None,
            report,
            rules: 7,
            is_stored: true,
        }
    }

    #[tokio::test]
    async fn what_is_stored_is_read_and_a_report_changes_no_decision() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = crate::schema::open(&folder.path().join("a.db")).await;
        let devices = Devices::new(database.expect("a database"));
        let mut phone = device("phone", false, None);
        let put = |device: &Device| {
            let device = device.clone();
            devices
                .0
                .write(move |transaction| -> Result<(), DatabaseError> {
                    Ok(store(transaction, &device)?)
                })
        };
        put(&phone).await.expect("stored");
        assert_eq!(devices.0.read(all).await.expect("devices"), [phone.clone()]);

        assert!(devices.allow(phone.id.clone()).await.expect("allowed"));
        let renamed = devices
            .rename(phone.id.clone(), "My phone".to_owned())
            .await;
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
        (phone.battery, phone.charging, phone.rules) = (None, Some(true), 8);
        put(&phone).await.expect("stored");
        (phone.is_allowed, phone.name) = (true, "My phone".to_owned());
        assert_eq!(devices.0.read(all).await.expect("devices"), [phone.clone()]);

        assert!(devices.hide(phone.id.clone()).await.expect("hidden"));
        (phone.is_allowed, phone.is_hidden) = (false, true);
        put(&phone).await.expect("stored");
        assert_eq!(devices.0.read(all).await.expect("devices"), [phone.clone()]);
        assert!(devices.allow(phone.id.clone()).await.expect("allowed"));
        let shown = &devices.list().await.expect("devices")[0];
        assert!(shown.allowed && !shown.hidden);

        for id in ["tablet", "watch"] {
            put(&device(id, false, None)).await.expect("stored");
        }
        let order = async || -> Vec<String> {
            let rows = devices.list().await.expect("devices");
            rows.iter().map(|row| row.id.to_string()).collect()
        };
        assert_eq!(order().await, ["phone", "tablet", "watch"]);
        let ids = ["watch", "phone", "tablet"].map(|id| id.parse().expect("an id"));
        devices.order(ids.to_vec()).await.expect("ordered");
        put(&device("car", false, None)).await.expect("stored");
        assert_eq!(order().await, ["watch", "phone", "tablet", "car"]);
        for id in ["tablet", "watch", "car"] {
            assert!(
                devices
                    .forget(id.parse().expect("an id"))
                    .await
                    .expect("it")
            );
        }

        assert!(devices.forget(phone.id.clone()).await.expect("forgotten"));
        assert!(!devices.forget(phone.id.clone()).await.expect("an answer"));
        assert_eq!(devices.list().await.expect("devices"), []);
    }
}
