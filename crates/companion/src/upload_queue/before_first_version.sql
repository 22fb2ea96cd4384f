-- The upload queue of builds before the first version, as SQLite wrote it down, with a row of each kind.
CREATE TABLE picture (
    -- The order in which they go out.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    file BLOB NOT NULL UNIQUE,
    -- The watched folder it is in.
    folder BLOB NOT NULL,
    -- Size and time of the last change, in nanoseconds, of this version.
    bytes INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    -- 0 waits, 1 uploaded and not put away yet, 2 done, 3 set aside, 4 left alone.
    state INTEGER NOT NULL,
    -- How often the service failed on it.
    tries INTEGER NOT NULL DEFAULT 0,
    -- Of the version that was uploaded last.
    sha256 BLOB,
    hash TEXT,
    -- Why it was set aside.
    reason TEXT
) STRICT;
CREATE INDEX picture_turn ON picture (state, tries, id);
CREATE TABLE folder (folder BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE added (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Empty for a row that only counts files that were left out.
    file BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    -- 0 waits, 1 under way, 2 failed.
    turn INTEGER NOT NULL,
    -- How often the service failed on it.
    tries INTEGER NOT NULL DEFAULT 0
, trouble TEXT) STRICT;
CREATE INDEX added_turn ON added (tries, turn) WHERE trouble IS NULL;
INSERT INTO folder VALUES (CAST('/pictures' AS BLOB));
INSERT INTO picture (id, file, folder, bytes, changed, state, tries, sha256, hash, reason) VALUES
    (3, CAST('/pictures/done.png' AS BLOB), CAST('/pictures' AS BLOB), 7, 1, 2, 0, x'0101010101010101010101010101010101010101010101010101010101010101', 'ab', NULL),
    (4, CAST('/pictures/waits.png' AS BLOB), CAST('/pictures' AS BLOB), 7, 1, 0, 0, NULL, NULL, NULL),
    (5, CAST('/pictures/aside.png' AS BLOB), CAST('/pictures' AS BLOB), 7, 1, 3, 0, NULL, NULL, '{"code":"file_empty"}');
INSERT INTO added (id, file, bytes, turn, tries, trouble) VALUES
    (8, CAST('/desk/waits.png' AS BLOB), 5, 8, 0, NULL),
    (9, CAST('/desk/broken.png' AS BLOB), 6, 9, 0, '"broken"');
PRAGMA user_version = 3;
