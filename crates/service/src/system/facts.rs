//! Reading the machine. What could identify its owner is included only on
//! demand, and unknown facts are left out.

use std::path::Path;

#[cfg(windows)]
use sysinfo::CpuRefreshKind;
use sysinfo::{DiskRefreshKind, Disks, MemoryRefreshKind, Networks};
#[cfg(not(windows))]
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, UpdateKind, Users};

use crate::system::SystemSettings;

/// One line of the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) label: &'static str,
    pub(super) value: String,
}

/// The machine, with the last reading of its processor: how busy it is shows
/// only between two.
pub(super) struct Machine {
    system: Option<sysinfo::System>,
    #[cfg(windows)]
    processor: super::processor_times::ProcessorTimes,
}

impl Machine {
    /// A first reading of the processor. It blocks for a fifth of a second.
    pub(super) fn open() -> Self {
        let mut system = sysinfo::System::new().ok();
        if let Some(system) = &mut system {
            #[cfg(windows)]
            system.refresh_cpu_specifics(CpuRefreshKind::nothing());
            #[cfg(not(windows))]
            system.refresh_cpu_usage();
        }
        let machine = Self {
            system,
            #[cfg(windows)]
            processor: super::processor_times::ProcessorTimes::now(),
        };
        std::thread::sleep(sysinfo::MINIMUM_CPU_UPDATE_INTERVAL);
        machine
    }

    /// How busy the processor was since the last reading, in percent.
    #[cfg(not(windows))]
    fn processor_usage(&mut self) -> Option<f32> {
        let system = self.system.as_mut()?;
        system.refresh_cpu_usage();
        Some(system.global_cpu_usage())
    }

    /// The same; what `sysinfo` asks for it is missing where performance counters are.
    #[cfg(windows)]
    fn processor_usage(&mut self) -> Option<f32> {
        self.processor.busy_since()
    }

    /// Reads all facts that may be shown.
    pub(super) fn read(&mut self, settings: &SystemSettings) -> Vec<Fact> {
        let user = settings.show_user.then(|| self.user()).flatten();
        let host = settings.show_host.then(sysinfo::System::host_name);
        let kernel = sysinfo::System::kernel_version().ok();
        let addresses = settings.show_addresses.then(addresses).flatten();
        let mut facts = vec![
            ("User", user),
            ("Host", host.and_then(Result::ok)),
            ("OS", operating_system()),
            ("Kernel", kernel.map(|text| number_of(&text))),
            ("Architecture", Some(sysinfo::System::cpu_arch())),
            ("Uptime", sysinfo::System::uptime().ok().map(uptime)),
        ];
        let busy = self.processor_usage();
        if let Some(system) = &mut self.system {
            system.refresh_memory_specifics(MemoryRefreshKind::everything());
            let memory = share(system.used_memory(), system.total_memory());
            facts.extend([
                ("CPU", processor(system)),
                ("CPU usage", busy.map(|busy| format!("{busy:.0} %"))),
                ("Load", load()),
                ("Memory", memory),
                ("Swap", share(system.used_swap(), system.total_swap())),
            ]);
        }
        facts.extend([("Disk", disk()), ("Addresses", addresses)]);
        let known = facts.into_iter().filter_map(|(label, value)| {
            let value = value?.trim().to_owned();
            (!value.is_empty()).then_some(Fact { label, value })
        });
        known.collect()
    }

    /// The name of the user that this process runs as. To list all users for it, as below, takes long in
    /// a domain, and ends the process in Wine.
    #[cfg(windows)]
    fn user(&mut self) -> Option<String> {
        std::env::var("USERNAME").ok()
    }

    /// The name of the user that this process runs as.
    #[cfg(not(windows))]
    fn user(&mut self) -> Option<String> {
        let system = self.system.as_mut()?;
        let this = Pid::from_u32(std::process::id());
        let what = ProcessRefreshKind::nothing().with_user(UpdateKind::OnlyIfNotSet);
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[this]), false, what);
        let users = Users::new_with_refreshed_list().ok()?;
        let user = users.get_user_by_id(system.process(this)?.user_id()?)?;
        Some(user.name().to_owned())
    }
}

fn operating_system() -> Option<String> {
    let name = sysinfo::System::name().ok()?;
    let version = sysinfo::System::os_version().unwrap_or_default();
    Some(format!("{name} {version}"))
}

/// The leading number of a kernel's version. The rest is chosen by its builder,
/// and may contain the host's name.
fn number_of(version: &str) -> String {
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-');
    let number = &version[..end.unwrap_or(version.len())];
    number.trim_end_matches(['.', '-']).to_owned()
}

