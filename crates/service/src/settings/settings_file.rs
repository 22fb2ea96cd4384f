//! The settings file as it was last read: the text in force, and what is wrong with the text that is
//! there instead.

use parking_lot::Mutex;

use super::layers::Layers;
use super::problem::{Origin, Problem, Problems};
use crate::settings::window::FileProblem;

/// The settings file as it was last read.
pub(super) struct SettingsFile(Mutex<Seen>);

struct Seen {
    /// The text that the settings in force were read from.
    in_force: String,
    /// What is wrong with the text that is there instead.
    wrong: Option<Problems>,
}

impl SettingsFile {
    pub(super) fn in_force(text: String) -> Self {
        Self(Mutex::new(Seen {
            in_force: text,
            wrong: None,
        }))
    }

    /// The text that a change is applied to: the one that is there. Where the file is gone,
    /// what was in it, so that nothing of it is lost with the change.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn text_to_change(&self, layers: &Layers) -> Result<String, Problems> {
        let text = layers.file_text()?;
        let seen = self.0.lock();
        let gone = text.is_empty() && !layers.file.exists();
        Ok(if gone { seen.in_force.clone() } else { text })
    }

    /// The text that is there, where it is not the one in force.
    ///
    /// # Errors
    /// When it cannot be read, or the file is gone.
    pub(super) fn other_text(&self, layers: &Layers) -> Result<Option<String>, Problems> {
        let text = layers.file_text()?;
        let seen = self.0.lock();
        if text == seen.in_force {
            return Ok(None);
        }
        if text.is_empty() && !layers.file.exists() {
            return Err(Problem::nowhere(crate::detail!(
                "the settings file {} is gone",
                layers.file.display()
            ))
            .into());
        }
        Ok(Some(text))
    }

    /// Records what is wrong with it, or that nothing is; returns whether that changed.
    pub(super) fn set_wrong(&self, wrong: Option<Problems>) -> bool {
        let mut seen = self.0.lock();
        let changed = seen.wrong != wrong;
        seen.wrong = wrong;
        changed
    }

    pub(super) fn set_in_force(&self, text: String) {
        self.0.lock().in_force = text;
    }

    pub(super) fn problems(&self) -> Vec<FileProblem> {
        let seen = self.0.lock();
        let problems = seen.wrong.iter().flat_map(|problems| &problems.0);
        problems.map(with_line).collect()
    }
}

fn with_line(problem: &Problem) -> FileProblem {
    let line = match &problem.origin {
        Some(Origin::File { line, .. }) => u32::try_from(*line).ok(),
        _ => None,
    };
    FileProblem {
        line,
        key: problem.key.clone(),
        why: problem.why.clone(),
    }
}
