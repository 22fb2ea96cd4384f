//! The layers that a setting can come from, and reading them all.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use porchlight_api::Message;
use serde::Deserialize as _;
use toml::{Table, Value};
use toml_edit::{Document, Item, TableLike};

use super::Settings;
use super::known::{Key, is_section, unknown_section};
use super::problem::{Origin, Problem, Problems};
use super::validate;

/// The environment variables of these names are not settings.
const NOT_SETTINGS: [&str; 7] = [
    "PORCHLIGHT_CONFIG",
    crate::watchdog::RESTARTED_AT,
    crate::watchdog::FREEZE,
    "PORCHLIGHT_DATA_DIR",
    "PORCHLIGHT_HEARTBEAT_TOKEN",
    "PORCHLIGHT_ADMIN_TOKEN",
    "PORCHLIGHT_LOG",
];

/// Everything that settings are read from.
// No `Debug`: any of them can hold secrets.
#[derive(Clone)]
pub struct Layers {
    /// The file.
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
    /// The settings.
    pub settings: Settings,
    /// What was passed over, in sentences.
    pub warnings: Vec<String>,
    /// Where the last word on each key was written, for those that were.
    pub origins: Origins,
}

/// One value as it was written; it can be a secret.
struct Entry {
    key: Key,
    value: Value,
    origin: Origin,
}

impl Layers {
    /// Closes the file to other users of this machine; it can hold secrets.
    pub fn close_to_others(&self) {
        let file = self.file.display();
        match super::edit::tighten(&self.file) {
            Ok(false) => {}
            Ok(true) => tracing::warn!(
                "{file} could be read by other users; its mode is 0600 now, since it can hold secrets"
            ),
            Err(error) => tracing::warn!("{file} can be read by other users: {error}"),
        }
    }

