//! What the presence reporter does, in the log of `porchlight serve`, which has no window to show it.

use crate::presence::computer::PresenceState;
use crate::state::StateReader;

/// Logs what the presence reporter does and why it cannot, each time that changes.
pub(super) async fn log_presence(mut state: StateReader<PresenceState>) {
    let mut logged = Vec::new();
    loop {
        let now = lines(&state.latest());
        for line in now.iter().filter(|line| !logged.contains(*line)) {
            // What is reported is named for those who look for a fault, and not kept in logs otherwise.
            tracing::debug!("presence: {line}");
        }
        logged = now;
        if state.changed().await.is_err() {
            return;
        }
    }
}

fn lines(state: &PresenceState) -> Vec<String> {
    let mut lines = state.unavailable.sentences();
    lines.push(match (&state.preview, &state.pause) {
        _ if !state.enabled => "nothing is reported".to_owned(),
        (_, Some(pause)) => match pause.until {
            Some(end) => format!("paused until {}", end.time()),
            None => "paused until it is resumed".to_owned(),
        },
        (None, None) => "looking".to_owned(),
        (Some(fields), None) => {
            let what = match fields.application.as_str() {
                "" => "nothing that is named".to_owned(),
                name => format!("{name:?}"),
            };
            let there = match state.away {
                None => "here",
                Some(_) => "away",
            };
            format!("reporting {what}, {there}")
        }
    });
    if let Some(trouble) = &state.reporter.trouble {
        let next = state
            .reporter
            .next_try
            .map(|next| format!("; tried again at {next}"));
        lines.push(format!("{trouble}{}", next.unwrap_or_default()));
    } else if state.reporter.last_success.is_some() {
        lines.push("the reports arrive".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::error::message::Message;
    use crate::http::replies::HeartbeatFields;
    use crate::presence::computer::Away;
    use crate::text::rgba::Rgba;

    use super::*;

    #[test]
    fn the_state_of_the_reporter_and_its_errors_are_logged() {
        let mut state = PresenceState::default();
        assert_eq!(lines(&state), ["nothing is reported"]);
        state.enabled = true;
        assert_eq!(lines(&state), ["looking"]);
        state.preview = Some(HeartbeatFields {
            application: "XTerm".to_owned(),
            introduce: String::new(),
            rgba: Rgba::none(),
            application_online: false,
            track: None,
        });
        state.away = Some(Away::Idle);
        state.unavailable.media = Some(Message::text("there is no bus"));
        state.reporter.trouble = Some(Message::TokenRefused);
        assert_eq!(
            lines(&state),
            [
                "whether media play is not known: there is no bus",
                "reporting \"XTerm\", away",
                "the service refused the token",
            ]
        );
    }
}
