//! The folder of a blog: which of its files are posts, and which file an address means.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use walkdir::{DirEntry, WalkDir};

use super::address::{Address, Context};
use super::post::Kind;
use super::reference::{LeftFile, Target};
use crate::error::message::Message;
use crate::files;
use crate::files::private_files::UNFINISHED;
use crate::uploads::kind;

/// More files than this are no blog: somebody named the wrong folder.
const MOST_FILES: usize = 500_000;
/// Folders of programs, of what generators make, and of themes and templates, whose pictures are the
/// site's own. Folders whose names begin with a dot are left out, too.
const NOT_POSTS: [&str; 11] = [
    "node_modules",
    "themes",
    "layouts",
    "layout",
    "_layouts",
    "_includes",
    "_sass",
    "_site",
    "dist",
    "vendor",
    "resources",
];
/// Folders whose content generators put at the root of the site.
const ROOTS: [&str; 5] = ["", "static", "public", "source", "assets"];
/// Where a theme's own files are.
const OF_THEMES: [&str; 3] = ["source", "static", "assets"];

/// The files of a folder.
pub(super) struct Site {
    pub(super) root: PathBuf,
    /// The root, without links and as it was named.
    names_of_root: [PathBuf; 2],
    /// The posts in the order of their names, from the folder on.
    pub(super) posts: Vec<(String, Kind)>,
    /// Folders that could not be read.
    pub(super) unread: Vec<LeftFile>,
    /// Unfinished files of an adoption that was killed.
    pub(super) unfinished: Vec<PathBuf>,
    /// All files, from the folder on, by their names in lower case.
    files: HashMap<String, Vec<String>>,
    themes: Vec<String>,
}

