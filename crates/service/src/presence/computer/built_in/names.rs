//! The spellings of a program's name: systems and packages write the same program in many ways.

use std::collections::HashSet;
use std::iter;

use regex::{Regex, RegexSet};

/// The most parts of a name that are read as one word: `money-manager-ex`.
const LONGEST_RUN: usize = 5;

/// A set of programs: by what their names are made of, and by their whole names.
pub(super) struct Programs {
    /// Runs of parts, without what separates these.
    runs: HashSet<String>,
    /// How a part begins.
    beginnings: Vec<String>,
    /// How a run of several parts begins.
    long_beginnings: Vec<String>,
    words: HashSet<String>,
    patterns: RegexSet,
}

impl Programs {
    /// `runs` as the list writes them, with `*` at the end of a beginning; `words` and `patterns` for
    /// whole names. The beginning of one word is that of one part, since two parts that are no name
    /// may be written like it together: `enpass*` is no `en-passant`.
    ///
    /// # Errors
    /// Where a pattern is no expression.
    pub(super) fn of<'a>(
        runs: impl Iterator<Item = &'a String>,
        words: impl Iterator<Item = &'a String>,
        patterns: impl Iterator<Item = &'a String>,
    ) -> Result<Self, regex::Error> {
        let (beginnings, runs): (Vec<String>, Vec<String>) =
            runs.cloned().partition(|run| run.ends_with('*'));
        let joined = |run: &String| parts(run.trim_end_matches('*')).concat();
        let (long, short): (Vec<String>, Vec<String>) =
            beginnings.into_iter().partition(|run| parts(run).len() > 1);
        let beginnings: Vec<String> = short.iter().map(joined).collect();
        Ok(Self {
            runs: runs.iter().map(joined).chain(beginnings.clone()).collect(),
            beginnings,
            long_beginnings: long.iter().map(joined).collect(),
            words: words.cloned().collect(),
            patterns: RegexSet::new(patterns.map(|pattern| format!("^(?:{pattern})$")))?,
        })
    }

    /// Whether a program with this name is one of them.
    pub(super) fn have(&self, name: &str) -> bool {
        let is_whole = |form: &String| self.words.contains(form) || self.patterns.is_match(form);
        forms(name).iter().any(is_whole) || self.have_a_run_of(&parts(&key(name)))
    }

    fn have_a_run_of(&self, parts: &[String]) -> bool {
        (0..parts.len()).any(|start| {
            let run = &parts[start..parts.len().min(start + LONGEST_RUN)];
            let longest = run.concat();
            let begins = |text: &str, beginnings: &[String]| {
                let mut beginnings = beginnings.iter();
                beginnings.any(|beginning| text.starts_with(beginning.as_str()))
            };
            begins(&run[0], &self.beginnings)
                || begins(&longest, &self.long_beginnings)
                || (1..=run.len()).any(|length| self.runs.contains(&run[..length].concat()))
        })
    }
}

/// An expression for a whole name.
pub(super) fn whole(pattern: &str) -> Result<Regex, regex::Error> {
    Regex::new(&format!("^(?:{pattern})$"))
}

/// A name as the list has it: in lower case, without the ending of Windows.
pub(super) fn key(name: &str) -> String {
    let name = name.to_lowercase();
    match name.strip_suffix(".exe") {
        Some(rest) => rest.to_owned(),
        None => name,
    }
}

/// The same, and with the ending where it has that.
pub(super) fn spellings(name: &str) -> impl Iterator<Item = String> {
    let (name, key) = (name.to_lowercase(), key(name));
    let with_ending = (name != key).then_some(name);
    iter::once(key).chain(with_ending)
}

/// What a name is written as: `key`, also with the ending of Windows, without what a system or a
/// package adds, and the program's own part of an id: `timer` of `org.example.Timer` and of
/// `timer_timer`.
pub(super) fn forms(name: &str) -> Vec<String> {
    let key = key(name);
    let mut plain = key.as_str();
    // A second copy of a file: `timer (1)`.
    if let Some((before, number)) = plain.strip_suffix(')').and_then(|it| it.rsplit_once(" ("))
        && number.bytes().all(|digit| digit.is_ascii_digit())
    {
        plain = before;
    }
    plain = plain.strip_suffix("-bin").unwrap_or(plain);
    let own = id_part(plain).map(str::to_owned);
    let mut forms = vec![plain.to_owned()];
    forms.extend(own);
    forms.extend(spellings(name));
    forms
}

/// The program's own part of an id in reverse-domain form, or of a snap.
fn id_part(name: &str) -> Option<&str> {
    if let Some((snap, program)) = name.split_once('_')
        && snap == program
    {
        return Some(program);
    }
    let parts: Vec<&str> = name.split('.').collect();
    // `app.phantom`, but not a file's name with its ending.
    let is_long = parts.len() >= 3 || (parts.len() == 2 && parts[0].len() <= 3);
    let is_id = is_long && !name.contains(' ') && parts.iter().all(|part| !part.is_empty());
    parts.last().copied().filter(|_| is_id)
}

/// What a name is made of: `org`, `example` and `timer`.
pub(super) fn parts(name: &str) -> Vec<String> {
    let parts = name.split(['.', '_', '-', ' ', '(', ')']);
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}