    /// The layers of this process.
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
    /// what their keys ask of each other.
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
        let mut entries = Vec::new();
        let mut problems = Vec::new();
        let mut warnings = Vec::new();
        self.read_file(file_text, &mut entries, &mut problems);
        self.read_environment(&mut entries, &mut problems, &mut warnings);
        self.read_set(&mut entries, &mut problems);
        if let Some(listen) = self.listen {
            entries.push(Entry {
                key: Key::written("server.listen"),
                value: Value::String(listen.to_string()),
                origin: Origin::Flag("--listen"),
            });
        }
        for entry in &entries {
            if let Some(why) = entry.key.refuses(&entry.value) {
                let problem = Problem::at(entry.origin.clone(), why);
                problems.push(problem.about(entry.key.to_string()));
            }
        }
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        let mut table = Table::new();
        let mut origins = HashMap::new();
        for Entry { key, value, origin } in entries {
            origins.insert(key.to_string(), origin);
            key.insert_into(&mut table, value);
        }
        let settings = Settings::deserialize(table)
            .map_err(|error| Problem::nowhere(Message::text(error.message())))?;
        let problems = validate::broken(&settings, &origins);
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        Ok(Reading {
            settings: settings.with_behaviour(),
            warnings,
            origins,
        })
    }

    fn read_file(&self, text: &str, entries: &mut Vec<Entry>, problems: &mut Vec<Problem>) {
        let at = |offset: usize| Origin::File {
            file: self.file.clone(),
            line: text[..offset.min(text.len())].matches('\n').count() + 1,
        };
        let broken = |span: Option<std::ops::Range<usize>>, message: &str| {
            let place = span.map_or(0, |span| span.start);
            Problem::at(at(place), Message::text(message.trim().replace('\n', ", ")))
        };
        // Twice: once for the values, once for the lines they stand on.
        let values: Table = match toml::from_str(text) {
            Ok(values) => values,
            Err(error) => return problems.push(broken(error.span(), error.message())),
        };
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(error) => return problems.push(broken(error.span(), error.message())),
        };
        let place_of = |table: &dyn TableLike, name: &str| {
            let span = table.key(name).and_then(toml_edit::Key::span);
            at(span.map_or(0, |span| span.start))
        };
        let root = document.as_table();
        for (section, value) in &values {
            let origin = place_of(root, section);
            let Value::Table(names) = value else {
                let key = Key::written(section);
                match key.unknown() {
                    Some(why) => problems.push(Problem::at(origin, why)),
                    None => entries.push(Entry {
                        key,
                        value: value.clone(),
                        origin,
                    }),
                }
                continue;
            };
            if !is_section(section) {
                problems.push(Problem::at(origin, unknown_section(section)));
                continue;
            }
            let written = root.get(section).and_then(Item::as_table_like);
            for (name, value) in names {
                let key = Key {
                    section: Some(section.clone()),
                    name: name.clone(),
                };
                let origin = written.map_or_else(|| origin.clone(), |table| place_of(table, name));
                match key.unknown() {
                    Some(why) => problems.push(Problem::at(origin, why)),
                    None => entries.push(Entry {
                        key,
                        value: value.clone(),
                        origin,
                    }),
                }
            }
        }
    }

    fn read_environment(
        &self,
        entries: &mut Vec<Entry>,
        problems: &mut Vec<Problem>,
        warnings: &mut Vec<String>,
    ) {
        for (variable, value) in &self.environment {
            let name = variable
                .trim_start_matches("PORCHLIGHT_")
                .to_ascii_lowercase();
            let key = match name.split_once('_') {
                Some((section, name)) if is_section(section) => Key {
                    section: Some(section.to_owned()),
                    name: name.to_owned(),
                },
                None if Key::written(&name).unknown().is_none() => Key::written(&name),
                _ => {
                    warnings.push(format!(
                        "the environment variable {variable} is none of Porchlight's and is ignored"
                    ));
                    continue;
                }
            };
            let origin = Origin::Environment(variable.clone());
            if let Some(why) = key.unknown() {
                problems.push(Problem::at(origin, why));
            } else if let Some(text) = value.to_str() {
                let value = value_of(&key, text);
                entries.push(Entry { key, value, origin });
            } else {
                let why = Message::text(format!("{key}: its value is not UTF-8"));
                problems.push(Problem::at(origin, why));
            }
        }
    }

    fn read_set(&self, entries: &mut Vec<Entry>, problems: &mut Vec<Problem>) {
        for argument in &self.set {
            let written = argument.split_once('=');
            let written = written.map(|(key, value)| (key.trim(), value));
            let Some((key, value)) = written.filter(|(key, _)| !key.contains([' ', ':'])) else {
                // What follows can be a secret.
                let beginning = argument.trim().split([' ', ':', '=']).next();
                let beginning = beginning.unwrap_or_default();
                let text = format!("{beginning:?} is no setting: write `--set key=value`");
                problems.push(Problem::at(Origin::Set, Message::text(text)));
                continue;
            };
            let key = Key::written(key);
            match key.unknown() {
                Some(why) => problems.push(Problem::at(Origin::Set, why)),
                None => {
                    let value = value_of(&key, value.trim());
                    entries.push(Entry {
                        key,
                        value,
                        origin: Origin::Set,
                    });
                }
            }
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

/// What a value outside of a file means: TOML where it is that, else a text.
/// A number where the key wants a text, such as a SteamID, is a text too.
fn value_of(key: &Key, written: &str) -> Value {
    let as_text = || Value::String(written.to_owned());
    let parsed = toml::from_str::<Table>(&format!("value = {written}"))
        .ok()
        // More than the one value: the text had a line break and then more.
        .filter(|table| table.len() == 1)
        .and_then(|mut table| table.remove("value"));
    match parsed {
        Some(value) if key.refuses(&value).is_some() && key.refuses(&as_text()).is_none() => {
            as_text()
        }
        Some(value) => value,
        None => as_text(),
    }
}
