//! Sample data of an app: photographs with names, weeks of presence, calls of readers, and rules.

use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, params};
use serde_json::json;

use crate::app::App;
use crate::desktop::Desktop;
use crate::harness::pictures::{jpeg, scene};
use crate::photos::{PHOTOS, photo, shape};
use crate::screenshots::writes;

/// What the app is started with.
pub(crate) const SETTINGS: [&str; 3] = [
    "presence.enabled=true",
    "app.welcomed=true",
    "presence.rules=[{ program = 'dev.zed.Zed', name = 'Zed', introduce = 'Rust', \
     rgba = '233,30,99,0.9' }, { program = 'xterm', name = 'The workshop', \
     introduce = 'Sawing and sanding', rgba = '120,200,150,0.9' }, \
     { program = 'darktable', name = 'darktable', \
     introduce = 'Sorting photos', rgba = '232,140,40,1' }, { program = 'spotify', name = 'Spotify', \
     introduce = 'Listening', rgba = '40,180,99,1' }, { program = 'keepassxc', hide = true }]",
];
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
/// A day: what is shown from which minute on, and for how many.
const DAY: [(i64, i64, &str, &str, &str); 9] = [
    (490, 55, "Thunderbird", "Reading letters", "120,90,200,1"),
    (550, 95, "VS Code", "Writing code", "40,130,210,1"),
    (650, 40, "Firefox", "Looking something up", "240,110,50,1"),
    (695, 70, "VS Code", "Writing code", "40,130,210,1"),
    (820, 80, "Obsidian", "Taking notes", "214,51,108,1"),
    (
        905,
        60,
        "The workshop",
        "Sawing and sanding",
        "120,200,150,1",
    ),
    (970, 110, "VS Code", "Writing code", "40,130,210,1"),
    (1150, 75, "Blender", "Modelling a lamp", "235,140,30,1"),
    (1240, 90, "Spotify", "Listening", "40,190,100,1"),
];

/// How many times each photograph was looked at.
const VIEWS: [u32; PHOTOS.len()] = [14, 9, 23, 6, 31, 4, 17, 11, 8, 26, 3, 12];
/// Readers of each day, the latest first.
const READERS: [i64; 11] = [61, 74, 52, 38, 45, 69, 57, 83, 49, 34, 66];

/// An hour of the evening, when there is a day to look back on.
const EVENING: i64 = 21;

/// Hours by which the clocks of a place are ahead of UTC where it is evening.
pub(crate) fn ahead() -> i64 {
    let ahead = (EVENING - now() / HOUR % 24).rem_euclid(24);
    // No place is further ahead than fourteen hours.
    if ahead > 14 { ahead - 24 } else { ahead }
}

/// Unix milliseconds.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.expect("after 1970").as_millis();
    i64::try_from(now).expect("not for long")
}

/// The photograph of this number as JPEG; where pictures are not kept, another one that is made at
/// once.
pub(crate) fn photograph(number: usize) -> Vec<u8> {
    let (width, height) = shape(number);
    jpeg(&match writes() {
        true => photo(number),
        false => scene(number as u64 + 1, width / 5, height / 5),
    })
}

/// Writes it to an app; returns the folder to be watched.
pub(crate) async fn seed(desktop: &Desktop) -> String {
    let app = App::start(desktop, &["--hidden", "--set", "presence.enabled=false"]).await;
    for (number, views) in VIEWS.into_iter().enumerate() {
        let hash = app.service.upload(&photograph(number)).await;
        for _ in 0..views {
            app.service.visit(&format!("/i/{hash}")).await;
        }
    }
    app.terminate();
    app.ends_well().await;
    remember(desktop, now()).expect("a database");

    let folder = desktop.home().join("Pictures");
    std::fs::create_dir(&folder).expect("a folder");
    folder.to_str().expect("a UTF-8 path").to_owned()
}

/// Writes the history into the closed database.
fn remember(desktop: &Desktop, now: i64) -> rusqlite::Result<()> {
    let mut database = Connection::open(desktop.data_dir().join("porchlight.db"))?;
    let past = database.transaction()?;
    past.execute("DELETE FROM presence_change", [])?;
    let today = now - (now + ahead() * HOUR).rem_euclid(24 * HOUR);
    for day in (0..7).rev() {
        for (nth, (minute, length, name, line, rgba)) in DAY.into_iter().enumerate() {
            // No two days are the same.
            let shift = (day * 37 + i64::try_from(nth).unwrap_or(0) * 11) % 23;
            let started = today - day * 24 * HOUR + (minute + shift) * MINUTE;
            let ended = (started + (length - 2 * shift.min(20)) * MINUTE).min(now - 2 * MINUTE);
            if ended <= started {
                continue;
            }
            let insert = "INSERT INTO presence_change \
                (at, until, application, introduce, rgba, online) VALUES (?, ?, ?, ?, ?, ?)";
            past.execute(insert, params![started, ended, name, line, rgba, true])?;
            past.execute(insert, params![ended, ended, name, line, rgba, false])?;
        }
    }
    let set = "INSERT OR REPLACE INTO count (hour, what, n, last) VALUES (?, ?, ?, ?)";
    let paths = [
        ("/check", 40),
        ("/i/{hash}", 90),
        ("/random_image", 25),
        ("/game_status", 12),
    ];
    for (key, most) in paths {
        let mut total = 0;
        for hour in 0..24 * 30 {
            let at = now / HOUR - hour;
            // More by day than by night, and not evenly.
            let daylight = 12 - ((at + ahead()).rem_euclid(24) - 15).abs().min(12);
            let count = most * daylight / 12 + (at * 7919 + most).rem_euclid(most / 3 + 1);
            total += count;
            past.execute(set, params![at, format!("{key} 2"), count, now])?;
            if hour % 9 == 0 {
                past.execute(set, params![at, format!("{key} 4"), count / 15, now])?;
            }
        }
        past.execute(set, params![-1, key, total, now])?;
    }
    for hour in 0..24 * 30 {
        past.execute(set, params![now / HOUR - hour, "sent", 1_930_000, now])?;
    }
    let day = (now + ahead() * HOUR).div_euclid(24 * HOUR);
    for back in 0..30 {
        let readers = READERS[back as usize % READERS.len()];
        past.execute(set, params![(day - back) * 24, "readers", readers, now])?;
    }
    let older = "UPDATE image SET created_at = ?1 - (12 - id) * ?2";
    past.execute(older, params![now, 6 * HOUR])?;
    for (id, name) in (1_i64..).zip(PHOTOS) {
        let insert = "INSERT OR REPLACE INTO image_name (image, name, folded) VALUES (?, ?, ?)";
        past.execute(insert, params![id, name, name.to_lowercase()])?;
    }
    past.commit()?;
    // Today's readers are an exact number while their digests are known.
    let digests: Vec<i64> = (0..61).collect();
    let readers = json!({ "day": day, "key": vec![0; 32], "digests": digests });
    let file = desktop.data_dir().join("readers.json");
    std::fs::write(file, readers.to_string()).expect("written");
    Ok(())
}
