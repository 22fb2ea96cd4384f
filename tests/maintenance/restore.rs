//! What `restore` brings of a backup: by default what a stranger's may bring, all of it where the owner
//! says that it is their own; and a database with a foreign schema.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::Digest as _;

use crate::harness::TestService;
use crate::tampered::{read, write};
use crate::{database, porchlight, wide, with_images};

/// A backup with secrets, of a service with an image, a token and settings.
struct Backup {
    place: tempfile::TempDir,
    file: PathBuf,
    settings: String,
    image: String,
    /// The token `blog`.
    token: String,
    /// The app's own tokens.
    own: Vec<u8>,
    /// The file that the tunnel command in the settings creates.
    mark: PathBuf,
}

/// Rules as a stranger, or the owner, has written them.
const RULES: &str = "[[presence.rules]]\nprogram = \"vim\"\nname = \"an editor\"\n";

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

async fn backup() -> Backup {
    let place = tempfile::tempdir().expect("a folder");
    let mark = place.path().join("the tunnel ran");
    let mut service = TestService::start(&[]).await;
    let made = ["token", "new", "--name", "blog", "--scope", "upload"];
    let made = porchlight(service.data_dir(), &made).await;
    assert!(made.status.success(), "{made:?}");
    let token = made.stdout.trim().to_owned();
    let image = service.stored(wide()).await;
    service.stop().await;
    let own = fs::read(service.data_dir().join("own-tokens.json")).expect("a file");

    let settings = format!(
        "behaviour = \"B\"\n\
         [server]\ngreeting = \"mine\"\nlisten = \"127.0.0.1:1\" # here\n\
         [heartbeat]\nalive_seconds = 31536000\n\
         [limits]\nrequests_per_second = 0\n\
         [links]\ntemplate = \"<script src=//evil.example></script>{{url}}\"\n\
         [app]\nupload_shortcut = \"Ctrl+C\"\n\
         [tunnel]\nkind = \"command\"\ncommand = [\n  \"touch\",\n  {mark:?},\n]\n\
         public_url = \"https://a.example\"\n\
         [storage]\nkind = \"s3\"\nendpoint = \"http://127.0.0.1:1\"\nbucket = \"b\"\n\
         access_key = \"key\"\nsecret_key = \"hush\"\nstorage_url = \"https://s.example\"\n\
         [presence]\nenabled = true\nshare_titles = true\nhistory_days = 1\n{RULES}"
    );
    fs::write(service.data_dir().join("settings.toml"), &settings).expect("to write");
    let file = place.path().join("backup.tar");
    let words = ["backup", "--with-secrets", text(&file)];
    let ended = porchlight(service.data_dir(), &words).await;
    assert!(ended.status.success(), "{ended:?}");
    Backup {
        place,
        file,
        settings,
        image,
        token,
        own,
        mark,
    }
}

fn token_names(folder: &Path) -> Vec<String> {
    let database = database(folder);
    let mut names = database
        .prepare("SELECT name FROM token ORDER BY name")
        .expect("a query");
    let names = names.query_map([], |row| row.get(0)).expect("names");
    names.collect::<Result<_, _>>().expect("names")
}

/// The settings of a data folder, by section and name.
fn settings_in(folder: &Path) -> toml::Table {
    let written = fs::read_to_string(folder.join("settings.toml")).expect("a file");
    written.parse().expect("TOML")
}