impl Site {
    /// Looks through a folder. Links are not followed. Blocks.
    ///
    /// # Errors
    /// When it is no folder, cannot be read, or holds more than 500,000 files.
    pub(super) fn read(folder: &Path) -> Result<Self, Message> {
        let shown = folder.display();
        let root = files::full_path(folder)
            .map_err(|error| crate::detail!("{shown} cannot be read: {error}"))?;
        if !root.is_dir() {
            return Err(crate::detail!(
                "{shown} is no folder: name the folder of the blog"
            ));
        }
        let mut site = Self {
            posts: Vec::new(),
            unread: Vec::new(),
            unfinished: Vec::new(),
            files: HashMap::new(),
            themes: themes(&root),
            names_of_root: [root.clone(), folder.to_owned()],
            root,
        };
        let makes_public = site.makes_public();
        let root = site.root.clone();
        let entries = WalkDir::new(&root).sort_by_file_name().into_iter();
        let entries = entries.filter_entry(|entry| is_looked_into(entry, makes_public));
        let mut count = 0;
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let file = error.path().and_then(|path| below(&site.root, path));
                    let why = crate::detail!("it cannot be read: {error}");
                    let file = file.unwrap_or_default();
                    site.unread.push(LeftFile { file, why });
                    continue;
                }
            };
            count += 1;
            if count > MOST_FILES {
                return Err(crate::detail!(
                    "{shown} holds more than {MOST_FILES} files: name the folder of the blog"
                ));
            }
            if entry.file_type().is_file() {
                site.add(&entry);
            }
        }
        Ok(site)
    }

    fn add(&mut self, entry: &DirEntry) {
        let name = entry.file_name().to_string_lossy();
        if name.starts_with('.') {
            if name.contains(UNFINISHED) {
                self.unfinished.push(entry.path().to_owned());
            }
            return;
        }
        // An address cannot name a file whose name is no text.
        let Some(file) = below(&self.root, entry.path()) else {
            return;
        };
        if let Some(kind) = Kind::of(&file) {
            self.posts.push((file.clone(), kind));
        }
        self.files
            .entry(name.to_lowercase())
            .or_default()
            .push(file);
    }

    /// Whether `public` is what the generator makes (Hexo, Hugo), and not what it copies.
    fn makes_public(&self) -> bool {
        let has = |name: &&str| self.root.join(name).exists();
        let hexo = ["_config.yml", "source"].iter().all(has);
        let hugo = ["hugo.toml", "hugo.yaml", "hugo.json"].iter().any(has);
        let old = ["config.toml", "config.yaml", "config"].iter().any(has);
        hexo || hugo || old && has(&"content")
    }

    /// The full path of a file.
    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    /// All files that are pictures by their names, in order.
    pub(super) fn pictures(&self) -> Vec<&str> {
        let all = self.files.values().flatten().map(String::as_str);
        let mut pictures: Vec<&str> = all.filter(|file| is_picture(file)).collect();
        pictures.sort_unstable();
        pictures
    }

    /// The file that an address without a host means in a post; `None` where it means no picture.
    pub(super) fn target(&self, post: &str, found: &Address) -> Option<Target> {
        let mut outside = false;
        let written = [Some(&found.address), found.written.as_ref()];
        for address in written.into_iter().flatten() {
            for text in readings(address) {
                let candidates = match found.context {
                    Context::Wiki => {
                        let names = self.with_endings(text).into_iter();
                        names.flat_map(|name| self.named(post, &name)).collect()
                    }
                    _ => self.candidates(post, &text),
                };
                for candidate in candidates {
                    match self.at(&candidate) {
                        Some(Target::Outside) => outside = true,
                        Some(Target::Local { picture }) => return self.shown(picture, found),
                        _ => {}
                    }
                }
            }
        }
        let name = found.address.split(['?', '#']).next().unwrap_or_default();
        let name = name.replace('\\', "/");
        let is_meant = match found.context {
            Context::Picture => {
                is_picture(&name) || !last(&name).is_empty() && !last(&name).contains('.')
            }
            Context::Value => is_picture(&name) && !name.contains(' '),
            Context::Link | Context::Wiki => is_picture(&name),
        };
        let is_of_a_theme = || {
            let name = name.trim_start_matches('/');
            self.themes
                .iter()
                .any(|theme| self.root.join(theme).join(name).is_file())
        };
        (is_meant && !is_of_a_theme()).then_some(match outside {
            true => Target::Outside,
            false => Target::Missing,
        })
    }

    /// A file that is there is meant where it is a picture, by its name or, without an ending, its content.
    fn shown(&self, picture: String, found: &Address) -> Option<Target> {
        let is_one = is_picture(&picture)
            || !last(&picture).contains('.')
                && found.context == Context::Picture
                && matches!(kind::by_first_bytes(&self.path(&picture)), Ok(Some(_)));
        is_one.then_some(Target::Local { picture })
    }

    /// Where a path may lead, as paths from the folder on; the likeliest first. One that leaves the
    /// folder begins with `../`.
    fn candidates(&self, post: &str, address: &str) -> Vec<String> {
        if let Some(full) = full_path(address) {
            // By its words alone: a path may name another computer, which must not be asked.
            let inside = self
                .names_of_root
                .iter()
                .find_map(|root| below(root, &full));
            // What begins with a slash is from the root of the site, as all of the web writes it.
            return match (inside, address.starts_with('/')) {
                (Some(inside), _) => vec![joined("", &inside)],
                (None, true) => self.below_roots(post, address),
                (None, false) => vec!["../".to_owned()],
            };
        }
        let folder = post.rsplit_once('/').map_or("", |(folder, _)| folder);
        // Hexo's folder of a post's own files has the name of the post.
        let own = post.rsplit_once('.').map_or(post, |(own, _)| own);
        let beside = [folder, own].map(|folder| joined(folder, address));
        let below = self.below_roots(post, address);
        beside.into_iter().chain(below).collect()
    }

    fn below_roots(&self, post: &str, address: &str) -> Vec<String> {
        let address = address.trim_start_matches('/');
        let folders = post.match_indices('/').map(|(at, _)| &post[..at]);
        let folders = std::iter::once("").chain(folders);
        let below = folders.flat_map(|folder| {
            let root = move |root: &str| joined(&joined(folder, root), address);
            ROOTS.map(root)
        });
        below.collect()
    }

    /// Files of this name or end of a path, as Obsidian finds them: from the root, beside the post, then
    /// anywhere, the shortest path first.
    fn named(&self, post: &str, name: &str) -> Vec<String> {
        let name = name.trim_start_matches('/');
        let folder = post.rsplit_once('/').map_or("", |(folder, _)| folder);
        let end = format!("/{}", name.to_lowercase());
        let is_it = |file: &&String| format!("/{}", file.to_lowercase()).ends_with(&end);
        let mut anywhere: Vec<&String> = self.called(name).filter(is_it).collect();
        anywhere.sort_by_key(|file| (file.matches('/').count(), file.len()));
        let first = [joined("", name), joined(folder, name)].into_iter();
        first.chain(anywhere.into_iter().cloned()).collect()
    }

    /// The files with the last name of a path, in any case.
    fn called(&self, path: &str) -> impl Iterator<Item = &String> {
        self.files
            .get(&last(path).to_lowercase())
            .into_iter()
            .flatten()
    }

    /// The names that a link of Obsidian's means: without an ending those of pictures, unless there is a
    /// note of that name.
    fn with_endings(&self, name: String) -> Vec<String> {
        let note = format!("{name}.md");
        if last(&name).contains('.') || self.called(&note).next().is_some() {
            return vec![name];
        }
        kind::endings()
            .map(|ending| format!("{name}.{ending}"))
            .collect()
    }

    /// What is at a path from the folder on: the file of this name in any case, where only one has it.
    fn at(&self, file: &str) -> Option<Target> {
        if file.starts_with("../") {
            return Some(Target::Outside);
        }
        let lower = file.to_lowercase();
        let files: Vec<&String> = self
            .called(file)
            .filter(|one| one.to_lowercase() == lower)
            .collect();
        if let Some(first) = files.first() {
            let exact = files.iter().find(|known| **known == file);
            let one = exact.or((files.len() == 1).then_some(first))?;
            let picture = (*one).clone();
            return Some(Target::Local { picture });
        }
        // A link, or in a folder that was not looked into.
        let full = files::full_path(self.root.join(file)).ok()?;
        let is_file = full.is_file();
        match below(&self.root, &full) {
            Some(picture) => is_file.then_some(Target::Local { picture }),
            None => Some(Target::Outside),
        }
    }
}

