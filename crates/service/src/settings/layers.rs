//! The layers that a setting can come from, and reading them all.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use toml_edit::{Document, DocumentMut, Item, Key, Table, TableLike, Value};

use super::meta::{self, SettingMeta};
use super::problem::{Origin, Problem, Problems};
use super::{Settings, validate};
use crate::error::message::Message;
use crate::files::private_file;

/// The environment variables of these names are not settings.
const NOT_SETTINGS: [&str; 6] = [
    crate::files::executable::REPLACES,
    "PORCHLIGHT_CONFIG",
    "PORCHLIGHT_DATA_DIR",
    "PORCHLIGHT_HEARTBEAT_TOKEN",
    "PORCHLIGHT_ADMIN_TOKEN",
    "PORCHLIGHT_LOG",
];

/// Everything that settings are read from.
// No `Debug`: any of them can hold secrets.
#[derive(Clone)]
pub struct Layers {
    pub file: PathBuf,
    /// Whether `PORCHLIGHT_CONFIG` names it, so that it has to be there.
    pub file_is_named: bool,
    /// The environment: every variable that begins with `PORCHLIGHT_`, less
    /// those that are no settings.
    pub environment: Vec<(String, OsString)>,
    /// The `--set` arguments.
    pub set: Vec<String>,
    /// The `--listen` flag.
    pub listen: Option<SocketAddr>,
}

/// Where the last word on a key was written.
pub type Origins = HashMap<String, Origin>;

/// What the layers came to.
#[derive(Debug)]
pub struct Reading {
    pub settings: Settings,
    /// What was passed over, in sentences.
    pub warnings: Vec<String>,
    /// Where the last word on each key was written, for those that were.
    pub origins: Origins,
}

/// The values of all layers so far, and what is wrong with them.
#[derive(Default)]
struct Merged {
    values: DocumentMut,
    origins: Origins,
    /// First those of keys, then those of values.
    problems: [Vec<Problem>; 2],
    warnings: Vec<String>,
}

impl Merged {
    /// Adds a value, which can be a secret, over those before.
    fn add(&mut self, row: &SettingMeta, value: &Value, origin: Origin) {
        let value = match row.read(value) {
            Ok(value) => value,
            Err(why) => {
                let problem = Problem::at(origin, why).about(row.key);
                return self.problems[1].push(problem);
            }
        };
        let root = self.values.as_table_mut();
        let (table, name) = match row.key.split_once('.') {
            None => (Some(root), row.key),
            Some((section, name)) => {
                let section = root.entry(section).or_insert(Item::Table(Table::new()));
                (section.as_table_mut(), name)
            }
        };
        if let Some(table) = table {
            table.remove(name);
            table.extend(value.map(|value| (name, value)));
        }
        self.origins.insert(row.key.to_owned(), origin);
    }

    /// The same where there is such a key.
    fn add_written(
        &mut self,
        key: &str,
        value: impl FnOnce(&SettingMeta) -> Value,
        origin: Origin,
    ) {
        match meta::known(key) {
            Ok(row) => self.add(row, &value(row), origin),
            Err(why) => self.complain(origin, why),
        }
    }

    fn complain(&mut self, origin: Origin, why: Message) {
        self.problems[0].push(Problem::at(origin, why));
    }
}

impl Layers {
    /// Closes the file to other users of this machine; it can hold secrets.
    pub fn close_to_others(&self) {
        let file = self.file.display();
        match private_file::tighten(&self.file) {
            Ok(false) => {}
            Ok(true) => tracing::warn!(
                "{file} could be read by other users; its mode is 0600 now, since it can hold secrets"
            ),
            Err(error) => tracing::warn!("{file} can be read by other users: {error}"),
        }
    }

    pub fn of_this_process(
        data_folder: &Path,
        set: Vec<String>,
        listen: Option<SocketAddr>,
    ) -> Self {
        let named = std::env::var_os("PORCHLIGHT_CONFIG").filter(|file| !file.is_empty());
        Self {
            file_is_named: named.is_some(),
            file: named.map_or_else(|| data_folder.join("settings.toml"), PathBuf::from),
            environment: settings_among(std::env::vars_os()),
            set,
            listen,
        }
    }

    /// Reads them all.
    ///
    /// # Errors
    /// Everything that is wrong in any layer; when each is fine by itself,
    /// what the rules between settings find.
    pub fn read(&self) -> Result<Reading, Problems> {
        self.read_with(&self.file_text()?)
    }

