//! Settings as the window changes them.

use std::path::Path;

use serde_json::json;

use super::*;
use crate::settings::meta;
use crate::settings::window::SettingProblem;
use crate::testing::{full, host};

fn changes(of: Value) -> Changes {
    serde_json::from_value(of).expect("changes")
}

fn written(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("settings.toml")).unwrap_or_default()
}

fn keys(problems: &[SettingProblem]) -> Vec<&str> {
    problems
        .iter()
        .map(|problem| problem.key.as_str())
        .collect()
}

#[tokio::test]
async fn all_changes_are_written_or_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "# mine\n[images]\nquality = 70 # fine\n";
    std::fs::write(folder.path().join("settings.toml"), file).expect("to write");
    let host = host(folder.path(), &[]).await;
    let wrong = changes(json!({
        "images.quality": 500, "server.greetin": "x", "app.theme": "dark",
    }));
    assert_eq!(keys(&host.store().check(&wrong)), ["server.greetin"]);
    let wrong = changes(json!({ "images.quality": 500, "app.theme": "dark" }));
    for problems in [
        host.store().check(&wrong),
        host.store().change(&wrong).await.expect("an answer"),
    ] {
        assert_eq!(keys(&problems), ["images.quality"]);
        assert!(
            problems[0]
                .why
                .to_string()
                .starts_with("500 is out of bounds"),
            "{problems:?}"
        );
    }
    let contradiction = changes(json!({ "images.delivery": "redirect" }));
    let problems = host.store().check(&contradiction);
    assert_eq!(keys(&problems), ["images.delivery"; 2]);
    assert_eq!(written(folder.path()), file);

    let right = changes(json!({
        "images.quality": 60, "presence.rules": [{ "program": "a", "hide": true }],
    }));
    assert_eq!(host.store().check(&right), []);
    assert_eq!(host.store().change(&right).await, Ok(Vec::new()));
    let after = written(folder.path());
    assert!(
        after.starts_with("# mine\n[images]\nquality = 60 # fine\n"),
        "{after}"
    );
    assert_eq!(host.settings().images.quality, 60);
    let unset = changes(json!({ "images.quality": null }));
    assert_eq!(host.store().change(&unset).await, Ok(Vec::new()));
    assert_eq!(host.settings().images.quality, 80);
    host.stop().await;
}

#[tokio::test]
async fn a_file_that_cannot_be_started_is_refused_when_it_is_chosen() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = host(folder.path(), &[]).await;
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "no program").expect("to write");
    for (chosen, why) in [
        (folder.path().join("gone"), "there is no file"),
        (folder.path().to_owned(), "is a folder"),
        #[cfg(unix)]
        (text, "may not be started"),
        ("cloudflared".into(), "no full path"),
    ] {
        let chosen = changes(json!({ "tunnel.program": chosen }));
        for problems in [
            host.store().check(&chosen),
            host.store().change(&chosen).await.expect("an answer"),
        ] {
            assert_eq!(keys(&problems), ["tunnel.program"]);
            assert!(problems[0].why.to_string().contains(why), "{problems:?}");
        }
    }
    assert!(!written(folder.path()).contains("program"));
    let own = std::env::current_exe().expect("this program");
    let own = changes(json!({ "tunnel.program": own }));
    assert_eq!(host.store().check(&own), []);
    host.stop().await;
}

#[tokio::test]
async fn no_secret_is_in_an_answer() {
    let mark = "marked-for-this-test-and-for-no-other";
    let folder = tempfile::tempdir().expect("a folder");
    let host = host(folder.path(), &[]).await;
    let set = |value: Value| {
        let all = meta::secrets().map(|key| (key.to_owned(), value.clone()));
        all.collect::<Changes>()
    };
    // Wrong in its type, and in what it asks of other keys.
    let mut wrong = set(json!({ "a": mark }));
    let answer = format!("{:?}", host.store().check(&wrong));
    assert!(
        answer.contains("it must be a text") && !answer.contains(mark),
        "{answer}"
    );
    let answer = format!("{:?}", host.store().check(&set(json!(-31_415_926))));
    assert!(
        answer.contains("it must be a text") && !answer.contains("31415926"),
        "{answer}"
    );
    wrong = set(json!(mark));
    wrong.insert("presence.target_url".into(), json!("http://other.example"));
    let answer = format!("{:?}", host.store().check(&wrong));
    assert!(
        answer.contains("presence.target_url") && !answer.contains(mark),
        "{answer}"
    );
    assert_eq!(host.store().change(&set(json!(mark))).await, Ok(Vec::new()));
    let rows = host.store().rows();
    let secrets: Vec<_> = rows.iter().filter(|row| row.secret).collect();
    assert!(secrets.len() == meta::secrets().count() && secrets.iter().all(|row| row.set));
    for row in secrets {
        assert!(row.value.is_null() && row.default.is_null(), "{}", row.key);
    }
    assert_eq!(rows.len(), meta::SETTINGS.len());
    assert!(!format!("{rows:?}").contains(mark));
    host.stop().await;
}

