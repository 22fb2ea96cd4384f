//! For how long the tunnel has been down.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use porchlight_api::window::TunnelGlance;

/// A tunnel that reconnects within this time raises no alert.
const LONG: Duration = Duration::from_secs(60);

/// Since when the tunnel has been down, as far as it was observed.
#[derive(Debug, Default)]
pub struct TunnelDown(Mutex<Option<Instant>>);

impl TunnelDown {
    /// Whether it is down, and has been for long.
    pub fn look(&self, tunnel: &TunnelGlance, now: Instant) -> bool {
        let mut since = self.0.lock();
        // It goes through these states while it does not work.
        let down = matches!(
            tunnel,
            TunnelGlance::Waiting { .. } | TunnelGlance::Starting | TunnelGlance::Checking { .. }
        );
        if !down {
            *since = None;
            return false;
        }
        now.duration_since(*since.get_or_insert(now)) >= LONG
    }
}

#[cfg(test)]
mod tests {
    use porchlight_api::Message;

    use super::*;

    fn waiting() -> TunnelGlance {
        TunnelGlance::Waiting {
            why: Message::NoAddressInTime,
            next_try: 0,
        }
    }

    #[test]
    fn a_tunnel_is_down_for_long_after_a_minute_without_a_break() {
        let down = TunnelDown::default();
        let begun = Instant::now();
        let later = begun + LONG;
        assert!(!down.look(&TunnelGlance::Off, begun));
        assert!(!down.look(&waiting(), begun));
        assert!(down.look(&TunnelGlance::Starting, later));
        let up = TunnelGlance::Up {
            address: "https://a.example".to_owned(),
            since: 0,
            round_trip: None,
        };
        assert!(!down.look(&up, later));
        assert!(!down.look(&waiting(), later));
    }
}
