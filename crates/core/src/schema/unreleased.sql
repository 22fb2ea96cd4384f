-- The tables of porchlight.db as the last build before the first version left them, with the rows
-- that they always have.
CREATE TABLE token (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        scope TEXT NOT NULL CHECK (scope IN ('heartbeat', 'upload', 'admin')),
        digest BLOB NOT NULL UNIQUE,
        created_at INTEGER NOT NULL,
        last_used INTEGER
    ) STRICT;
CREATE TABLE first_run (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        done_at INTEGER NOT NULL
    ) STRICT;
CREATE TABLE presence (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        at INTEGER NOT NULL,
        application TEXT NOT NULL,
        introduce TEXT NOT NULL,
        rgba TEXT NOT NULL,
        online INTEGER NOT NULL
    ) STRICT;
CREATE TABLE presence_change (
        id INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        application TEXT NOT NULL,
        introduce TEXT NOT NULL,
        rgba TEXT NOT NULL,
        online INTEGER NOT NULL
    , until INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX presence_change_at ON presence_change (at);
CREATE TABLE image (
        id INTEGER PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 16),
        sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
        size INTEGER NOT NULL,
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        frames INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        newest INTEGER NOT NULL GENERATED ALWAYS AS (-created_at) VIRTUAL,
        slot INTEGER NOT NULL UNIQUE,
        source_size INTEGER NOT NULL,
        source_format TEXT NOT NULL,
        place INTEGER NOT NULL DEFAULT 0 CHECK (place IN (0, 1))
    ) STRICT;
CREATE INDEX image_in_order ON image (newest, hash);
CREATE INDEX image_in_place ON image (place);
CREATE TABLE alias (
        hash BLOB PRIMARY KEY CHECK (length(hash) = 16),
        image INTEGER NOT NULL REFERENCES image (id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
CREATE INDEX alias_of_image ON alias (image);
CREATE TABLE source (
        digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
        image INTEGER NOT NULL REFERENCES image (id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
CREATE INDEX source_of_image ON source (image);
CREATE TABLE removal (
        hash BLOB NOT NULL,
        place INTEGER NOT NULL DEFAULT 0 CHECK (place IN (0, 1)), announced INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (hash, place)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE shelf (
        newest INTEGER NOT NULL,
        hash BLOB NOT NULL,
        count INTEGER NOT NULL, published TEXT, edition INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (newest, hash)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE call_total (
        key TEXT PRIMARY KEY,
        count INTEGER NOT NULL,
        last INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE call_hour (
        hour INTEGER NOT NULL,
        key TEXT NOT NULL,
        class INTEGER NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (hour, key, class)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE image_view (
        hash BLOB PRIMARY KEY,
        count INTEGER NOT NULL,
        last INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE INDEX presence_change_until ON presence_change (until);
CREATE TABLE reader_day (
        day INTEGER PRIMARY KEY,
        count INTEGER NOT NULL,
        more INTEGER NOT NULL
    ) STRICT;
CREATE TABLE image_view_day (
        day INTEGER NOT NULL,
        hash BLOB NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (day, hash)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE publisher (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        name TEXT NOT NULL
    , takes_over INTEGER NOT NULL DEFAULT 0, has_published INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE published_name (
        name BLOB PRIMARY KEY CHECK (length(name) = 16),
        image BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE image_total (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        size INTEGER NOT NULL,
        source_size INTEGER NOT NULL
    ) STRICT;
CREATE TRIGGER image_total_added AFTER INSERT ON image BEGIN
        UPDATE image_total SET size = size + new.size, source_size = source_size + new.source_size;
    END;
CREATE TRIGGER image_total_removed AFTER DELETE ON image BEGIN
        UPDATE image_total SET size = size - old.size, source_size = source_size - old.source_size;
    END;
CREATE TRIGGER image_total_changed AFTER UPDATE OF size, source_size ON image BEGIN
        UPDATE image_total SET size = size + new.size - old.size,
                               source_size = source_size + new.source_size - old.source_size;
    END;
CREATE TABLE sent_hour (
        hour INTEGER PRIMARY KEY,
        bytes INTEGER NOT NULL
    ) STRICT;
CREATE TABLE image_name (
        image INTEGER PRIMARY KEY REFERENCES image (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        folded TEXT NOT NULL
    ) STRICT;
INSERT INTO shelf (newest, hash, count) VALUES (-9223372036854775808, x'', 0);
INSERT INTO publisher (only, name) VALUES (1, '0123456789abcdef0123456789abcdef');
INSERT INTO image_total VALUES (1, 0, 0);
PRAGMA user_version = 17;
