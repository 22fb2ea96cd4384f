//! Statements in one call each. They are prepared once for a connection.

use rusqlite::{Connection, OptionalExtension as _, Params, Result, Row};

pub(crate) trait Query {
    /// Runs a statement; how many rows it has changed.
    fn run(&self, sql: &str, params: impl Params) -> Result<usize>;

    /// The first row, if there is one.
    fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        row: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>>;

    /// All rows.
    fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        row: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>>;
}

impl Query for Connection {
    fn run(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.prepare_cached(sql)?.execute(params)
    }

    fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        row: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.prepare_cached(sql)?.query_row(params, row).optional()
    }

    fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        row: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.prepare_cached(sql)?.query_map(params, row)?.collect()
    }
}