    /// What is in the file; nothing when there is none yet.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn file_text(&self) -> Result<String, Problems> {
        match std::fs::read_to_string(&self.file) {
            Ok(text) => Ok(text),
            // A data folder that is no folder is named when it is entered.
            Err(error)
                if !self.file_is_named
                    && matches!(
                        error.kind(),
                        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                    ) =>
            {
                Ok(String::new())
            }
            Err(error) => Err(Problems::from(Problem::nowhere(
                Message::SettingsUnreadable {
                    file: (&self.file).into(),
                    why: error.into(),
                },
            ))),
        }
    }

    /// Reads them all, with this text instead of what is in the file.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_with(&self, file_text: &str) -> Result<Reading, Problems> {
        let mut merged = Merged::default();
        self.read_file(file_text, &mut merged);
        self.read_environment(&mut merged);
        self.read_set(&mut merged);
        if let Some(listen) = self.listen {
            let listen = |_: &SettingMeta| Value::from(listen.to_string());
            merged.add_written("server.listen", listen, Origin::Flag("--listen"));
        }
        let Merged {
            values,
            origins,
            problems,
            warnings,
        } = merged;
        let problems = problems.concat();
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        let mut settings: Settings = toml_edit::de::from_document(values)
            .map_err(|error| Problem::nowhere(Message::text(error.message())))?;
        settings.storage.edge = settings.edge.clone();
        let problems = validate::broken(&settings, &origins);
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        Ok(Reading {
            settings: settings.with_implied(),
            warnings,
            origins,
        })
    }

    fn read_file(&self, text: &str, merged: &mut Merged) {
        let at = |offset: usize| Origin::File {
            file: self.file.clone(),
            line: text[..offset.min(text.len())].matches('\n').count() + 1,
        };
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(error) => {
                let start = error.span().map_or(0, |span| span.start);
                let why = Message::text(error.message().trim().replace('\n', ", "));
                return merged.complain(at(start), why);
            }
        };
        let origin_of = |table: &dyn TableLike, name: &str| {
            let span = table.key(name).and_then(Key::span);
            at(span.map_or(0, |span| span.start))
        };
        for (section, item) in document.iter() {
            let origin = origin_of(document.as_table(), section);
            let Some(table) = item.as_table_like() else {
                merged.add_written(section, |_| value_of_item(item), origin);
                continue;
            };
            if !meta::is_section(section) {
                merged.complain(origin, meta::unknown_section(section));
                continue;
            }
            for (name, item) in table.iter() {
                let key = format!("{section}.{name}");
                merged.add_written(&key, |_| value_of_item(item), origin_of(table, name));
            }
        }
    }

    fn read_environment(&self, merged: &mut Merged) {
        for (variable, value) in &self.environment {
            let name = variable
                .trim_start_matches("PORCHLIGHT_")
                .to_ascii_lowercase();
            let key = match name.split_once('_') {
                Some((section, name)) if meta::is_section(section) => format!("{section}.{name}"),
                None if meta::meta(&name).is_some() => name,
                _ => {
                    merged.warnings.push(format!(
                        "the environment variable {variable} is none of Porchlight's and is ignored"
                    ));
                    continue;
                }
            };
            let origin = Origin::Environment(variable.clone());
            match value.to_str() {
                Some(text) => merged.add_written(&key, |row| value_of_text(row, text), origin),
                None => {
                    let why = Message::text(format!("{key}: its value is not UTF-8"));
                    merged.complain(origin, meta::known(&key).err().unwrap_or(why));
                }
            }
        }
    }

    fn read_set(&self, merged: &mut Merged) {
        for argument in &self.set {
            let written = argument.split_once('=');
            let written = written.map(|(key, value)| (key.trim(), value.trim()));
            let Some((key, value)) = written.filter(|(key, _)| !key.contains([' ', ':'])) else {
                // What follows can be a secret.
                let beginning = argument.trim().split([' ', ':', '=']).next();
                let beginning = beginning.unwrap_or_default();
                let text = format!("{beginning:?} is no setting: write `--set key=value`");
                merged.complain(Origin::Set, Message::text(text));
                continue;
            };
            merged.add_written(key, |row| value_of_text(row, value), Origin::Set);
        }
    }
}

/// The variables that can be settings. The others are not kept: two of them
/// are tokens.
pub(super) fn settings_among(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(String, OsString)> {
    variables
        .into_iter()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| name.starts_with("PORCHLIGHT_"))
        .filter(|(name, _)| !NOT_SETTINGS.contains(&name.as_str()))
        .collect()
}

/// A table counts as a value, too: one that no setting has, or a list of them.
pub fn value_of_item(item: &Item) -> Value {
    // An item of a table that was read is never without a value.
    item.clone().into_value().unwrap_or_else(|_| false.into())
}

/// What a value outside of a file means: TOML where it is that, else a text.
/// A number where the key wants a text, such as a SteamID, is a text too.
fn value_of_text(row: &SettingMeta, written: &str) -> Value {
    let as_text = Value::from(written);
    match written.trim().parse::<Value>() {
        Ok(value) if row.read(&value).is_ok() || row.read(&as_text).is_err() => value,
        _ => as_text,
    }
}
