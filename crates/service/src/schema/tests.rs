//! What the tables refuse, and which databases are refused.

use rusqlite::Connection;

use super::{SCHEMA, database_file, difference, open_beside, open_read_only};
use crate::db::{Database, Schema};
use crate::error::message::Message;

/// Rows that break no bound.
const ROWS: [(&str, &[(&str, &str)]); 4] = [
    (
        "device",
        &[
            ("id", "'Pixel-8_pro.2'"),
            ("name", "'Phone'"),
            ("kind", "'phone'"),
            ("allowed", "1"),
            ("hidden", "0"),
            ("battery", "100"),
            ("charging", "1"),
            ("at", "1"),
            ("valid_for", "14400000"),
            ("used_at", "1"),
            ("application", "replace(hex(zeroblob(100)), '00', '光光')"),
            ("introduce", "hex(zeroblob(1000))"),
            ("rgba", "'255,255,255,0.012345678901234567'"),
            ("online", "1"),
        ],
    ),
    (
        "presence",
        &[
            ("only", "1"),
            ("at", "1"),
            ("used_at", "1"),
            ("application", "'Vim'"),
            ("introduce", "''"),
            ("rgba", "''"),
            ("online", "0"),
        ],
    ),
    (
        "presence_change",
        &[
            ("device", "NULL"),
            ("at", "1"),
            ("until", "1"),
            ("valid_for", "NULL"),
            ("application", "'Vim'"),
            ("introduce", "''"),
            ("rgba", "''"),
            ("online", "0"),
        ],
    ),
    (
        "token",
        &[
            ("name", "'phone'"),
            ("scope", "'heartbeat'"),
            ("digest", "zeroblob(32)"),
            ("created_at", "1"),
            ("last_used", "NULL"),
            ("device", "'Pixel-8_pro.2'"),
        ],
    ),
];