/// The last name of a path.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Whether a name has the ending of a picture.
pub(super) fn is_picture(name: &str) -> bool {
    kind::by_name(Path::new(name)).is_some()
}

fn is_looked_into(entry: &DirEntry, makes_public: bool) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_left_out = || {
        name.starts_with('.')
            || NOT_POSTS.contains(&&*name)
            || name == "public" && entry.depth() == 1 && makes_public
    };
    entry.depth() == 0 || !entry.file_type().is_dir() || !is_left_out()
}

/// Where the files of themes are, from the folder on.
fn themes(root: &Path) -> Vec<String> {
    let all = std::fs::read_dir(root.join("themes")).into_iter().flatten();
    let names = all.filter_map(|theme| theme.ok()?.file_name().into_string().ok());
    let folders = |name: String| OF_THEMES.map(|folder| format!("themes/{name}/{folder}"));
    names.flat_map(folders).collect()
}

/// A path from the folder on, with `/`; `None` where it is not in it or is no text.
fn below(root: &Path, path: &Path) -> Option<String> {
    let below = path.strip_prefix(root).ok()?;
    let parts = below.components().map(|part| part.as_os_str().to_str());
    Some(parts.collect::<Option<Vec<_>>>()?.join("/"))
}

/// What an address may mean as a path: as it is, decoded, and both without query and fragment.
fn readings(address: &str) -> Vec<String> {
    let plain = address.split(['?', '#']).next().unwrap_or_default();
    let mut readings = Vec::new();
    for text in [address, plain] {
        let decoded = percent_decode_str(text).decode_utf8();
        let decoded = decoded.map(|text| text.into_owned());
        for reading in [Some(text.to_owned()), decoded.ok()].into_iter().flatten() {
            let reading = reading.replace('\\', "/");
            if !reading.is_empty() && !reading.contains('\0') && !readings.contains(&reading) {
                readings.push(reading);
            }
        }
    }
    readings
}

/// A full path of this machine or of `file://`.
fn full_path(address: &str) -> Option<PathBuf> {
    let of_scheme = address.strip_prefix("file://");
    let address = of_scheme.map_or(address, |path| {
        path.strip_prefix("localhost").unwrap_or(path)
    });
    let mut letters = address.trim_start_matches('/').chars();
    let has_drive = letters
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':');
    match has_drive {
        true => Some(PathBuf::from(address.trim_start_matches('/'))),
        false => address.starts_with('/').then(|| PathBuf::from(address)),
    }
}

/// A path below a folder, without `.` and `..`; beginning with `../` where it leads out of the root.
fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return "../".to_owned();
                }
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
