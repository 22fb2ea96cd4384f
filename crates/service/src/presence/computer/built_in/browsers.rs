//! Browsers, and which of their windows may be private. What is not known to be harmless is private:
//! a browser counts as one that does not mark its private windows unless the list has it as one that
//! does, and a window of such a one as private unless its title ends as its plain titles do.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use serde::Deserialize;

use super::names::{forms, key, parts, whole};
use crate::presence::computer::foreground::Window;

/// Between the page and the browser in a title.
static DASH: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:\s[-‐-―−]\s|[–—]\s?)$").expect("a valid expression"));

/// What a window manager adds to the second title of two equal ones: ` <2>`.
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r" <\d+>$").expect("a valid expression"));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenBrowsers {
    parts: Vec<String>,
    names: HashSet<String>,
    in_front: Vec<String>,
    marking: Vec<WrittenMarking>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenMarking {
    programs: String,
    ends: Vec<String>,
}

pub(super) struct Browsers {
    parts: RegexSet,
    names: HashSet<String>,
    in_front: Vec<String>,
    marking: Vec<Marking>,
}

/// A browser that marks its private windows.
struct Marking {
    programs: Regex,
    ends: Vec<String>,
}

/// What is known of a window as that of a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BrowserWindow {
    /// It is of another program.
    Other,
    /// It is not private.
    Plain,
    /// Whether it is private cannot be seen.
    Unmarked,
    /// The browser marks its private windows, and this may be one.
    Private,
}

impl Browsers {
    /// # Errors
    /// Where one of the list's expressions is none.
    pub(super) fn of(written: WrittenBrowsers) -> Result<Self, regex::Error> {
        let marking = written.marking.into_iter().map(|marking| {
            Ok(Marking {
                programs: whole(&marking.programs)?,
                ends: marking.ends,
            })
        });
        let of_a_part = written.parts.iter().map(|part| format!("^(?:{part})$"));
        Ok(Self {
            parts: RegexSet::new(of_a_part)?,
            names: written.names,
            in_front: written.in_front,
            marking: marking.collect::<Result<_, regex::Error>>()?,
        })
    }

    /// `listed` is whether a name on the list of programs is that of a browser; `None` where it is not
    /// on the list.
    pub(super) fn window(
        &self,
        window: &Window,
        listed: impl Fn(&str) -> Option<bool>,
    ) -> BrowserWindow {
        let mut marking = None;
        for name in &window.names {
            match self.marking(name) {
                Some(found) => marking = marking.or(Some(found)),
                None if listed(name).unwrap_or_else(|| self.looks_like_one(name)) => {
                    return BrowserWindow::Unmarked;
                }
                None => {}
            }
        }
        let is_a_name = |title: &String| {
            window.names.contains(title) && (!title.contains(' ') || listed(title) == Some(true))
        };
        match marking {
            // Some devices report a name in place of a title, too.
            Some(_) if window.title.is_empty() || is_a_name(&window.title) => BrowserWindow::Plain,
            Some(marking) if self.is_plain(&window.title, marking) => BrowserWindow::Plain,
            Some(_) => BrowserWindow::Private,
            None if window.is_browser => BrowserWindow::Unmarked,
            None => BrowserWindow::Other,
        }
    }

    /// Whether a program with this name looks like a browser that does not mark its private windows.
    pub(super) fn looks_like_one(&self, name: &str) -> bool {
        self.names.contains(&key(name))
            || parts(&key(name))
                .iter()
                .any(|part| self.parts.is_match(part))
    }

    /// Whether this text has the name of a browser in it that marks its private windows.
    pub(super) fn names_a_marking_one(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let mut ends = self.marking.iter().flat_map(|marking| &marking.ends);
        ends.any(|end| text.contains(&end.to_lowercase()))
    }

    fn marking(&self, name: &str) -> Option<&Marking> {
        let forms = forms(name);
        let is_one = |marking: &&Marking| forms.iter().any(|form| marking.programs.is_match(form));
        self.marking.iter().find(is_one)
    }

    fn is_plain(&self, title: &str, browser: &Marking) -> bool {
        // Edge writes one into its name.
        let title = title.replace('\u{200b}', "");
        let title = NUMBER.replace(title.trim_end(), "");
        let ends_plainly = |end: &String| {
            let page = title.strip_suffix(end.as_str());
            page.is_some_and(|page| page.is_empty() || DASH.is_match(page))
        };
        let in_front = |mark: &String| title.starts_with(mark.as_str());
        !self.in_front.iter().any(in_front) && browser.ends.iter().any(ends_plainly)
    }
}

#[cfg(test)]
mod tests;
