//! What tokens and reports are held to on arrival, as constraints of its tables: a restored database, or another
//! version of Porchlight, cannot bring what no client could.

/// That a column has at most this many characters, none of them a control character.
macro_rules! is_line {
    ($column:literal, $most:literal) => {
        concat!(
            "length(",
            $column,
            ") <= ",
            $most,
            " AND instr(",
            $column,
            ", char(0)) = 0 AND ",
            $column,
            " NOT GLOB '*[' || char(1) || '-' || char(31, 127) || '-' || char(159) || ']*'"
        )
    };
}

/// That a column has the id of a device.
macro_rules! is_id {
    ($column:literal) => {
        concat!(
            "length(",
            $column,
            ") BETWEEN 1 AND 64 AND instr(",
            $column,
            ", char(0)) = 0 AND ",
            $column,
            " NOT GLOB '*[^a-zA-Z0-9._-]*' AND ",
            $column,
            " <> 'this-computer'"
        )
    };
}

/// The most milliseconds for which a report of a device is valid: four hours.
macro_rules! longest_valid {
    () => {
        14_400_000
    };
}

/// The columns of what is in use.
macro_rules! content_columns {
    () => {
        concat!(
            "application TEXT NOT NULL DEFAULT '' CHECK (",
            $crate::db::bounds::is_line!("application", 200),
            "),
            introduce TEXT NOT NULL DEFAULT '' CHECK (",
            $crate::db::bounds::is_line!("introduce", 2000),
            "),
            rgba TEXT NOT NULL DEFAULT ''
                CHECK (length(rgba) <= 32 AND rgba NOT GLOB '*[^0-9.,]*'),
            online INTEGER NOT NULL DEFAULT 0 CHECK (online IN (0, 1))"
        )
    };
}

pub(crate) use {content_columns, is_id, is_line, longest_valid};
