//! The files of the Worker, filled in from the settings, and the key that it shares with the
//! service. No key of the object store is in any of them.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use super::edge_manifest::{MANIFEST, foreign_file, manifest, sum, write_manifest};
use crate::error::message::Message;
use crate::files::private_file;
use crate::into_message;
use crate::settings::Settings;
use crate::settings::edit::{self, Change, ChangeError};
use crate::settings::layers::{Layers, Reading};
use crate::settings::problem::{Origin, Problems};
use crate::text::address::WebAddress;

/// The modules of the Worker, each after those that it imports.
const MODULES: [&str; 3] = [
    include_str!("../../../../../edge/src/answers.js"),
    include_str!("../../../../../edge/src/store.js"),
    include_str!("../../../../../edge/src/worker.js"),
];
const WRANGLER: &str = include_str!("../../../../../edge/wrangler.toml");
const WORKERD: &str = include_str!("../../../../../edge/workerd.capnp");

const SECRETS: &str = "secrets.json";
/// The line that deploys what lies in the folder.
pub const DEPLOY: &str = "npx wrangler deploy && npx wrangler secret bulk secrets.json";
/// The Worker's name where the settings know none.
const NAME: &str = "light";

#[derive(Debug, thiserror::Error)]
pub enum EdgeError {
    /// The settings would be wrong with the new key.
    #[error("{0}")]
    Settings(#[from] Problems),
    /// The key cannot be written to the settings file.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// These files are there and were not written by this, or were changed since. Nothing was
    /// written.
    #[error("{}", crate::detail!("Nothing was written, since these files are not Porchlight’s or were changed: {files}. Move them away, or choose another folder.", files = listed(.0)))]
    Foreign(Vec<PathBuf>),
    #[error("{0} cannot be written: {1}")]
    File(PathBuf, io::Error),
    /// What the settings file says of this key does not count.
    #[error("{}", Message::from(self))]
    Overruled(&'static str),
}

impl From<&EdgeError> for Message {
    fn from(error: &EdgeError) -> Self {
        match error {
            EdgeError::Overruled(key) => crate::detail!(
                "`{key}` is set in the environment or by --set, above the settings file, which this changes: take it out there, and run this again",
                key = (*key)
            ),
            EdgeError::Settings(problems) => problems.clone().into(),
            EdgeError::Change(error) => error.into(),
            EdgeError::Foreign(files) => crate::detail!(
                "Nothing was written, since these files are not Porchlight’s or were changed: {files}. Move them away, or choose another folder.",
                files = listed(files)
            ),
            EdgeError::File(path, why) => {
                crate::detail!("{} cannot be written: {why}", path.display())
            }
        }
    }
}

into_message!(EdgeError);

fn listed(files: &[PathBuf]) -> String {
    let files: Vec<_> = files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    files.join(", ")
}

/// The Worker as one ES module: the modules one after another, without what they import from each
/// other and export to each other.
pub fn worker() -> String {
    let mut script = String::new();
    for (number, module) in MODULES.iter().enumerate() {
        let mut imports = false;
        for line in module.lines() {
            imports |= line.starts_with("import ");
            let exports = number + 1 < MODULES.len();
            let line = match line.strip_prefix("export ") {
                Some(inner) if exports => inner,
                _ => line,
            };
            if !imports {
                script.push_str(line);
                script.push('\n');
            }
            imports &= !line.ends_with(';');
        }
    }
    script
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Whether a key was made, so that the service has to start again.
    pub made_key: bool,
}

/// Writes the Worker's files into `folder`, and makes the key in the settings file where there is
/// none.
///
/// # Errors
/// See [`EdgeError`].
pub fn init(folder: &Path, layers: &Layers) -> Result<Done, EdgeError> {
    let text = layers.file_text()?;
    let settings = layers.read_with(&text)?.settings;
    let failed = |file: &Path| {
        let file = file.to_owned();
        move |error| EdgeError::File(file, error)
    };
    let known = settings.edge.secret.clone().map(SecretString::from);
    let mut files: Vec<(&str, String)> = vec![("worker.js", worker())];
    for (name, template) in [("wrangler.toml", WRANGLER), ("workerd.capnp", WORKERD)] {
        files.push((name, filled(template, &settings)));
    }
    let written = manifest(folder);
    let mut foreign = Vec::new();
    for (name, content) in &files {
        foreign.extend(foreign_file(folder, name, &written, Some(content)));
    }
    let secrets = known.as_ref().map(secrets_of);
    foreign.extend(foreign_file(folder, SECRETS, &written, secrets.as_deref()));
    if !foreign.is_empty() {
        return Err(EdgeError::Foreign(foreign));
    }

    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    let key = match &known {
        Some(key) => key.clone(),
        None => make_key(layers, &text)?,
    };
    files.push((SECRETS, secrets_of(&key)));
    // First what they will be: a run that is interrupted can be repeated.
    let manifest_file = folder.join(MANIFEST);
    let mut sums = written;
    for (name, content) in &files {
        sums.entry((*name).to_owned())
            .or_default()
            .insert(sum(content.as_bytes()));
    }
    write_manifest(&manifest_file, &sums).map_err(failed(&manifest_file))?;
    let ignored = folder.join(".gitignore");
    ignore_secrets(&ignored).map_err(failed(&ignored))?;
    for (name, content) in &files {
        let file = folder.join(name);
        let done = match *name {
            SECRETS => private_file::write(&file, content),
            _ => std::fs::write(&file, content),
        };
        done.map_err(failed(&file))?;
    }
    let sums = files.iter().map(|(name, content)| {
        let sum = sum(content.as_bytes());
        ((*name).to_owned(), BTreeSet::from([sum]))
    });
    write_manifest(&manifest_file, &sums.collect()).map_err(failed(&manifest_file))?;
    Ok(Done {
        made_key: known.is_none(),
    })
}

/// The content of the file that has the key.
fn secrets_of(key: &SecretString) -> String {
    let content = json!({ "EDGE_SECRET": key.expose_secret() });
    format!("{content:#}\n")
}

/// A new key, which is in the settings file.
fn make_key(layers: &Layers, text: &str) -> Result<SecretString, EdgeError> {
    let key = new_key();
    write(
        layers,
        text,
        &[("edge.secret", Some(key.expose_secret().into()))],
    )?;
    Ok(key)
}

/// Makes a new key in the settings file.
///
/// # Errors
/// See [`EdgeError`].
pub fn renew_key(layers: &Layers) -> Result<(), EdgeError> {
    let text = layers.file_text()?;
    must_be_of_the_file(&layers.read_with(&text)?, &["edge.secret"])?;
    make_key(layers, &text).map(drop)
}

/// Refuses where something above the settings file has the last word on one of these keys.
pub(super) fn must_be_of_the_file(
    reading: &Reading,
    keys: &[&'static str],
) -> Result<(), EdgeError> {
    let is_above = |key: &&&str| {
        let origin = reading.origins.get(**key);
        origin.is_some_and(|origin| !matches!(origin, Origin::File { .. }))
    };
    match keys.iter().find(is_above) {
        Some(&key) => Err(EdgeError::Overruled(key)),
        None => Ok(()),
    }
}

pub(super) fn new_key() -> SecretString {
    hex::encode(rand::random::<[u8; 32]>()).into()
}

/// Writes these changes to the settings file, which has this text, and is valid with them.
pub(super) fn write(layers: &Layers, text: &str, changes: &[Change]) -> Result<(), EdgeError> {
    let after = edit::changed(text, changes)?;
    layers.read_with(&after)?;
    let still = || layers.file_text().is_ok_and(|now| now == text);
    let written = private_file::write_where(&layers.file, &after, still);
    match written {
        Ok(true) => Ok(()),
        Ok(false) => {
            let meanwhile = io::Error::other("it was changed meanwhile");
            Err(EdgeError::File(layers.file.clone(), meanwhile))
        }
        Err(error) => Err(EdgeError::File(layers.file.clone(), error)),
    }
}

fn ignore_secrets(file: &Path) -> io::Result<()> {
    let there = match std::fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        there => there?,
    };
    if there.lines().any(|line| line.trim() == SECRETS) {
        return Ok(());
    }
    let line_end = if there.is_empty() || there.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    std::fs::write(file, format!("{there}{line_end}{SECRETS}\n"))
}

fn filled(template: &str, settings: &Settings) -> String {
    let host = settings.edge.url.as_ref().map(host).unwrap_or_default();
    let (name, routes) = match host.split_once('.') {
        // On workers.dev the address is made from the name.
        Some((name, rest)) if rest.ends_with("workers.dev") => (name, String::new()),
        Some(_) => {
            let host = in_quotes(host);
            let route = format!("routes = [{{ pattern = \"{host}\", custom_domain = true }}]");
            (NAME, route)
        }
        None => (NAME, String::new()),
    };
    let address = settings.edge.url.as_ref().map_or("", WebAddress::as_str);
    let storage = &settings.storage;
    let bucket = storage.bucket.as_deref().unwrap_or_default();
    [
        ("{{NAME}}", in_quotes(name)),
        ("{{VERSION}}", env!("CARGO_PKG_VERSION").to_owned()),
        ("{{ADDRESS}}", in_quotes(address)),
        ("{{ROUTES}}", routes),
        ("{{BUCKET}}", in_quotes(bucket)),
    ]
    .iter()
    .fold(template.to_owned(), |text, (place, value)| {
        text.replace(place, value)
    })
}

/// The host of an address, with its port.
pub(super) fn host(url: &WebAddress) -> &str {
    let (_, rest) = url.as_str().split_once("://").unwrap_or_default();
    rest.split('/').next().unwrap_or_default()
}

/// As it is written between the quotes of TOML and of Cap'n Proto.
fn in_quotes(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::cloudflare::MARK;
    use super::*;

    fn layers(folder: &Path, text: &str) -> Layers {
        let file = folder.join("settings.toml");
        std::fs::write(&file, text).expect("a file");
        Layers {
            file,
            file_is_named: false,
            environment: Vec::new(),
            set: Vec::new(),
            listen: None,
        }
    }

    const STORE: &str = "# mine\n[storage]\nkind = 's3'\nendpoint = 'https://s3.example'\n\
                         bucket = 'my \"blog\"'\naccess_key = 'hush'\nsecret_key = 'hush'\n\
                         storage_url = 'https://cdn.example/a'\n";

    fn toml(file: &Path) -> toml::Table {
        let text = std::fs::read_to_string(file).expect("a file");
        text.parse().expect("TOML")
    }

    #[test]
    fn the_files_are_filled_in_and_the_key_is_made_once() {
        let home = tempfile::tempdir().expect("a folder");
        let layers = layers(home.path(), STORE);
        let folder = home.path().join("worker");
        assert!(init(&folder, &layers).expect("files").made_key);
        let settings = layers.read().expect("settings").settings;
        let key = settings.edge.secret.expect("a key");
        assert_eq!(key.expose_secret().len(), 64);
        let text = layers.file_text().expect("settings");
        assert!(text.starts_with("# mine\n"), "{text}");

        let wrangler = toml(&folder.join("wrangler.toml"));
        assert_eq!(wrangler["name"].as_str(), Some("light"));
        assert_eq!(wrangler.get("routes"), None);
        let variables = wrangler["vars"].as_table().expect("variables");
        let header = variables["CLIENT_IP_HEADER"].as_str();
        assert_eq!(header, Some("CF-Connecting-IP"));
        assert_eq!(wrangler["cache"]["enabled"].as_bool(), Some(true));
        // `edge deploy` leaves a Worker without it alone.
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(variables[MARK].as_str(), Some(version));
        let secrets = std::fs::read_to_string(folder.join(SECRETS)).expect("secrets");
        let secrets: serde_json::Value = serde_json::from_str(&secrets).expect("JSON");
        assert_eq!(secrets, json!({ "EDGE_SECRET": key.expose_secret() }));
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let file = entry.expect("a file").path();
            let text = std::fs::read_to_string(&file).expect("a text");
            let is_filled = file.ends_with("worker.js") || !text.contains("{{");
            assert!(is_filled && !text.contains("hush"), "{file:?}");
            let has_key = text.contains(key.expose_secret());
            assert_eq!(has_key, file.ends_with(SECRETS), "{file:?}");
        }

        // A second time, also after an update, with what the owner has added to one.
        std::fs::write(folder.join(".gitignore"), "other").expect("a file");
        let file = folder.join("worker.js");
        std::fs::write(&file, "old").expect("a file");
        let old = format!("{{\"worker.js\":[\"{}\"]}}", sum(b"old"));
        std::fs::write(folder.join(MANIFEST), old).expect("a file");
        assert!(!init(&folder, &layers).expect("files").made_key);
        assert_eq!(layers.file_text().expect("settings"), text);
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
        assert_eq!(read(".gitignore"), "other\nsecrets.json\n");
        assert_eq!(read("worker.js"), worker());
    }

    #[test]
    fn a_foreign_file_is_named_and_nothing_is_written() {
        for name in ["worker.js", "wrangler.toml", "workerd.capnp", SECRETS] {
            let home = tempfile::tempdir().expect("a folder");
            let layers = layers(home.path(), STORE);
            let folder = home.path().join("worker");
            std::fs::create_dir(&folder).expect("a folder");
            let file = folder.join(name);
            std::fs::write(&file, "mine").expect("a file");
            let refused = || {
                let error = init(&folder, &layers).expect_err("it is foreign");
                let is_named = error.to_string().contains(&file.display().to_string());
                assert!(is_named, "{error}");
                assert_eq!(std::fs::read_to_string(&file).expect("a file"), "mine");
            };
            refused();
            assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1);
            assert_eq!(
                layers.file_text().expect("settings"),
                STORE,
                "no key was made"
            );
            // One that was changed since it was written.
            std::fs::remove_file(&file).expect("a file");
            init(&folder, &layers).expect("files");
            std::fs::write(&file, "mine").expect("a file");
            refused();
        }
    }

