//! What is started for each kind of tunnel, and how its address is found.

use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret as _, SecretString};

use crate::error::message::Message;
use crate::text::address::WebAddress;
use crate::tunnel::settings::{AddressPattern, TunnelKind, TunnelSettings};

/// The address of a quick tunnel in what `cloudflared` prints. The service
/// that hands it out has an address under the same name.
const QUICK: &str = r"(https://(?:[b-z0-9-]|a[a-oq-z0-9-]|ap[a-hj-z0-9-]|api[a-z0-9-])[a-z0-9-]*\.trycloudflare\.com)";

/// The variable that `cloudflared` takes its token from.
const TOKEN: &str = "TUNNEL_TOKEN";

/// Words of the command with more characters than this are masked.
const LONGEST_SHOWN: usize = 7;

/// How to install the programs of tunnels: a command, or a page with
/// instructions.
#[cfg(target_os = "macos")]
const INSTALL: [(&str, &str); 5] = [
    ("cloudflared", "brew install cloudflared"),
    ("bore", "brew install bore-cli"),
    ("frpc", "brew install frpc"),
    ("tailscale", "brew install tailscale"),
    ("ngrok", "brew install ngrok"),
];
#[cfg(not(target_os = "macos"))]
const INSTALL: [(&str, &str); 5] = [
    #[cfg(windows)]
    ("cloudflared", "winget install --id Cloudflare.cloudflared"),
    #[cfg(not(windows))]
    (
        "cloudflared",
        "https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/downloads/",
    ),
    ("bore", "cargo install bore-cli"),
    ("frpc", "https://github.com/fatedier/frp/releases"),
    ("tailscale", "https://tailscale.com/download"),
    ("ngrok", "https://ngrok.com/download"),
];
#[cfg(target_os = "linux")]
const INSTALL_SSH: &str = "sudo apt-get install openssh-client";
#[cfg(not(target_os = "linux"))]
const INSTALL_SSH: &str = "it comes with the system, as an optional feature on Windows";

/// Which header of the requests that come out of the tunnel is the tunnel's
/// own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustedHeader {
    /// None: it carries what readers send.
    Nothing,
    CfConnectingIp,
}

#[derive(Debug, Clone)]
pub struct Plan {
    /// The program and its arguments, `{port}` not replaced yet.
    pub(super) words: Vec<String>,
    /// The file that is started in place of what the first word names.
    pub(super) program: Option<PathBuf>,
    /// A secret for the program, kept out of the process list.
    pub(super) secret: Option<(&'static str, SecretString)>,
    /// A variable of our environment that it must not inherit.
    pub(super) withheld: Option<&'static str>,
    /// The line or page that installs the program.
    pub(super) install: Option<&'static str>,
    /// Where the address is known from the start.
    pub(super) address: Option<WebAddress>,
    /// Where it is printed.
    pub(super) pattern: Option<AddressPattern>,
    /// The interval of reachability probes, in seconds.
    pub(super) check_seconds: u64,
    pub trusted_header: TrustedHeader,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct InvalidTunnel {
    /// The key that is wrong or missing.
    pub key: &'static str,
    /// What is wrong and what to do.
    pub why: Message,
}

fn invalid<T>(key: &'static str, why: Message) -> Result<T, InvalidTunnel> {
    Err(InvalidTunnel { key, why })
}

/// The command that installs this program, in any path; `None` for an unknown
/// one.
fn install(program: &str) -> Option<&'static str> {
    let file = Path::new(program).file_name()?.to_str()?;
    let name = file.strip_suffix(".exe").unwrap_or(file);
    let mut known = INSTALL.iter();
    known.find(|(of, _)| *of == name).map(|(_, line)| *line)
}

impl Plan {
    /// The tunnel of the settings, `None` where there is none.
    ///
    /// # Errors
    /// When a required setting is missing or invalid.
    pub fn of(settings: &TunnelSettings) -> Result<Option<Self>, InvalidTunnel> {
        match settings.kind {
            TunnelKind::None => Ok(None),
            TunnelKind::Cloudflared => Self::cloudflared(settings).map(Some),
            TunnelKind::Ssh => Self::ssh(settings).map(Some),
            TunnelKind::Command => Self::command(settings).map(Some),
        }
    }

    fn cloudflared(settings: &TunnelSettings) -> Result<Self, InvalidTunnel> {
        let plan = |words: &[&str]| Self {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            program: settings.program.clone(),
            secret: None,
            // Its token comes from the settings alone; a quick tunnel has none.
            withheld: Some(TOKEN),
            install: install("cloudflared"),
            address: None,
            pattern: None,
            check_seconds: settings.check_seconds,
            trusted_header: TrustedHeader::CfConnectingIp,
        };
        match (&settings.cloudflared_token, &settings.hostname) {
            (None, None) => Ok(Self {
                pattern: Some(QUICK.parse().expect("a pattern with a group")),
                ..plan(&[
                    "cloudflared",
                    "tunnel",
                    "--no-autoupdate",
                    "--url",
                    "http://127.0.0.1:{port}",
                ])
            }),
            (Some(token), Some(hostname)) => {
                let Ok(address) = format!("https://{hostname}").parse() else {
                    return invalid(
                        "tunnel.hostname",
                        crate::detail!(
                            "`tunnel.hostname` is a name alone, such as light.example.org"
                        ),
                    );
                };
                if settings.port == 0 {
                    return invalid(
                        "tunnel.port",
                        crate::detail!(
                            "a named tunnel needs `tunnel.port`, the port that it leads to by your settings at Cloudflare"
                        ),
                    );
                }
                Ok(Self {
                    address: Some(address),
                    // Not among the arguments, which every user of a machine can see.
                    secret: Some((TOKEN, token.clone().into())),
                    ..plan(&["cloudflared", "tunnel", "--no-autoupdate", "run"])
                })
            }
            (Some(_), None) => invalid(
                "tunnel.cloudflared_token",
                crate::detail!(
                    "`tunnel.cloudflared_token` needs `tunnel.hostname`, the name that you gave the tunnel"
                ),
            ),
            (None, Some(_)) => invalid(
                "tunnel.hostname",
                crate::detail!(
                    "`tunnel.hostname` needs `tunnel.cloudflared_token`; without both you get a quick tunnel"
                ),
            ),
        }
    }

