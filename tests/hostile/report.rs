//! What was sent, how it was answered, and which rules were broken.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use crate::caller::{NO_ANSWER, Request};
use crate::reader::Seen;
use crate::target::Target;

/// Counts of all attacks; shared by what runs at the same time.
#[derive(Default)]
pub(crate) struct Report(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    /// For each attack: the number of answers by status.
    answers: BTreeMap<&'static str, BTreeMap<String, u64>>,
    /// How long each attack took, all rounds together.
    times: BTreeMap<&'static str, Duration>,
    /// The attack and the rule, and how often it was broken.
    broken: BTreeMap<String, u64>,
}

impl Report {
    /// Counts an answer: its status, 0 where the connection was closed without
    /// one. A 5xx breaks a rule whatever was asked.
    pub(crate) fn answered(&self, attack: &'static str, status: u16) {
        self.counted(attack, status);
        if status >= 500 {
            self.broke(attack, &format!("answered with {status}"));
        }
    }

    /// Counts an answer that may be a 503 with `Retry-After`.
    pub(crate) fn counted(&self, attack: &'static str, status: u16) {
        let outcome = match status {
            0 => "closed".to_owned(),
            NO_ANSWER => "no answer".to_owned(),
            status => status.to_string(),
        };
        self.outcome(attack, &outcome, 1);
    }

    /// Counts an outcome without a status.
    pub(crate) fn outcome(&self, attack: &'static str, outcome: &str, times: u64) {
        let mut counts = self.0.lock().expect("no panic");
        let of_attack = counts.answers.entry(attack).or_default();
        *of_attack.entry(outcome.to_owned()).or_default() += times;
    }

    /// Counts an answer that must be one of these.
    pub(crate) fn expect(&self, attack: &'static str, what: &str, status: u16, allowed: &[u16]) {
        self.answered(attack, status);
        self.rule(
            attack,
            allowed.contains(&status),
            &format!("{what}: {status}, not one of {allowed:?}"),
        );
    }

    /// Adds the duration of an attack.
    pub(crate) fn took(&self, attack: &'static str, time: Duration) {
        let mut counts = self.0.lock().expect("no panic");
        *counts.times.entry(attack).or_default() += time;
    }

    /// Notes a rule that does not hold.
    pub(crate) fn rule(&self, attack: &'static str, holds: bool, sentence: &str) {
        if !holds {
            self.broke(attack, sentence);
        }
    }

    fn broke(&self, attack: &str, sentence: &str) {
        let mut counts = self.0.lock().expect("no panic");
        let rule = format!("{attack}: {sentence}");
        *counts.broken.entry(rule).or_default() += 1;
    }

    /// After an attack: the service answers, and nothing has panicked.
    pub(crate) async fn lived(&self, attack: &'static str, target: &Target) {
        let status = target.stranger().status(&Request::get("/check")).await;
        self.rule(attack, status == 200, &format!("/check after it: {status}"));
        let panicked = target.service.stderr().contains("panicked");
        self.rule(attack, !panicked, "something panicked");
    }

    /// The rules that were broken, one line each.
    pub(crate) fn broken(&self) -> Vec<String> {
        let counts = self.0.lock().expect("no panic");
        let lines = counts.broken.iter().map(|(rule, times)| match times {
            1 => rule.clone(),
            times => format!("{rule} ({times} times)"),
        });
        lines.collect()
    }

    /// Prints the results of a long run.
    #[allow(
        clippy::print_stdout,
        reason = "the numbers are what a long run is for"
    )]
    pub(crate) fn print(&self, seen: &Seen, took: Duration) {
        let counts = self.0.lock().expect("no panic");
        let sent: u64 = counts.answers.values().flat_map(BTreeMap::values).sum();
        println!("\nrequests sent: {sent} in {:.0} s", took.as_secs_f64());
        println!("{seen}");
        println!("{:<14} {:>8}  answers", "attack", "seconds");
        for (attack, answers) in &counts.answers {
            let answers: Vec<String> = answers
                .iter()
                .map(|(answer, times)| format!("{answer}: {times}"))
                .collect();
            let time = counts.times.get(attack).copied().unwrap_or_default();
            println!(
                "{attack:<14} {:>8.1}  {}",
                time.as_secs_f64(),
                answers.join(", ")
            );
        }
        match counts.broken.len() {
            0 => println!("every rule holds"),
            broken => println!("{broken} rules are broken"),
        }
    }
}
