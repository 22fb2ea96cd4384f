//! The folder of a blog: which of its files are posts, and which file an address means.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use percent_encoding::percent_decode_str;
use regex::Regex;
use walkdir::{DirEntry, WalkDir};

use super::address::{Context, PostAddress};
use super::post::Kind;
use super::reference::{PostProblem, Target};
use super::template::regex;
use crate::error::message::Message;
use crate::files;
use crate::uploads::kind;

/// More files than this are no blog: somebody named the wrong folder.
const MOST_FILES: usize = 500_000;
/// Folders of programs, of what generators make, and of templates, whose pictures are the site's own.
/// Folders whose names begin with a dot are left out, too.
const NOT_POSTS: &str =
    "node_modules layouts layout _layouts _includes _sass _site dist vendor resources";
/// Folders whose content generators put at the root of the site.
const ROOTS: [&str; 5] = ["", "static", "public", "source", "assets"];
/// A path from the root of a drive of Windows, or of this machine.
static FULL_PATH: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\A(?:file://(?:localhost)?)?(?:/*([A-Za-z]:.*)|(/.*))\z"));

/// The files of a folder.
pub(super) struct Site {
    pub(super) root: PathBuf,
    /// The root, without links and as it was named.
    names_of_root: [PathBuf; 2],
    /// The posts in the order of their names, from the folder on.
    pub(super) posts: Vec<(String, Kind)>,
    /// What could not be read.
    pub(super) unread: Vec<PostProblem>,
    /// All files but those of themes, from the folder on, by their names in lower case.
    files: HashMap<String, Vec<String>>,
    /// Those of themes, from the folder on that a theme has for pictures and the like.
    themes: Vec<String>,
}

impl Site {
    /// Looks through a folder. Links are not followed. Blocks.
    ///
    /// # Errors
    /// When it is no folder, cannot be read, has a path that is not UTF-8, or holds more than 500,000 files.
    pub(super) fn read(folder: &Path) -> Result<Self, Message> {
        let shown = folder.display();
        let root = files::full_path(folder)
            .map_err(|error| crate::detail!("{shown} cannot be read: {error}"))?;
        if !root.is_dir() {
            return Err(crate::detail!(
                "{shown} is no folder: name the folder of the blog"
            ));
        }
        if root.to_str().is_none() {
            return Err(crate::detail!(
                "the path {shown} is not UTF-8, and its posts are left as they are: rename it first"
            ));
        }
        // Hexo and Hugo make `public`; others copy a folder of this name.
        let makes_public = ["source", "content"].map(|posts| root.join(posts).is_dir());
        let makes_public = makes_public.contains(&true);
        let mut site = Self {
            names_of_root: [root.clone(), folder.to_owned()],
            root,
            posts: Vec::new(),
            unread: Vec::new(),
            files: HashMap::new(),
            themes: Vec::new(),
        };
        let entries = WalkDir::new(&site.root).sort_by_file_name().into_iter();
        let entries = entries.filter_entry(|entry| is_looked_into(entry, makes_public));
        for (count, entry) in entries.enumerate() {
            if count > MOST_FILES {
                return Err(crate::detail!(
                    "{shown} holds more than {MOST_FILES} files: name the folder of the blog"
                ));
            }
            match entry {
                Ok(entry) if entry.file_type().is_file() => site.add(&entry),
                Ok(_) => {}
                Err(error) => {
                    let path = error.path().unwrap_or(&site.root);
                    let path = path.strip_prefix(&site.root).unwrap_or(path);
                    let why = crate::detail!("it cannot be read: {error}");
                    site.unread
                        .push(PostProblem::new(path.to_string_lossy(), why));
                }
            }
        }
        Ok(site)
    }

    fn add(&mut self, entry: &DirEntry) {
        let name = entry.file_name().to_string_lossy();
        if name.starts_with('.') {
            return;
        }
        let kind = Kind::of(&name);
        let Some(file) = below(&self.root, entry.path()) else {
            // An address cannot name a picture whose name is no text.
            if kind.is_some() {
                let path = entry.path().strip_prefix(&self.root);
                let path = path.unwrap_or(entry.path()).to_string_lossy();
                let why = crate::detail!(
                    "its name is not UTF-8, and it is left as it is: rename it first"
                );
                self.unread.push(PostProblem::new(path, why));
            }
            return;
        };
        if file.starts_with("themes/") {
            let below = file.splitn(4, '/').nth(3).map(ToOwned::to_owned);
            return self.themes.extend(below);
        }
        self.posts.extend(kind.map(|kind| (file.clone(), kind)));
        let alike = self.files.entry(name.to_lowercase()).or_default();
        alike.push(file);
    }

    /// The full path of a file.
    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    /// The pictures of the folder, in the order of their names.
    pub(super) fn pictures(&self) -> Vec<&str> {
        let all = self.files.values().flatten().map(String::as_str);
        let mut pictures: Vec<&str> = all.filter(|file| is_picture(file)).collect();
        pictures.sort_unstable();
        pictures
    }

    /// The file that an address without a host means in a post; `None` where it means no picture. `written`
    /// is the address with its escapes, among which may be backslashes of Windows.
    pub(super) fn target(&self, post: &str, found: &PostAddress, written: &str) -> Option<Target> {
        let mut is_outside = false;
        let mut paths: Vec<String> = readings(&found.address).chain(readings(written)).collect();
        paths.dedup();
        for path in paths {
            for candidate in self.candidates(post, &path, found.context) {
                match self.at(&candidate) {
                    Some(Target::Local { picture }) => return self.shown(picture, found.context),
                    other => is_outside |= other.is_some(),
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
        let is_of_a_theme = self
            .themes
            .iter()
            .any(|file| file == name.trim_start_matches('/'));
        (is_meant && !is_of_a_theme).then_some(match is_outside {
            true => Target::Outside,
            false => Target::Missing,
        })
    }

    /// A file that is there is meant where it is a picture, by its name or, without an ending, its content.
    fn shown(&self, picture: String, context: Context) -> Option<Target> {
        let is_one = is_picture(&picture)
            || !last(&picture).contains('.')
                && context == Context::Picture
                && matches!(kind::by_first_bytes(&self.path(&picture)), Ok(Some(_)));
        is_one.then_some(Target::Local { picture })
    }

    /// Where a path in a post may lead, from the folder on, the likeliest first: beside the post, into the
    /// folder with the post's name, and from each folder above the post and what a generator puts at the
    /// root; one from the root of the site only into the last of these. One of Obsidian's is first looked
    /// for in the whole folder's root, and at last anywhere. What leaves the folder begins with `../`.
    fn candidates(&self, post: &str, path: &str, context: Context) -> Vec<String> {
        if let Some(full) = FULL_PATH.captures(path) {
            let [drive, rooted] = [1, 2].map(|part| full.get(part).map(|part| part.as_str()));
            let full = Path::new(drive.or(rooted).unwrap_or_default());
            // By its words alone: a path may name another computer, which must not be asked.
            let mut inside = self
                .names_of_root
                .iter()
                .filter_map(|root| below(root, full));
            match inside.next() {
                Some(inside) => return vec![joined("", &inside)],
                None if !path.starts_with('/') => return vec!["../".to_owned()],
                None => {}
            }
        }
        let folder = post.rsplit_once('/').map_or("", |(folder, _)| folder);
        let own = post.rsplit_once('.').map_or(post, |(own, _)| own);
        let above = std::iter::once(0).chain(post.match_indices('/').map(|(at, _)| at));
        let roots = above.flat_map(|end| ROOTS.map(|root| joined(&post[..end], root)));
        let beside = [folder, own].into_iter().filter(|_| !path.starts_with('/'));
        let anywhere = Some("").filter(|_| context == Context::Wiki);
        let bases = anywhere
            .into_iter()
            .chain(beside)
            .map(ToOwned::to_owned)
            .chain(roots);
        let mut all: Vec<String> = bases.map(|base| joined(&base, path)).collect();
        if context == Context::Wiki {
            all.extend(self.named(path.trim_start_matches('/')));
        }
        all
    }

    /// The files whose paths end with a name of Obsidian's, the shortest first; without an ending those of
    /// pictures, unless there is a note of that name.
    fn named(&self, name: &str) -> Vec<String> {
        let mut ends = vec![name.to_owned()];
        if !last(name).contains('.') && self.called(&format!("{name}.md")).next().is_none() {
            ends.extend(kind::endings().map(|ending| format!("{name}.{ending}")));
        }
        let all = ends.iter().flat_map(|end| {
            let called = self.called(end);
            let end = format!("/{}", end.to_lowercase());
            let is_it = move |file: &&String| format!("/{}", file.to_lowercase()).ends_with(&end);
            called.filter(is_it).cloned()
        });
        let mut all: Vec<String> = all.collect();
        all.sort_by_key(|file| (file.matches('/').count(), file.len()));
        all
    }

    /// The files with the last name of a path, in any case.
    fn called(&self, path: &str) -> impl Iterator<Item = &String> + use<'_> {
        let alike = self.files.get(&last(path).to_lowercase());
        alike.into_iter().flatten()
    }

    /// What is at a path from the folder on: the file of this name in any case, where only one has it.
    fn at(&self, file: &str) -> Option<Target> {
        if file.starts_with("../") {
            return Some(Target::Outside);
        }
        let lower = file.to_lowercase();
        let alike = self.called(file).filter(|one| one.to_lowercase() == lower);
        let alike: Vec<&String> = alike.collect();
        if let [first, others @ ..] = alike.as_slice() {
            let exact = alike.iter().find(|known| **known == file);
            let picture = exact.or(others.is_empty().then_some(first))?.to_string();
            return Some(Target::Local { picture });
        }
        // A link, or in a folder that was not looked into.
        let full = files::full_path(self.root.join(file)).ok()?;
        match below(&self.root, &full) {
            Some(picture) => full.is_file().then_some(Target::Local { picture }),
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
    let is_left_out = name.starts_with('.')
        || NOT_POSTS.split(' ').any(|other| other == name)
        || name == "public" && entry.depth() == 1 && makes_public;
    entry.depth() == 0 || !entry.file_type().is_dir() || !is_left_out
}

/// A path from the folder on, with `/`; `None` where it is not in it or is no text.
fn below(root: &Path, path: &Path) -> Option<String> {
    let below = path.strip_prefix(root).ok()?;
    let parts = below.components().map(|part| part.as_os_str().to_str());
    Some(parts.collect::<Option<Vec<_>>>()?.join("/"))
}

/// What an address may mean as a path: as it is, decoded, and both without query and fragment.
fn readings(address: &str) -> impl Iterator<Item = String> {
    let plain = address.split(['?', '#']).next().unwrap_or_default();
    let both = [address, plain].into_iter();
    let readings =
        both.flat_map(|text| [text.into(), percent_decode_str(text).decode_utf8_lossy()]);
    let paths = readings.map(|text| text.replace('\\', "/"));
    paths.filter(|path| !path.is_empty() && !path.contains('\0'))
}

/// A path below a folder, without `.` and `..`; beginning with `../` where it leads out of the root.
fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() => return "../".to_owned(),
            ".." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}
