//! The last foreground window that is not Porchlight's own, and the result of
//! rules for it: owners test their rules on it.
//!
//! It is only for the owner: nothing here is sent to a service or logged.

use std::sync::Arc;

use super::app_metadata::AppMetadataCache;
use super::foreground::{Foreground, Window};
use super::{built_in, content, rules};
use crate::presence::computer::settings::{PresenceSettings, Rule};
use crate::presence::window::{ForegroundApp as Shown, RuleProblem, RuleText, Trial, Verdict};
use crate::state::{State, StateReader};

#[derive(Debug, Default)]
pub(super) struct Memory(State<Option<Arc<Window>>>);

/// The last foreground window that is not Porchlight's own, and its changes.
#[derive(Debug, Clone)]
pub struct LastForeground(StateReader<Option<Arc<Window>>>);

impl Memory {
    pub(super) fn see(&self, front: &Foreground) {
        let Foreground::Window(window) = front else {
            return;
        };
        if !window.is_own() {
            self.set(Some(Arc::clone(window)));
        }
    }

    /// Forgets the window when sensors are off.
    pub(super) fn forget(&self) {
        self.set(None);
    }

    pub(super) fn recall(&self) -> LastForeground {
        LastForeground(self.0.reader())
    }

    fn set(&self, window: Option<Arc<Window>>) {
        self.0.update(|known| *known = window);
    }
}

impl LastForeground {
    /// One that never has a window.
    #[must_use]
    pub fn none() -> Self {
        Memory::default().recall()
    }

    /// Its names and its title; `None` before there was one.
    #[must_use]
    pub fn shown(&self) -> Option<Shown> {
        self.0
            .with(|window| window.as_ref().map(|window| shown(window)))
    }

    /// Its names and its title, where it is hidden; `None` where it is shown,
    /// and before there was one.
    #[must_use]
    pub fn hidden(&self, settings: &PresenceSettings) -> Option<Shown> {
        let front = self.0.get();
        let hidden = front.filter(|window| content::hides(settings, window))?;
        Some(shown(&hidden))
    }

    /// Completes when the window changes; never where none will come.
    pub async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending().await
        }
    }

    /// What would be shared of it with these rules in place of those in the
    /// settings, determined as for a heartbeat.
    pub async fn try_rules(&self, settings: &PresenceSettings, rules: &[RuleText]) -> Trial {
        let front = self.0.get();
        let mut trial = Trial {
            foreground: front.as_ref().map(|window| shown(window)),
            rule: None,
            verdict: None,
            problems: problems(rules),
        };
        let Some(window) = front.filter(|_| trial.problems.is_empty()) else {
            return trial;
        };
        let settings = PresenceSettings {
            rules: rules
                .iter()
                .cloned()
                .map(Rule::try_from)
                .collect::<Result<_, _>>()
                .ok(),
            ..settings.clone()
        };
        if built_in::list().hides(&window) {
            trial.verdict = Some(Verdict::Private);
            return trial;
        }
        let own = rules::matching(&settings, &window);
        trial.rule = own.and_then(|(which, _)| u32::try_from(which).ok());
        trial.verdict = Some(if content::hides(&settings, &window) {
            Verdict::Hidden
        } else {
            let front = Foreground::Window(window);
            let fields = content::of(&front, &settings, &mut AppMetadataCache::default()).await;
            Verdict::Shown {
                application: fields.application,
                introduce: fields.introduce,
                rgba: fields.rgba.to_string(),
            }
        });
        trial
    }
}

#[must_use]
pub fn problems(rules: &[RuleText]) -> Vec<RuleProblem> {
    let problem = |(which, rule): (usize, &RuleText)| {
        Some(RuleProblem {
            rule: u32::try_from(which).unwrap_or(u32::MAX),
            why: Rule::try_from(rule.clone()).err()?,
        })
    };
    rules.iter().enumerate().filter_map(problem).collect()
}

fn shown(window: &Window) -> Shown {
    Shown {
        names: window.names.clone(),
        title: window.title.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(name: &str, title: &str) -> Foreground {
        Foreground::Window(Arc::new(Window {
            names: vec![name.to_owned()],
            title: title.to_owned(),
            ..Window::default()
        }))
    }

    fn program(program: &str) -> RuleText {
        RuleText {
            program: Some(program.to_owned()),
            ..RuleText::default()
        }
    }

    #[test]
    fn porchlights_own_window_is_not_remembered_and_neither_is_an_empty_desktop() {
        let memory = Memory::default();
        let last = memory.recall();
        assert_eq!(last.shown(), None);
        memory.see(&window("XTerm", "Shell"));
        for own in [
            window("Porchlight", "Porchlight"),
            window("porchlight.exe", "Porchlight"),
            Foreground::Window(Arc::new(Window {
                file: std::env::current_exe().ok(),
                ..Window::default()
            })),
            Foreground::Nothing,
            Foreground::Unknown,
        ] {
            memory.see(&own);
            let shown = last.shown().expect("the one before");
            assert_eq!(
                (shown.names, shown.title.as_str()),
                (vec!["XTerm".to_owned()], "Shell")
            );
        }
        memory.forget();
        assert_eq!(last.shown(), None);
    }

    #[tokio::test]
    async fn rules_are_tested_as_for_a_heartbeat() {
        let memory = Memory::default();
        let last = memory.recall();
        let settings = PresenceSettings {
            language: Some(crate::presence::computer::settings::Language::English),
            ..PresenceSettings::default()
        };
        memory.see(&window("XTerm", "the kettle"));
        let renamed = RuleText {
            name: Some("A terminal".to_owned()),
            introduce: Some("At {title}".to_owned()),
            ..program("/^XT/")
        };
        let rules = [program("emacs"), renamed, program("xterm")];
        let trial = last.try_rules(&settings, &rules).await;
        assert_eq!(trial.rule, Some(1));
        assert_eq!(
            trial.verdict,
            Some(Verdict::Shown {
                application: "A terminal".to_owned(),
                introduce: "At the kettle".to_owned(),
                rgba: "90,110,130,1".to_owned(),
            })
        );
        let hiding = RuleText {
            hide: true,
            ..program("xterm")
        };
        let trial = last.try_rules(&settings, &[hiding]).await;
        assert_eq!(
            (trial.rule, trial.verdict),
            (Some(0), Some(Verdict::Hidden))
        );
    }

    #[tokio::test]
    async fn no_rule_reveals_a_private_program() {
        let memory = Memory::default();
        memory.see(&window("KeePassXC", "accounts"));
        let settings = PresenceSettings::default();
        let trial = memory
            .recall()
            .try_rules(&settings, &[program("/./")])
            .await;
        assert_eq!((trial.rule, trial.verdict), (None, Some(Verdict::Private)));
    }

    #[tokio::test]
    async fn a_rule_that_is_wrong_is_named_and_nothing_is_tried() {
        let memory = Memory::default();
        memory.see(&window("XTerm", "Shell"));
        let rules = [program("xterm"), program("/(/")];
        let settings = PresenceSettings::default();
        let trial = memory.recall().try_rules(&settings, &rules).await;
        assert_eq!(trial.verdict, None);
        assert_eq!(trial.problems.len(), 1);
        assert_eq!(trial.problems[0].rule, 1);
        assert!(trial.foreground.is_some());
    }
}