    fn ssh(settings: &TunnelSettings) -> Result<Self, InvalidTunnel> {
        let Some(host) = &settings.ssh_host else {
            return invalid(
                "tunnel.kind",
                crate::detail!("`tunnel.kind` needs `tunnel.ssh_host`"),
            );
        };
        // It would be taken for an option, and options of ssh run programs.
        if host.is_empty() || host.starts_with('-') || host.contains(char::is_whitespace) {
            return invalid(
                "tunnel.ssh_host",
                crate::detail!("`tunnel.ssh_host` is a host, or user@host"),
            );
        }
        let Some(address) = &settings.public_url else {
            return invalid(
                "tunnel.kind",
                crate::detail!(
                    "a tunnel by SSH needs `tunnel.public_url`, the address that readers of that host use"
                ),
            );
        };
        if settings.ssh_port == 0 {
            return invalid(
                "tunnel.kind",
                crate::detail!(
                    "a tunnel by SSH needs `tunnel.ssh_port`, the port on that host which `tunnel.public_url` leads to"
                ),
            );
        }
        let forward = format!("{}:127.0.0.1:{{port}}", settings.ssh_port);
        let options = [
            "BatchMode=yes",
            "ExitOnForwardFailure=yes",
            "ServerAliveInterval=15",
            "ServerAliveCountMax=3",
            "StrictHostKeyChecking=accept-new",
            // A connection that is shared would keep the forward when this ends.
            "ControlMaster=no",
            "ControlPath=none",
            "ForkAfterAuthentication=no",
        ];
        let mut words = vec!["ssh".to_owned(), "-N".to_owned(), "-T".to_owned()];
        words.extend(
            options
                .iter()
                .flat_map(|option| ["-o".to_owned(), (*option).to_owned()]),
        );
        words.extend(["-R".to_owned(), forward, host.clone()]);
        Ok(Self {
            words,
            program: settings.program.clone(),
            secret: None,
            withheld: None,
            install: Some(INSTALL_SSH),
            address: Some(address.clone()),
            pattern: None,
            check_seconds: settings.check_seconds,
            trusted_header: TrustedHeader::Nothing,
        })
    }

    fn command(settings: &TunnelSettings) -> Result<Self, InvalidTunnel> {
        let Some(words) = &settings.command else {
            return invalid(
                "tunnel.kind",
                crate::detail!("`tunnel.kind` needs `tunnel.command`"),
            );
        };
        if settings.pattern.is_none() && settings.public_url.is_none() {
            return invalid(
                "tunnel.kind",
                crate::detail!(
                    "`tunnel.command` needs `tunnel.pattern`, which finds the public address in what it prints, or `tunnel.public_url`"
                ),
            );
        }
        Ok(Self {
            install: words.first().and_then(|word| install(word)),
            words: words.clone(),
            program: settings.program.clone(),
            secret: None,
            withheld: None,
            address: settings.public_url.clone(),
            pattern: settings.pattern.clone(),
            check_seconds: settings.check_seconds,
            trusted_header: TrustedHeader::Nothing,
        })
    }

    /// The address that the settings give it, where the program does not choose one.
    pub fn fixed_address(&self) -> Option<&WebAddress> {
        self.address.as_ref()
    }

    #[must_use]
    pub fn to_port(mut self, port: u16) -> Self {
        for word in &mut self.words {
            *word = word.replace("{port}", &port.to_string());
        }
        self
    }

    /// The address in a line that the program printed.
    pub(super) fn find(&self, line: &str) -> Option<WebAddress> {
        let found = self.pattern.as_ref()?.find(line)?;
        // A program that carries bytes names a host and a port alone.
        match found.contains("://") {
            true => found.parse().ok(),
            false => format!("http://{found}").parse().ok(),
        }
    }

    /// A line of the program's output with possible secrets masked: its
    /// arguments, and the values in them.
    pub(super) fn masked(&self, line: &str) -> String {
        let words = self.words.iter().skip(1).map(String::as_str);
        let set = words
            .clone()
            .filter_map(|word| Some(word.split_once('=')?.1));
        let secret = self.environment().map(|(_, value)| value);
        let long = |word: &&str| word.chars().count() > LONGEST_SHOWN;
        let mut words: Vec<&str> = words.chain(set).chain(secret).filter(long).collect();
        // A word that contains another one is masked as a whole.
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        words
            .iter()
            .fold(line.to_owned(), |line, word| line.replace(word, "…"))
    }

    /// What is started, as the settings or the kind name it.
    pub(super) fn name(&self) -> String {
        match &self.program {
            Some(file) => file.display().to_string(),
            None => self.words[0].clone(),
        }
    }

    /// What the program must have in its environment.
    pub(super) fn environment(&self) -> Option<(&'static str, &str)> {
        let (name, value) = self.secret.as_ref()?;
        Some((name, value.expose_secret()))
    }
}

#[cfg(test)]
mod tests;
