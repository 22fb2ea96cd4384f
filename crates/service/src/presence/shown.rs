//! Which of the owner's devices `/check` shows.

use super::Shows;
use super::device::Device;
use super::report::{Order, Report};
use crate::devices::DeviceAccess;

/// A device that readers see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen<'a> {
    /// `None` for this computer.
    pub(super) device: Option<&'a Device>,
    pub(super) report: &'a Report,
}

/// What `/check` shows of the report of this computer and those of the other devices.
pub(super) fn shown<'a>(
    own: Option<&'a Report>,
    devices: &'a [Device],
    shows: Shows,
    order: Order,
) -> Option<Seen<'a>> {
    let only_own = match shows {
        Shows::AllDevices => false,
        Shows::OwnStatus => own.is_some_and(|own| own.is_valid(order.now)),
        Shows::OnlyOwn => true,
    };
    let own = own.map(|report| Seen {
        device: None,
        report,
    });
    if only_own {
        return own;
    }
    let allowed = devices.iter().filter(|device| {
        device.decided.access == DeviceAccess::Allowed && device.decided.token.is_some()
    });
    let others = allowed.filter_map(|device| {
        let report = device.report.as_ref()?;
        let device = Some(device);
        Some(Seen { device, report })
    });
    others.chain(own).max_by_key(|seen| seen.report.rank(order))
}

#[cfg(test)]
mod tests {
    use crate::clock::timestamp::Timestamp;
    use crate::http::replies::HeartbeatFields;

    use super::*;
    use crate::presence::device::tests::device;

    const NOW: Timestamp = Timestamp::from_millis(1_000_000_000_000);
    const ALIVE: i64 = 600_000;
    const HOURS: i64 = 4 * 3_600_000;

    fn before(seconds: i64) -> Timestamp {
        Timestamp::from_millis(NOW.as_millis() - seconds * 1_000)
    }

    /// Seconds since the report and since the last use, for how long it is valid, whether in use.
    type Of = (i64, i64, i64, bool);

    fn report((at, used, valid_for, online): Of) -> Report {
        Report {
            at: before(at),
            valid_for,
            used_at: before(used),
            fields: HeartbeatFields {
                application_online: online,
                ..HeartbeatFields::default()
            },
        }
    }

