//! Whose settings, tokens and devices apply after a restore.

use std::path::Path;

use rusqlite::Connection;

use super::on_a_worker;
use crate::db::DatabaseError;
use crate::error::message::Message;
use crate::schema::database_file;

/// Which settings, tokens and devices apply after a restore.
#[derive(Debug, Clone, Copy)]
pub enum Authority<'a> {
    /// Those of the backup: it is the owner's.
    Backup,
    /// Those of this data folder. Where it has no database, there is no device, and the next start
    /// makes the tokens of a first run.
    Folder(&'a Path),
}

/// The tables that decide who may report, upload or change something. Tokens name devices, which come
/// before them.
const TABLES: [&str; 3] = ["device", "token", "first_run"];

/// Replaces these tables of the database in `file` with those of the data folder, whose database has
/// the same schema; without one they are empty.
pub(super) async fn take(file: &Path, folder: &Path) -> Result<(), Message> {
    let present = database_file(folder);
    let present = present.is_file().then_some(present);
    let restored = file.to_owned();
    let take = move || Ok(replace(&restored, present.as_deref()).map_err(DatabaseError::from)?);
    on_a_worker(file, take).await
}

fn replace(restored: &Path, present: Option<&Path>) -> rusqlite::Result<()> {
    let mut connection = Connection::open(restored)?;
    if let Some(present) = present {
        connection.execute("ATTACH ?1 AS present", [present.to_string_lossy()])?;
    }
    let transaction = connection.transaction()?;
    for table in TABLES {
        transaction.execute(&format!("DELETE FROM main.{table}"), [])?;
        if present.is_some() {
            let take = format!("INSERT INTO main.{table} SELECT * FROM present.{table}");
            transaction.execute(&take, [])?;
        }
    }
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;

    /// What a restore brings in any case: pictures, the index, history and counts. `presence` is
    /// emptied, `removal` and the queue of uploads too, and `edge` gets another id; the trash is empty in a backup.
    const BROUGHT: [&str; 15] = [
        "alias",
        "count",
        "edge",
        "image",
        "image_name",
        "image_change",
        "presence",
        "presence_change",
        "removal",
        "source",
        "trash",
        "trash_alias",
        "trash_source",
        "upload",
        "watched_folder",
    ];

    #[tokio::test]
    async fn it_is_decided_of_each_table_whether_a_restore_brings_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = database_file(folder.path());
        let database = schema::open(&file).await.expect("a database");
        database.close().await;
        let connection = Connection::open(file).expect("a database");
        let names = "SELECT name FROM sqlite_schema
                     WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let mut names = connection.prepare(names).expect("a query");
        let names = names.query_map([], |row| row.get(0)).expect("names");
        let names: Vec<String> = names.collect::<Result<_, _>>().expect("names");
        let mut decided: Vec<&str> = BROUGHT.into_iter().chain(TABLES).collect();
        decided.sort_unstable();
        assert_eq!(names, decided);
    }
}