/// Columns, and values of each that no client could bring.
type Refused = [(&'static str, &'static [&'static str])];

const REFUSED: [(&str, &Refused); 4] = [
    (
        "device",
        &[
            (
                "id",
                &[
                    "''",
                    "'a b'",
                    "'手机'",
                    "'a' || char(0)",
                    "'this-computer'",
                    "hex(zeroblob(33))",
                ],
            ),
            ("name", &["''", "'a' || char(10)", "hex(zeroblob(33))"]),
            ("kind", &["''", "'toaster'"]),
            ("allowed", &["2"]),
            ("hidden", &["1", "-1"]),
            ("battery", &["-1", "101"]),
            ("charging", &["2"]),
            ("at", &["-1"]),
            ("valid_for", &["-1", "14400001", "315360000000"]),
            ("used_at", &["-1"]),
        ],
    ),
    ("presence", &[("at", &["-1"]), ("used_at", &["-1"])]),
    (
        "presence_change",
        &[
            ("device", &["''", "'a b'", "'this-computer'"]),
            ("at", &["-1"]),
            ("until", &["-1"]),
            ("valid_for", &["-1", "14400001"]),
        ],
    ),
    (
        "token",
        &[
            ("name", &["''", "'a' || char(7)", "hex(zeroblob(51))"]),
            ("scope", &["'upload'", "'admin'", "'all'"]),
            ("digest", &["zeroblob(31)", "''"]),
            ("created_at", &["-1"]),
            ("last_used", &["-1"]),
            ("device", &["'another'"]),
        ],
    ),
];

/// Those of the columns that three of the tables have.
const REFUSED_CONTENT: [(&str, &[&str]); 4] = [
    (
        "application",
        &[
            "hex(zeroblob(101))",
            "'a' || char(0)",
            "char(1)",
            "char(31)",
            "char(127)",
            "char(159)",
        ],
    ),
    (
        "introduce",
        &[
            "hex(zeroblob(1001))",
            "'a' || char(0) || 'b'",
            "'a' || char(10)",
        ],
    ),
    ("rgba", &["'red'", "'0123456789,0123456789,0123456789,'"]),
    ("online", &["2"]),
];

fn insert(database: &Connection, table: &str, row: &[(&str, &str)]) -> rusqlite::Result<usize> {
    let (columns, values): (Vec<_>, Vec<_>) = row.iter().copied().unzip();
    let (columns, values) = (columns.join(", "), values.join(", "));
    let sql = format!("INSERT INTO {table} ({columns}) VALUES ({values})");
    database.execute(&sql, [])
}

/// A database with the tables and [`ROWS`].
fn with_rows() -> Connection {
    let database = Connection::open_in_memory().expect("a database");
    database
        .pragma_update(None, "foreign_keys", true)
        .expect("set");
    for create in SCHEMA.steps.concat() {
        database.execute_batch(create).expect("tables");
    }
    for (table, row) in ROWS {
        insert(&database, table, row).expect(table);
    }
    database
}

#[test]
fn no_row_can_bring_what_no_client_could() {
    let database = with_rows();
    database
        .execute_batch("DELETE FROM token; DELETE FROM device; DELETE FROM presence")
        .expect("empty tables");
    for (table, row) in ROWS {
        let bounds = REFUSED.iter().filter(|(of, _)| *of == table);
        let bounds = bounds.flat_map(|(_, bounds)| bounds.iter());
        let content = REFUSED_CONTENT.iter().filter(|_| table != "token");
        for (column, values) in bounds.chain(content) {
            for value in *values {
                let mut row = row.to_vec();
                let place = row.iter().position(|(name, _)| name == column);
                row[place.expect(column)].1 = value;
                let refused = insert(&database, table, &row);
                assert!(refused.is_err(), "{table}.{column} = {value}");
            }
        }
        insert(&database, table, row).expect(table);
    }
}

#[test]
fn a_device_has_one_token_which_goes_with_it() {
    let database = with_rows();
    let tokens = || -> i64 {
        let count = database.query_row("SELECT count(*) FROM token", [], |row| row.get(0));
        count.expect("a count")
    };
    let mut second = ROWS[3].1.to_vec();
    (second[0].1, second[2].1) = ("'second'", "randomblob(32)");
    assert!(insert(&database, "token", &second).is_err());
    assert_eq!(tokens(), 1);
    database.execute("DELETE FROM device", []).expect("deleted");
    assert_eq!(tokens(), 0);
}

/// The tables as a later version may have them.
const LATER: Schema = Schema {
    steps: &[
        SCHEMA.steps[0],
        &["CREATE TABLE later (id INTEGER) STRICT;"],
    ],
};

#[tokio::test]
async fn tables_of_a_newer_version_are_refused_and_left_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = database_file(folder.path());
    let newer = Database::open(&file, &LATER).await.expect("a database");
    newer.close().await;
    let before = std::fs::read(&file).expect("a database");
    for why in [
        super::open(&file).await.err(),
        open_beside(&file).await.err(),
        open_read_only(&file).await.err(),
    ] {
        assert!(
            matches!(why, Some(Message::DatabaseNewer { .. })),
            "{why:?}"
        );
    }
    assert_eq!(std::fs::read(&file).expect("a database"), before);
}

#[tokio::test]
async fn a_program_beside_the_service_leaves_the_version_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = database_file(folder.path());
    let opened = super::open(&file).await.expect("a database");
    opened.close().await;
    let refused = [
        Database::open_beside(&file, &LATER).await.err(),
        crate::db::ReadOnly::open(&file, &LATER).await.err(),
    ];
    for why in refused {
        let why = why.expect("an error").to_string();
        assert!(why.contains("older version"), "{why}");
    }
    open_read_only(&file).await.expect("as it was");
    let later = Database::open(&file, &LATER).await.expect("the next step");
    later.close().await;
    Database::open_beside(&file, &LATER)
        .await
        .expect("a database");
}

#[tokio::test]
async fn foreign_objects_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = database_file(folder.path());
    let opened = super::open(&file).await.expect("a database");
    opened.close().await;
    let database = Connection::open(&file).expect("a database");
    assert_eq!(difference(&database), Ok(None));
    database
        .execute_batch("CREATE VIEW evil AS SELECT 1")
        .expect("a view");
    let named = difference(&database).expect("a schema");
    assert_eq!(named.as_deref(), Some("view \"evil\""));
}
