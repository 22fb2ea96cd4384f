//! Reading the layers, without a process.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Settings;
use super::layers::Layers;

fn read(file: &str, set: &[&str], listen: Option<&str>) -> Result<Settings, String> {
    let layers = Layers {
        file: PathBuf::from("settings.toml"),
        file_is_named: false,
        environment: Vec::new(),
        set: set.iter().map(|set| (*set).to_owned()).collect(),
        listen: listen.map(|listen| listen.parse().expect("an address")),
    };
    match layers.read_with(file) {
        Ok(reading) => Ok(reading.settings),
        Err(problems) => Err(problems.to_string()),
    }
}

fn problems_of_file(file: &str) -> String {
    read(file, &[], None).err().unwrap_or_default()
}

#[test]
fn the_key_of_the_worker_is_long() {
    let problems = problems_of_file(&format!("edge.secret = '{}'", "x".repeat(31)));
    assert!(problems.contains("`edge.secret`") && !problems.contains("xxx"));
    assert_eq!(
        problems_of_file(&format!("edge.secret = '{}'", "x".repeat(32))),
        ""
    );
}

#[test]
fn a_public_listener_may_have_the_address_header_of_its_proxy() {
    let proxy = ["server.client_ip=x-forwarded-for"];
    assert!(read("", &proxy, Some("0.0.0.0:80")).is_ok());
    assert!(read("", &[], Some("[::1]:80")).is_ok());
}

#[test]
fn a_target_needs_its_own_token() {
    let problems = problems_of_file("[presence]\ntarget_url = 'https://light.example'\n");
    assert!(
        problems.contains("`presence.target_url` needs `presence.token`"),
        "{problems}"
    );
}

#[test]
fn a_token_is_sent_in_the_clear_on_this_machine_alone() {
    let problems = |url: &str| {
        problems_of_file(&format!(
            "[presence]\ntarget_url = '{url}'\ntoken = 'hush-hush-hush'\n"
        ))
    };
    for url in [
        "https://light.example",
        "http://127.0.0.1:4780",
        "http://[::1]:4780",
        "http://localhost:4780",
    ] {
        assert_eq!(problems(url), "", "{url}");
    }
    for url in ["http://light.example", "http://192.168.1.5:4780"] {
        let problems = problems(url);
        assert!(
            problems.starts_with("settings.toml, line 2: `presence.target_url`"),
            "{problems}"
        );
        assert!(problems.contains("https://"), "{problems}");
        assert!(!problems.contains("hush"), "{problems}");
    }
}

#[test]
fn possible_secrets_are_not_repeated() {
    for set in [
        "storage.endpoint=https://u:hunter2@h",
        "ip.ipinfo_url=https://ipinfo.io/?token=hunter2",
        "ip.ipinfo_url=https://ipinfo.io/#hunter2",
        "storage.secret_key:hunter2",
        "storage.secret_key hunter2",
        "storage.secret_key:hunter2=",
        "storage.secret_key hunter2=",
    ] {
        let problems = read("", &[set], None).err().unwrap_or_default();
        assert!(!problems.contains("hunter2"), "{problems}");
        let key = set.split([' ', ':', '=']).next().expect("a key");
        assert!(problems.contains(key), "{problems}");
    }
}

#[test]
fn lent_tokens_are_not_among_the_settings() {
    let variables = [
        "PORCHLIGHT_ADMIN_TOKEN",
        "PORCHLIGHT_HEARTBEAT_TOKEN",
        "PORCHLIGHT_PRESENCE_TOKEN",
        "HOME",
    ];
    let given = variables.map(|name| (OsString::from(name), OsString::from("hush")));
    let kept: Vec<String> = super::layers::settings_among(given)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(kept, ["PORCHLIGHT_PRESENCE_TOKEN"]);
}

#[test]
fn no_secret_is_in_the_debug_output() {
    let secret = "hush".repeat(8);
    let file: String = super::meta::secrets()
        .map(|key| format!("{key} = '{secret}'\n"))
        .collect();
    let settings = read(&file, &[], None).expect("settings");
    assert!(!format!("{settings:?}").contains("hush"));
}

#[test]
fn the_list_of_settings_in_the_documentation_is_whole() {
    let page = include_str!("../../../../docs/settings.md");
    let listed: std::collections::BTreeSet<String> = page
        .lines()
        .filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned()))
        .collect();
    let known = super::meta::keys().map(str::to_owned).collect();
    assert_eq!(listed, known);
}