fn processor(system: &sysinfo::System) -> Option<String> {
    let first = system.cpus().first()?;
    let model = first
        .brand()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    Some(
        format!("{model} × {}", system.cpus().len())
            .trim_start_matches([' ', '×'])
            .to_owned(),
    )
}

/// Windows has none; `sysinfo` would keep a thread that estimates it from performance counters.
#[cfg(windows)]
fn load() -> Option<String> {
    None
}

#[cfg(not(windows))]
fn load() -> Option<String> {
    let load = sysinfo::System::load_average().ok()?;
    Some(format!(
        "{:.2} {:.2} {:.2}",
        load.one, load.five, load.fifteen
    ))
}

/// The disk that the system is on; its name and its path stay here.
fn disk() -> Option<String> {
    let kind = DiskRefreshKind::nothing().with_storage();
    let disks = Disks::new_with_refreshed_list_specifics(kind).ok()?;
    let drive = std::env::var("SystemDrive").map(|drive| format!("{drive}\\"));
    let root = drive.as_deref().map_or(Path::new("/"), Path::new);
    let disk = disks.iter().find(|disk| disk.mount_point() == root)?;
    let (free, total) = (disk.available_space(), disk.total_space());
    share(total.saturating_sub(free), total)
}

fn addresses() -> Option<String> {
    let networks = Networks::new_with_refreshed_list().ok()?;
    let all = networks.values().flat_map(|network| network.ip_networks());
    let mut addresses: Vec<_> = all
        .map(|network| network.addr)
        .filter(|ip| !ip.is_loopback())
        .collect();
    addresses.sort_unstable();
    addresses.dedup();
    Some(
        addresses
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    )
}

/// Seconds as `3 days, 4 hours, 5 minutes`, from the largest unit that is not
/// zero.
fn uptime(seconds: u64) -> String {
    let minutes = seconds / 60;
    let units = [
        (minutes / 1440, "day"),
        (minutes / 60 % 24, "hour"),
        (minutes % 60, "minute"),
    ];
    let first = units
        .iter()
        .position(|&(count, _)| count > 0)
        .unwrap_or(units.len() - 1);
    let words = units[first..]
        .iter()
        .map(|&(count, unit)| format!("{count} {unit}{}", if count == 1 { "" } else { "s" }));
    words.collect::<Vec<_>>().join(", ")
}

/// Bytes used of a total; nothing where there is no total, as without swap.
fn share(used: u64, total: u64) -> Option<String> {
    (total > 0).then(|| {
        let percent = u128::from(used) * 100 / u128::from(total);
        format!("{} / {} ({percent} %)", size(used), size(total))
    })
}

/// Bytes in the largest unit that leaves a number above one.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    #[allow(clippy::cast_precision_loss, reason = "two decimals are shown")]
    let mut number = bytes as f64 / 1024.0;
    let mut unit = 0;
    while number >= 1024.0 && unit + 1 < UNITS.len() {
        number /= 1024.0;
        unit += 1;
    }
    format!("{number:.2} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::{number_of, share, size, uptime};

    #[test]
    fn a_kernel_version_is_its_number_alone() {
        for (version, number) in [
            ("6.1.0-13-amd64", "6.1.0-13"),
            ("5.15.167.4-microsoft-standard-WSL2", "5.15.167.4"),
            ("6.9.3-annas-laptop", "6.9.3"),
            ("24.1.0", "24.1.0"),
            ("", ""),
        ] {
            assert_eq!(number_of(version), number);
        }
    }

    #[test]
    fn uptime_starts_with_its_largest_unit() {
        for (seconds, words) in [
            (5, "0 minutes"),
            (60, "1 minute"),
            (3_600, "1 hour, 0 minutes"),
            (
                2 * 86_400 + 3 * 3_600 + 4 * 60 + 59,
                "2 days, 3 hours, 4 minutes",
            ),
        ] {
            assert_eq!(uptime(seconds), words);
        }
    }

    #[test]
    fn sizes_have_a_unit_and_shares_a_percentage() {
        assert_eq!(size(512), "0.50 KiB");
        assert_eq!(size(16 * 1024 * 1024 * 1024), "16.00 GiB");
        assert_eq!(
            share(1024, 4096).as_deref(),
            Some("1.00 KiB / 4.00 KiB (25 %)")
        );
        assert_eq!(share(0, 0), None);
    }
}