#[tokio::test]
async fn what_admits_others_sends_elsewhere_or_runs_needs_approval() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = host(folder.path(), &[]).await;
    let asked = |of: Value| host.store().approvals_for(&changes(of));
    let public = |key: &str, value: Option<&str>| Approval::Public {
        key: key.to_owned(),
        value: value.map(str::to_owned),
    };
    let program = full("/opt/cloudflared");
    for (key, value) in [
        ("server.listen", "0.0.0.0:4780"),
        ("server.listen", "[::]:80"),
        ("server.public_url", "https://a.example"),
        ("server.client_ip", "x-forwarded-for"),
        ("edge.url", "https://a.example"),
        ("tunnel.kind", "cloudflared"),
        ("tunnel.hostname", "a.example"),
        ("tunnel.ssh_host", "me@a"),
        ("picgo.secret", ""),
    ] {
        assert_eq!(asked(json!({ key: value })), [public(key, Some(value))]);
    }
    let proxies = public("server.trusted_proxies", Some("::1, 10.0.0.0/8"));
    assert_eq!(
        asked(json!({ "server.trusted_proxies": ["::1", "10.0.0.0/8"] })),
        [proxies]
    );
    for secret in ["edge.secret", "tunnel.cloudflared_token"] {
        assert_eq!(asked(json!({ secret: "x" })), [public(secret, None)]);
    }
    for (key, value) in [("storage.bucket", Some("x")), ("storage.access_key", None)] {
        let elsewhere = Approval::Elsewhere {
            key: key.to_owned(),
            value: value.map(str::to_owned),
        };
        assert_eq!(asked(json!({ key: "x" })), [elsewhere]);
    }
    let runs = Approval::Program(vec![program.clone()]);
    let both = json!({ "tunnel.kind": "cloudflared", "tunnel.program": program });
    assert_eq!(
        asked(both),
        [public("tunnel.kind", Some("cloudflared")), runs]
    );
    for harmless in [
        json!({ "server.listen": "127.0.0.1:80" }),
        json!({ "server.listen": "[::ffff:127.0.0.1]:80" }),
        json!({ "server.client_ip": "peer" }),
        json!({ "server.trusted_proxies": ["127.0.0.0/8"] }),
        json!({ "server.public_url": null }),
        json!({ "tunnel.kind": "none" }),
        json!({ "tunnel.program": "" }),
        json!({ "tunnel.command": null }),
        json!({ "storage.storage_url": null }),
        json!({ "picgo.enabled": true }),
        json!({ "picgo.secret": "mine" }),
        json!({ "picgo.secret": null }),
        json!({ "watch.folders": [full("/a")], "watch.after": "trash" }),
        json!({ "blog.folders": [full("/a")] }),
        json!({ "update.url": "https://a.example/latest.json" }),
    ] {
        assert_eq!(asked(harmless.clone()), [], "{harmless}");
    }
    let token = json!({ "tunnel.cloudflared_token": "old" });
    assert_eq!(
        host.store().change(&changes(token.clone())).await,
        Ok(Vec::new())
    );
    assert_eq!(asked(token), []);
    host.stop().await;
}

#[tokio::test]
async fn changes_that_need_approval_are_asked_about_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = host(folder.path(), &["tunnel.port=0"]).await;
    let command = json!(["bore", "local", "{port}"]);
    let wanted = changes(json!({
        "tunnel.command": command, "tunnel.pattern": "(https://x)",
        "game.steam_api_url": "https://steam.example", "images.quality": 5,
        "storage.endpoint": "https://store.example/a",
    }));
    let elsewhere = |key: &str, address: &str| Approval::Elsewhere {
        key: key.to_owned(),
        value: Some(address.to_owned()),
    };
    let words = ["bore", "local", "{port}"].map(str::to_owned).to_vec();
    assert_eq!(
        host.store().approvals_for(&wanted),
        [
            elsewhere("game.steam_api_url", "https://steam.example"),
            elsewhere("storage.endpoint", "https://store.example/a"),
            Approval::Program(words),
        ]
    );
    assert_eq!(host.store().change(&wanted).await, Ok(Vec::new()));
    assert_eq!(host.store().approvals_for(&wanted), []);
    let same_host = changes(json!({ "storage.endpoint": "https://store.example/b" }));
    assert_eq!(host.store().approvals_for(&same_host), []);
    for other in ["http://store.example/a", "https://store.example:444"] {
        let other = changes(json!({ "storage.endpoint": other }));
        assert_eq!(host.store().approvals_for(&other).len(), 1, "{other:?}");
    }
    let unset = changes(json!({ "tunnel.command": null, "ip.ipinfo_url": null }));
    assert_eq!(host.store().approvals_for(&unset), []);
    let own = changes(json!({ "ip.ipinfo_url": "https://ipinfo.io" }));
    assert_eq!(host.store().approvals_for(&own), []);
    host.stop().await;
}