    #[test]
    fn a_folder_without_a_manifest_is_taken_where_nothing_would_be_lost() {
        let home = tempfile::tempdir().expect("a folder");
        let layers = layers(home.path(), STORE);
        let folder = home.path().join("worker");
        init(&folder, &layers).expect("files");
        let manifest = folder.join(MANIFEST);
        std::fs::remove_file(&manifest).expect("a file");
        assert!(!init(&folder, &layers).expect("the same files").made_key);
        assert!(manifest.exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_key() {
        use std::os::unix::fs::PermissionsExt as _;

        let home = tempfile::tempdir().expect("a folder");
        let layers = layers(home.path(), STORE);
        init(home.path(), &layers).expect("files");
        for file in [home.path().join(SECRETS), layers.file] {
            let mode = std::fs::metadata(&file)
                .expect("a file")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600, "{file:?}");
        }
    }

    #[test]
    fn the_address_decides_about_name_and_route() {
        let home = tempfile::tempdir().expect("a folder");
        for (url, name, route) in [
            ("https://porch.me.workers.dev", "porch", None),
            ("https://light.example", "light", Some("light.example")),
        ] {
            let layers = layers(home.path(), &format!("{STORE}[edge]\nurl = '{url}'\n"));
            let folder = home.path().join(name);
            init(&folder, &layers).expect("files");
            let wrangler = toml(&folder.join("wrangler.toml"));
            assert_eq!(wrangler["name"].as_str(), Some(name));
            assert_eq!(wrangler["vars"]["ADDRESS"].as_str(), Some(url));
            let routes = wrangler.get("routes").and_then(toml::Value::as_array);
            let found = routes.and_then(|routes| routes[0]["pattern"].as_str());
            assert_eq!(found, route);
        }
    }

    #[test]
    fn the_worker_is_one_module_without_imports() {
        let script = worker();
        let begins = |start: &str| {
            script
                .lines()
                .filter(|line| line.starts_with(start))
                .count()
        };
        assert_eq!((begins("import "), begins("} from ")), (0, 0));
        assert_eq!(begins("export "), 2, "the Worker and its Store");
        assert_eq!(begins("class Store"), 1);
    }
}
