//! The known files: those that differ from Pillow or that it does not decode, each with the reason.
//! The table is in `known.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::compared::Verdict;

/// `known.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// Files that differ, each with the reason.
    differs: BTreeMap<String, String>,
    /// Files that are accepted and Pillow does not decode, each with the
    /// reason.
    unreadable: BTreeMap<String, String>,
    /// Files that browsers show: they must be taken.
    taken: Vec<String>,
}

/// Prints the results; returns those that are not in the table, and entries of the table that no
/// longer apply.
#[allow(
    clippy::print_stdout,
    reason = "the numbers are what a long run is for"
)]
pub(crate) fn judge(verdicts: &[(String, Verdict)]) -> Vec<String> {
    let text = std::fs::read_to_string(super::own("known.toml")).expect("the table");
    let known: Known = toml::from_str(&text).expect("the table");
    let mut wrong = Vec::new();
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    let mut count = |what| *seen.entry(what).or_default() += 1;
    for (name, verdict) in verdicts {
        match verdict {
            Verdict::Refused(status) => {
                count("refused");
                if known.taken.contains(name) {
                    wrong.push(format!(
                        "{name}: refused with {status}, and browsers show it"
                    ));
                }
            }
            Verdict::Same => count("the same"),
            Verdict::Unreadable(why) => {
                count("taken, and not decoded by Pillow");
                match known.unreadable.get(name) {
                    Some(reason) => println!("  {name}: {why}: {reason}"),
                    None => wrong.push(format!("{name}: Pillow: {why}")),
                }
            }
            Verdict::Differs(how) => {
                count("different");
                match known.differs.get(name) {
                    Some(reason) => println!("  {name}: {how}: {reason}"),
                    None => wrong.push(format!("{name}: {how}")),
                }
            }
        }
    }
    for (what, number) in seen {
        println!("  {what}: {number}");
    }
    let has = |name: &str, wanted: fn(&Verdict) -> bool| {
        verdicts
            .iter()
            .any(|(file, verdict)| file == name && wanted(verdict))
    };
    let differs = |verdict: &Verdict| matches!(verdict, Verdict::Differs(_));
    let unreadable = |verdict: &Verdict| matches!(verdict, Verdict::Unreadable(_));
    let stale = known.differs.keys().filter(|name| !has(name, differs));
    let stale = stale.chain(
        known
            .unreadable
            .keys()
            .filter(|name| !has(name, unreadable)),
    );
    wrong.extend(stale.map(|name| format!("{name}: its entry in known.toml is out of date")));
    wrong
}
