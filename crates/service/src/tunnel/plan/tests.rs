//! Plans from the settings, and the output of their programs.

use super::{Plan, TrustedHeader};
use crate::tunnel::settings::TunnelSettings;

fn plan(text: &str) -> Result<Plan, String> {
    let settings: TunnelSettings = toml::from_str(text).expect("settings");
    match Plan::of(&settings) {
        Ok(plan) => Ok(plan.expect("a tunnel").to_port(4781)),
        Err(invalid) => Err(invalid.why.to_string()),
    }
}

#[test]
fn a_quick_tunnel_finds_its_address_and_not_those_beside_it() {
    let plan = plan("kind = 'cloudflared'").expect("a plan");
    assert_eq!(plan.trusted_header, TrustedHeader::CfConnectingIp);
    assert_eq!(
        plan.words.last().map(String::as_str),
        Some("http://127.0.0.1:4781")
    );
    for (line, found) in [
        (
            "2026-11-01T10:00:00Z INF |  https://able-api-apt-arm.trycloudflare.com    |",
            Some("https://able-api-apt-arm.trycloudflare.com"),
        ),
        (
            "INF |  https://apiary-a.trycloudflare.com |",
            Some("https://apiary-a.trycloudflare.com"),
        ),
        (
            "ERR Error: Post \"https://api.trycloudflare.com/tunnel\": EOF",
            None,
        ),
        ("INF see https://www.cloudflare.com/website-terms/", None),
    ] {
        let address = plan.find(line).map(|address| address.to_string());
        assert_eq!(address.as_deref(), found, "{line}");
    }
}

#[test]
fn a_named_tunnel_keeps_its_token_out_of_the_arguments() {
    let text = "kind = 'cloudflared'\ncloudflared_token = 'hush'\n\
                hostname = 'light.example.org'\nport = 4781";
    let plan = plan(text).expect("a plan");
    assert!(!plan.words.iter().any(|word| word.contains("hush")));
    assert_eq!(plan.environment(), Some(("TUNNEL_TOKEN", "hush")));
    assert_eq!(
        plan.address.map(|address| address.to_string()).as_deref(),
        Some("https://light.example.org")
    );
}

#[test]
fn incomplete_tunnel_settings_name_what_is_missing() {
    for (text, key) in [
        ("kind = 'cloudflared'\ncloudflared_token = 'a'", "hostname"),
        (
            "kind = 'cloudflared'\nhostname = 'a.b'",
            "cloudflared_token",
        ),
        (
            "kind = 'cloudflared'\nhostname = 'a.b'\ncloudflared_token = 'a'",
            "tunnel.port",
        ),
        ("kind = 'ssh'", "ssh_host"),
        ("kind = 'ssh'\nssh_host = '-oProxyCommand=x'", "user@host"),
        (
            "kind = 'ssh'\nssh_host = 'me@a'\nssh_port = 1",
            "public_url",
        ),
        (
            "kind = 'ssh'\nssh_host = 'me@a'\npublic_url = 'https://a'",
            "ssh_port",
        ),
        ("kind = 'command'", "tunnel.command"),
        ("kind = 'command'\ncommand = ['bore']", "tunnel.pattern"),
    ] {
        let why = plan(text).expect_err(text);
        assert!(why.contains(key), "{text}: {why}");
    }
}

#[test]
fn arguments_that_the_program_prints_are_masked() {
    let text = "kind = 'command'\npattern = '(x)'\n\
                command = ['tunnelling', 'local', '--secret=hush-hush', 'hush-hush-too']";
    let plan = plan(text).expect("a plan");
    for (line, masked) in [
        ("tunnelling local: no", "tunnelling local: no"),
        ("bad hush-hush, hush-hush-too", "bad …, …"),
        ("unknown --secret=hush-hush", "unknown …"),
    ] {
        assert_eq!(plan.masked(line), masked);
    }
    let named = "kind = 'cloudflared'\ncloudflared_token = 'hush-hush'\n\
                 hostname = 'light.example.org'\nport = 4781";
    let named = self::plan(named).expect("a plan");
    assert_eq!(named.masked("token hush-hush is bad"), "token … is bad");
}

#[test]
fn every_documented_program_has_installation_instructions() {
    let install = |program: &str| {
        let text = format!("kind = 'command'\ncommand = ['{program}']\npattern = '(a)'");
        plan(&text).expect("a plan").install
    };
    for program in [
        "bore",
        "frpc",
        "tailscale",
        "ngrok",
        "/opt/bin/ngrok",
        "bore.exe",
    ] {
        let line = install(program).expect(program);
        let name = program.rsplit('/').next().expect("a name");
        let name = name.strip_suffix(".exe").unwrap_or(name);
        let of_program = line.contains(name) || (name == "frpc" && line.contains("frp"));
        assert!(of_program, "{program}: {line}");
    }
    assert_eq!(install("my-own"), None);
    let quick = plan("kind = 'cloudflared'").expect("a plan").install;
    assert!(quick.is_some_and(|line| line.contains("cloudflare")));
}

#[test]
fn a_host_and_a_port_are_a_plain_address() {
    let text = "kind = 'command'\ncommand = ['bore', 'local', '{port}']\n\
                pattern = 'listening at ([^ ]+:[0-9]+)'";
    let plan = plan(text).expect("a plan");
    assert_eq!(plan.words, ["bore", "local", "4781"]);
    let address = plan.find("INFO bore_cli::client: listening at a.example:45001");
    assert_eq!(
        address.map(|address| address.to_string()).as_deref(),
        Some("http://a.example:45001")
    );
}
