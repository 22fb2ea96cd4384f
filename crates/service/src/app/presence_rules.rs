//! The owner's rules about what is reported of which program: as they are written, tried on the last
//! foreground app, and changed.

use toml_edit::{Array, InlineTable, Value};

use crate::app::host::Host;
use crate::clock::timestamp::Timestamp;
use crate::db::DatabaseError;
use crate::error::message::Message;
use crate::presence::computer as presence;
use crate::presence::computer::settings::Rule;
use crate::presence::window::{PresencePage, PresencePeriod, RuleProblem, RuleText, Trial};
use crate::settings::Settings;
use crate::status;

pub fn page(host: &Host) -> PresencePage {
    let settings = host.settings();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    PresencePage {
        presence: host.presence(),
        foreground: host.consent().last_front().shown(),
        rules: written(&settings),
        built_in: count(presence::built_in_programs()),
        private: presence::private_groups().to_vec(),
        history_days: u32::try_from(settings.presence.history_days).unwrap_or(u32::MAX),
    }
}

/// What these rules would make of it. Nothing is changed.
pub async fn try_rules(host: &Host, rules: &[RuleText]) -> Trial {
    let settings = host.settings();
    host.consent()
        .last_front()
        .try_rules(&settings.presence, rules)
        .await
}

/// Writes these rules in the place of the ones before; what is wrong with
/// them, in which case nothing was written.
///
/// # Errors
/// When the settings cannot be changed, or others than those of the file count.
pub async fn set_rules(host: &Host, rules: &[RuleText]) -> Result<Vec<RuleProblem>, Message> {
    let problems = presence::problems(rules);
    if !problems.is_empty() {
        return Ok(problems);
    }
    let value = (!rules.is_empty()).then(|| value(rules));
    let settings = host.store().update(&[("presence.rules", value)]).await?;
    let wanted = rules.iter().cloned();
    let wanted = wanted.filter_map(|rule| Rule::try_from(rule).ok());
    let wanted: Vec<RuleText> = wanted.map(|rule| rule.text()).collect();
    if written(&settings) == wanted {
        Ok(Vec::new())
    } else {
        Err(crate::detail!(
            "the rules are in the settings file, but others count: `presence.rules` was given by the environment or on the command line"
        ))
    }
}

/// What readers saw between two times, in Unix milliseconds.
///
/// # Errors
/// When the database fails.
pub async fn past(host: &Host, from: i64, to: i64) -> Result<Vec<PresencePeriod>, DatabaseError> {
    let (from, to) = (Timestamp::from_millis(from), Timestamp::from_millis(to));
    let past = host.service().presence().history(from, to).await?;
    let stretch = |stretch: crate::presence::PastPresence| PresencePeriod {
        from: stretch.from.as_millis(),
        to: stretch.to.as_millis(),
        shown: status::shown(&stretch.fields),
        device: stretch.device,
    };
    Ok(past.into_iter().map(stretch).collect())
}

fn written(settings: &Settings) -> Vec<RuleText> {
    let rules = settings.presence.rules.iter().flatten();
    rules.map(Rule::text).collect()
}

/// A rule a line, for those who read the file.
fn value(rules: &[RuleText]) -> Value {
    let mut array = Array::new();
    for rule in rules {
        let mut value = Value::from(table(rule));
        value.decor_mut().set_prefix("\n  ");
        array.push_formatted(value);
    }
    array.set_trailing("\n");
    array.set_trailing_comma(true);
    array.into()
}

fn table(rule: &RuleText) -> InlineTable {
    let texts = [
        ("program", &rule.program),
        ("title", &rule.title),
        ("name", &rule.name),
        ("introduce", &rule.introduce),
        ("rgba", &rule.rgba),
    ];
    let mut table = InlineTable::new();
    for (key, text) in texts {
        if let Some(text) = text {
            table.insert(key, text.as_str().into());
        }
    }
    if rule.hide {
        table.insert("hide", true.into());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::host;

    fn rule(program: &str, name: &str) -> RuleText {
        RuleText {
            program: Some(program.to_owned()),
            name: Some(name.to_owned()),
            ..RuleText::default()
        }
    }

    fn hiding(title: &str) -> RuleText {
        RuleText {
            title: Some(title.to_owned()),
            hide: true,
            ..RuleText::default()
        }
    }

    #[tokio::test]
    async fn rules_are_written_beside_the_owners_comments_and_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("settings.toml");
        let before = "# mine\n[presence]\ninterval_seconds = 5 # often\n\n\
                      [[presence.rules]]\nprogram = \"old\"\nname = \"Old\"\n\n[images]\nquality = 90\n";
        std::fs::write(&file, before).expect("to write");
        let host = host(folder.path(), &[]).await;
        assert_eq!(page(&host).rules, [rule("old", "Old")]);
        let rules = [rule("/^co\"de/", "An editor"), hiding("diary")];
        assert_eq!(set_rules(&host, &rules).await.expect("written"), []);
        assert_eq!(page(&host).rules, rules);
        let text = std::fs::read_to_string(&file).expect("to read");
        assert_eq!(
            text,
            "# mine\n[presence]\ninterval_seconds = 5 # often\nrules = [\n  \
             { program = '/^co\"de/', name = \"An editor\" },\n  \
             { title = \"diary\", hide = true },\n]\n\n[images]\nquality = 90\n"
        );
        assert_eq!(set_rules(&host, &[]).await.expect("written"), []);
        let text = std::fs::read_to_string(&file).expect("to read");
        assert!(
            !text.contains("rules") && text.contains("# often"),
            "{text}"
        );
        host.stop().await;
    }

    #[tokio::test]
    async fn rules_that_are_wrong_are_not_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let host = host(folder.path(), &[]).await;
        let rules = [rule("code", "An editor"), rule("/(/", "Broken")];
        let problems = set_rules(&host, &rules).await.expect("an answer");
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].rule, 1);
        assert!(!folder.path().join("settings.toml").exists());
        assert_eq!(page(&host).rules, []);
        host.stop().await;
    }

    #[tokio::test]
    async fn rules_of_the_command_line_override_the_file_and_the_page_shows_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let set = ["presence.rules=[{ program = 'a', name = 'A' }]"];
        let host = host(folder.path(), &set).await;
        let error = set_rules(&host, &[rule("b", "B")])
            .await
            .expect_err("overruled");
        assert!(error.to_string().contains("command line"), "{error}");
        assert_eq!(page(&host).rules, [rule("a", "A")]);
        host.stop().await;
    }

    #[tokio::test]
    async fn the_history_matches_what_readers_saw() {
        let folder = tempfile::tempdir().expect("a folder");
        let host = host(folder.path(), &[]).await;
        let fields = crate::http::replies::HeartbeatFields {
            application: "XTerm".to_owned(),
            application_online: true,
            ..crate::http::replies::HeartbeatFields::default()
        };
        let started = Timestamp::now().as_millis();
        let presence = host.service().presence();
        presence.record(Some(fields)).await.expect("recorded");
        let past = loop {
            let past = past(&host, started, i64::MAX).await.expect("the past");
            // A stretch that has just started has no length yet.
            if !past.is_empty() {
                break past;
            }
        };
        assert_eq!(past.len(), 1);
        assert_eq!(past[0].shown.application, "XTerm");
        assert!(past[0].from >= started && past[0].to <= Timestamp::now().as_millis());
        host.stop().await;
    }
}