    #[test]
    fn one_device_is_shown() {
        type Others = &'static [(&'static str, bool, Of)];
        type Case = (
            &'static str,
            Shows,
            Option<Of>,
            Others,
            Option<&'static str>,
        );
        let away: Of = (5, 900, ALIVE, false);
        let ended: Of = (700, 700, ALIVE, true);
        use Shows::{AllDevices, OnlyOwn, OwnStatus};
        #[rustfmt::skip]
        let cases: [Case; 26] = [
            ("nothing reports", AllDevices, None, &[], None),
            ("only this computer", AllDevices, Some(away), &[], Some("own")),
            ("only a phone", AllDevices, None, &[("phone", true, (5, 5, ALIVE, true))], Some("phone")),
            ("a phone that waits", AllDevices, None, &[("phone", false, (5, 5, ALIVE, true))], None),
            ("the last used", AllDevices, Some((1, 60, ALIVE, true)), &[("phone", true, (30, 30, ALIVE, true))], Some("phone")),
            ("the last used is here", AllDevices, Some((1, 10, ALIVE, true)), &[("phone", true, (1, 30, ALIVE, true))], Some("own")),
            ("used at the same time: here", AllDevices, Some((1, 10, ALIVE, true)), &[("phone", true, (1, 10, ALIVE, true))], Some("own")),
            ("of two phones the last used", AllDevices, Some(away), &[("old", true, (1, 20, ALIVE, true)), ("new", true, (9, 10, ALIVE, true))], Some("new")),
            ("one that waits never", AllDevices, Some((1, 60, ALIVE, true)), &[("phone", false, (1, 1, ALIVE, true))], Some("own")),
            ("one that waits beside one that is allowed", AllDevices, None, &[("tv", false, (1, 1, ALIVE, true)), ("phone", true, (9, 9, ALIVE, true))], Some("phone")),
            ("one that waits, when all have ended", AllDevices, Some(ended), &[("phone", false, (1, 1, 0, false))], Some("own")),
            ("in use before away", AllDevices, Some((1, 10, ALIVE, false)), &[("phone", true, (99, 99, ALIVE, true))], Some("phone")),
            ("all are away", AllDevices, Some(away), &[("phone", true, (9, 99, ALIVE, false))], Some("phone")),
            ("away within alive before in use for hours", AllDevices, Some(away), &[("phone", true, (601, 601, HOURS, true))], Some("own")),
            ("within alive before later use", AllDevices, Some((500, 9_000, ALIVE, true)), &[("phone", true, (601, 601, HOURS, true))], Some("own")),
            ("valid for hours, nothing within alive", AllDevices, Some(ended), &[("phone", true, (9_000, 9_000, HOURS, true))], Some("phone")),
            ("valid for minutes only", AllDevices, Some(away), &[("phone", true, (181, 181, 180_000, true))], Some("own")),
            ("one that ended itself", AllDevices, Some(away), &[("phone", true, (1, 1, 0, false))], Some("own")),
            ("a clock that was set back a little", AllDevices, Some(away), &[("phone", true, (-60, -60, ALIVE, true))], Some("phone")),
            ("a clock that was hours ahead", AllDevices, Some(away), &[("phone", true, (-20_000, -20_000, HOURS, true))], Some("own")),
            ("all have ended: the last seen", AllDevices, Some(ended), &[("phone", true, (200, 900, 0, false)), ("tv", true, (300, 300, 180_000, true))], Some("phone")),
            ("all have ended: it was here", AllDevices, Some(ended), &[("phone", true, (20_000, 9, HOURS, true))], Some("own")),
            ("a status of the owner", OwnStatus, Some((30, 900, ALIVE, true)), &[("phone", true, (1, 1, ALIVE, true))], Some("own")),
            ("a status that has ended", OwnStatus, Some(ended), &[("phone", true, (1, 1, ALIVE, true))], Some("phone")),
            ("not shared", OnlyOwn, Some(ended), &[("phone", true, (1, 1, ALIVE, true))], Some("own")),
            ("not shared, and nothing of this computer", OnlyOwn, None, &[("phone", true, (1, 1, ALIVE, true))], None),
        ];
        for (case, shows, own, others, expected) in cases {
            let name = named(shows, own, others, true);
            assert_eq!(name.as_deref(), expected, "{case}");
        }
        let mut revoked = device("phone", true, Some(report((5, 5, ALIVE, true))));
        revoked.decided.token = None;
        let order = Order {
            now: NOW,
            alive: ALIVE,
            with_fields: true,
        };
        assert!(shown(None, &[revoked], AllDevices, order).is_none());
        // Without fields it is unknown who uses what.
        let phone = [("phone", true, (30, 30, ALIVE, true))];
        let here = (1, 9_000, ALIVE, false);
        assert_eq!(
            named(AllDevices, Some(here), &phone, false).as_deref(),
            Some("own")
        );
        let before = (40, 40, ALIVE, false);
        assert_eq!(
            named(AllDevices, Some(before), &phone, false).as_deref(),
            Some("phone")
        );
    }

    /// Whose report is shown.
    fn named(
        shows: Shows,
        own: Option<Of>,
        others: &[(&str, bool, Of)],
        with_fields: bool,
    ) -> Option<String> {
        let own = own.map(report);
        let devices: Vec<Device> = others
            .iter()
            .map(|(id, allowed, of)| device(id, *allowed, Some(report(*of))))
            .collect();
        let order = Order {
            now: NOW,
            alive: ALIVE,
            with_fields,
        };
        let seen = shown(own.as_ref(), &devices, shows, order)?;
        let name = seen
            .device
            .map_or("own", |device| device.decided.id.as_str());
        Some(name.to_owned())
    }
}