#[tokio::test]
async fn of_a_strangers_backup_only_pictures_history_names_and_rules_are_restored() {
    let backup = backup().await;
    let back = backup.place.path().join("back");
    fs::create_dir(&back).expect("a folder");
    let own =
        "# mine\n[images]\nquality = 70\n[presence]\nrules = [{ title = 'x', hide = true }]\n";
    fs::write(back.join("settings.toml"), own).expect("to write");
    let ended = porchlight(&back, &["restore", text(&backup.file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert!(ended.stdout.contains("--all"), "{ended:?}");
    assert!(!format!("{ended:?}").contains("hush"), "{ended:?}");
    assert!(!back.join("own-tokens.json").exists());
    assert_eq!(token_names(&back), [""; 0]);
    let settings = settings_in(&back);
    let expected: toml::Table = format!("[images]\nquality = 70\n{RULES}")
        .parse()
        .expect("TOML");
    assert_eq!(settings, expected);

    let mut service = TestService::builder()
        .data_dir(&back)
        .without_tokens()
        .start()
        .await;
    let image = service.get(&format!("/i/{}", backup.image)).await;
    assert_eq!(image.status(), 200, "from the disk, and directly");
    let request = service.request(reqwest::Method::POST, "/images/add");
    let refused = request.bearer_auth(&backup.token).send().await;
    assert_eq!(refused.expect("an answer").status(), 401);
    // The app has generated new ones.
    let own = fs::read(back.join("own-tokens.json")).expect("a file");
    assert_ne!(own, backup.own);
    assert!(service.stop().await.success());
    assert_eq!(token_names(&back), ["admin", "heartbeat"]);
    assert!(
        !backup.mark.exists(),
        "the tunnel of the backup was started"
    );
}

#[tokio::test]
async fn the_owners_backup_is_restored_whole() {
    let backup = backup().await;
    let back = backup.place.path().join("back");
    // Its object store does not exist.
    let disk = ["--set", "storage.kind=disk", "--set", "behaviour=A"];
    let words = [
        &["restore", "--all", "--json", text(&backup.file)][..],
        &disk,
    ]
    .concat();
    let ended = porchlight(&back, &words).await;
    assert!(ended.status.success(), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let secrets = ["settings.toml", "own-tokens.json"];
    let expected = serde_json::json!({ "images": 1, "secrets": secrets, "all": true });
    assert_eq!(report, expected);
    let settings = fs::read_to_string(back.join("settings.toml")).expect("a file");
    assert_eq!(settings, backup.settings);
    assert_eq!(token_names(&back), ["admin", "blog", "heartbeat"]);
    let own = fs::read(back.join("own-tokens.json")).expect("a file");
    assert_eq!(own, backup.own);
}

#[tokio::test]
async fn settings_of_this_machine_are_not_replaced_by_those_of_a_backup() {
    let backup = backup().await;
    let back = backup.place.path().join("back");
    fs::create_dir(&back).expect("a folder");
    fs::write(back.join("settings.toml"), "# mine\n").expect("to write");
    let disk = ["--set", "storage.kind=disk", "--set", "behaviour=A"];
    let words = [&["restore", "--all", text(&backup.file)][..], &disk].concat();
    let ended = porchlight(&back, &words).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("settings.toml"), "{ended:?}");
    assert!(!back.join("porchlight.db").exists());
    let settings = fs::read_to_string(back.join("settings.toml")).expect("a file");
    assert_eq!(settings, "# mine\n");
}

/// Puts other settings into a backup.
fn write_settings(backup: &Backup, settings: &str) {
    let mut entries = read(&backup.file);
    let entry = entries.iter_mut().find(|entry| entry.0 == "settings.toml");
    entry.expect("the settings").2 = settings.as_bytes().to_vec();
    fs::write(&backup.file, write(&entries)).expect("to write");
}

#[tokio::test]
async fn invalid_settings_of_the_owners_backup_are_named_and_nothing_is_restored() {
    let backup = backup().await;
    let unc = r"[game]
steam_folder = '\\evil.example\s'
[ip]
mmdb = '\\?\UNC\evil.example\a\b.mmdb'";
    for (settings, named) in [
        (unc, &["line 2: game.steam_folder", "line 4: ip.mmdb"][..]),
        #[cfg(unix)]
        (
            "[ip]\nmmdb = '/dev/zero'",
            &["line 2: ip.mmdb: \"/dev/zero\""],
        ),
        ("[edge]\nodd = 1", &["line 2", "edge"]),
    ] {
        write_settings(&backup, settings);
        let back = backup.place.path().join("back");
        let ended = porchlight(&back, &["restore", "--all", text(&backup.file)]).await;
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        for part in named {
            assert!(ended.stderr.contains(part), "{part}: {ended:?}");
        }
        assert!(!back.join("porchlight.db").exists());

        // A stranger's are not read.
        let back = backup.place.path().join("of a stranger");
        let ended = porchlight(&back, &["restore", text(&backup.file)]).await;
        assert!(ended.status.success(), "{ended:?}");
        assert!(!back.join("settings.toml").exists());
        fs::remove_dir_all(&back).expect("removed");
    }
}

#[tokio::test]
async fn nothing_of_a_backup_is_current_after_a_restore() {
    let backup = backup().await;
    let rows = "
        INSERT INTO device (id, name, kind, allowed, battery, at, valid_for, application, online)
        VALUES ('evil', 'evil', 'phone', 1, 50, NOW, 14400000, 'Buy my coin', 1);
        INSERT INTO presence (only, at, used_at, application, introduce, rgba, online)
        VALUES (1, NOW + YEARS, NOW, 'Buy my coin', 'now', '1,2,3,1', 1);
        INSERT INTO presence_change (device, at, until, valid_for, application, online)
        VALUES (NULL, NOW - 90000, NOW - 80000, NULL, 'past', 1),
               (NULL, NOW + 90000, NOW + YEARS, NULL, 'Buy my coin', 1),
               ('evil', NOW - 70000, NOW + YEARS, 14400000, 'Buy my coin', 1);";
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a time");
    let years = 10 * 365 * 24 * 60 * 60 * 1000_i64;
    let rows = rows
        .replace("NOW", &now.as_millis().to_string())
        .replace("YEARS", &years.to_string());
    let changed = with_database(&backup.file, |database| {
        database.execute_batch(&rows).expect("rows");
    });
    fs::write(&backup.file, changed).expect("to write");
    write_settings(&backup, "");
    for (words, devices) in [(&[][..], 0), (&["--all"][..], 1)] {
        let back = backup.place.path().join(format!("back {devices}"));
        let words = [&["restore", text(&backup.file)], words].concat();
        let ended = porchlight(&back, &words).await;
        assert!(ended.status.success(), "{ended:?}");
        let counted = |query: &str| {
            let counted = database(&back).query_row(query, [], |row| row.get::<_, i64>(0));
            counted.expect("a count")
        };
        assert_eq!(counted("SELECT count(*) FROM device"), devices);
        // The history has what was, and no entry that goes on.
        assert_eq!(counted("SELECT count(*) FROM presence_change"), 2);
        let open = format!(
            "SELECT count(*) FROM presence_change WHERE until > {0} + 60000
             OR until + valid_for > {0} + 60000",
            now.as_millis()
        );
        assert_eq!(counted(&open), 0);

        let service = TestService::builder()
            .data_dir(&back)
            .without_tokens()
            .start()
            .await;
        for path in ["/check", "/devices", "/badge.json", "/v1/users/1"] {
            let answer = service.get(path).await.text().await.expect("a text");
            assert!(!answer.contains("coin"), "{path}: {answer}");
        }
        let check = service.json("/check").await;
        assert_eq!(check["alive"], false, "{check}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn on_a_terminal_the_owner_is_asked_once() {
    let backup = backup().await;
    for (answer, tokens, code) in [("y", Some(3), 0), ("n", Some(0), 0), ("c", None, 1)] {
        let back = backup.place.path().join(answer);
        let line = format!(
            "{} restore {} --data-dir {} --set storage.kind=disk --set behaviour=A",
            env!("CARGO_BIN_EXE_porchlight"),
            text(&backup.file),
            text(&back)
        );
        let home = tempfile::tempdir().expect("a folder");
        let mut command = crate::harness::process::clean_command("script", home.path());
        command.args(["-qec", &line, "/dev/null"]);
        let (input, typed) = std::io::pipe().expect("a pipe");
        std::io::Write::write_all(&mut &typed, format!("what\n{answer}\n").as_bytes())
            .expect("to write");
        command.stdin(input);
        let ended = command.output().await.expect("it runs");
        drop(typed);
        let screen = String::from_utf8_lossy(&ended.stdout);
        assert_eq!(ended.status.code(), Some(code), "{answer}: {screen}");
        assert!(screen.matches("[c]ancel").count() == 2, "{screen}");
        let there = back.join("porchlight.db").exists();
        assert_eq!(there.then(|| token_names(&back).len()), tokens, "{screen}");
    }
}

/// The backup with another database in it.
fn with_database(file: &Path, change: impl FnOnce(&rusqlite::Connection)) -> Vec<u8> {
    let mut entries = read(file);
    let scratch = tempfile::NamedTempFile::new().expect("a file");
    let at = |entries: &[_], name: &str| {
        let is = |entry: &(String, tar::EntryType, Vec<u8>)| entry.0 == name;
        entries.iter().position(is).expect("an entry")
    };
    let place = at(&entries, "porchlight.db");
    fs::write(scratch.path(), &entries[place].2).expect("to write");
    let connection = rusqlite::Connection::open(scratch.path()).expect("a database");
    change(&connection);
    drop(connection);
    entries[place].2 = fs::read(scratch.path()).expect("the database");
    let digest = hex::encode(sha2::Sha256::digest(&entries[place].2));
    let place = at(&entries, "end-of-backup.json");
    let mut ending: Value = serde_json::from_slice(&entries[place].2).expect("JSON");
    ending["database"] = digest.into();
    entries[place].2 = ending.to_string().into_bytes();
    write(&entries)
}

#[tokio::test]
async fn a_database_with_a_foreign_schema_is_refused() {
    let (service, _) = with_images(1).await;
    let place = tempfile::tempdir().expect("a folder");
    let good = place.path().join("good.tar");
    let ended = porchlight(service.data_dir(), &["backup", text(&good)]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(ended.stderr, "", "nothing is wrong with it");
    for (named, change) in [
        (
            "trigger \"evil\"",
            "CREATE TRIGGER evil AFTER INSERT ON image BEGIN
             INSERT INTO token (name, scope, digest, created_at)
             VALUES ('evil', 'admin', zeroblob(32), 0); END",
        ),
        ("view \"v\"", "CREATE VIEW v AS SELECT * FROM token"),
        ("table \"t\"", "CREATE TABLE t (a)"),
        ("index \"i\"", "CREATE INDEX i ON token (scope)"),
        ("index \"image_in_place\"", "DROP INDEX image_in_place"),
        (
            "table \"presence\"",
            "ALTER TABLE presence ADD COLUMN more TEXT",
        ),
        ("user_version \"-1\"", "PRAGMA user_version = -1"),
        (
            "view \"_litestream_seq\"",
            "CREATE VIEW _litestream_seq AS SELECT 1",
        ),
        (
            "trigger \"sqlite_evil\"",
            "CREATE TRIGGER evil AFTER INSERT ON image BEGIN SELECT 1; END;
             PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET name = 'sqlite_evil' WHERE name = 'evil';",
        ),
    ] {
        let file = place.path().join("changed.tar");
        let changed = with_database(&good, |database| {
            database.execute_batch(change).expect("changed");
        });
        fs::write(&file, changed).expect("to write");
        let back = place.path().join("back");
        let ended = porchlight(&back, &["restore", text(&file)]).await;
        assert_eq!(ended.status.code(), Some(1), "{named}: {ended:?}");
        let quoted = named
            .split_once(' ')
            .expect("two words")
            .1
            .trim_matches('"');
        assert!(ended.stderr.contains(quoted), "{named}: {ended:?}");
        assert!(ended.stderr.contains("nothing was restored"), "{ended:?}");
        assert!(!back.join("porchlight.db").exists(), "{named}");
    }
}

#[tokio::test]
async fn litestreams_tables_are_neither_backed_up_nor_restored() {
    const LITESTREAM: &str = "
        CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
        CREATE TABLE _litestream_lock (id INTEGER);
        INSERT INTO _litestream_seq VALUES (1, 7);";
    let left = |connection: &rusqlite::Connection| -> i64 {
        let query = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%litestream%'";
        let left = connection.query_row(query, [], |row| row.get(0));
        left.expect("a count")
    };
    let (mut service, _) = with_images(1).await;
    service.stop().await;
    database(service.data_dir())
        .execute_batch(LITESTREAM)
        .expect("tables");
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("backup.tar");
    let ended = porchlight(service.data_dir(), &["backup", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(ended.stderr, "");
    let changed = with_database(&file, |database| {
        assert_eq!(left(database), 0);
        database.execute_batch(LITESTREAM).expect("tables");
    });
    fs::write(&file, changed).expect("to write");
    let back = place.path().join("back");
    let ended = porchlight(&back, &["restore", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(left(&database(&back)), 0);
}

#[tokio::test]
async fn an_unrestorable_backup_is_reported_when_it_is_made() {
    let (mut service, _) = with_images(1).await;
    service.stop().await;
    database(service.data_dir())
        .execute_batch("CREATE TABLE notes (text)")
        .expect("a table");
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("backup.tar");
    let ended = porchlight(service.data_dir(), &["backup", text(&file)]).await;
    assert!(ended.stderr.contains("cannot be restored"), "{ended:?}");
    assert!(ended.stderr.contains("notes"), "{ended:?}");
}

#[tokio::test]
async fn state_of_the_other_data_folder_is_not_restored() {
    let (mut service, _) = with_images(1).await;
    service.stop().await;
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("backup.tar");
    let ended = porchlight(service.data_dir(), &["backup", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    let changed = with_database(&file, |database| {
        let rows = "PRAGMA foreign_keys = OFF;
            INSERT INTO source VALUES (zeroblob(32), 2);
            INSERT INTO removal VALUES (zeroblob(16), 1);";
        database.execute_batch(rows).expect("rows");
    });
    fs::write(&file, changed).expect("to write");
    let back = place.path().join("back");
    let ended = porchlight(&back, &["restore", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    let restored = database(&back);
    let count = |table| {
        let query = format!("SELECT count(*) FROM {table}");
        restored.query_row(&query, [], |row| row.get::<_, i64>(0))
    };
    assert_eq!((count("source"), count("removal")), (Ok(1), Ok(0)));
    let id = |database: &rusqlite::Connection| {
        let name = "SELECT service FROM edge";
        let name = database.query_row(name, [], |row| row.get::<_, String>(0));
        name.expect("a name")
    };
    assert_ne!(id(&restored), id(&database(service.data_dir())));
}
