//! Settings as the window changes them.

use std::path::Path;

use porchlight_test_harness::free_port;
use serde_json::json;

use super::*;
use crate::settings::meta;
use crate::testing::{full, host};
use porchlight_api::window::SettingProblem;

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
async fn a_pending_restart_ends_when_the_setting_is_changed_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = host(folder.path(), &[]).await;
    let change = async |of| host.store().change(&changes(of)).await.expect("taken");
    assert!(!host.store().needs_restart());
    for (key, value) in [
        ("server.greeting", json!("hello")),
        ("ip.ipinfo_token", json!("a secret")),
        ("presence.history_days", json!(5)),
    ] {
        assert_eq!(change(json!({ key: value })).await, []);
        assert!(host.store().needs_restart(), "{key}");
        assert_eq!(change(json!({ key: null })).await, []);
        assert!(!host.store().needs_restart(), "{key}");
    }
    assert_eq!(change(json!({ "presence.interval_seconds": 7 })).await, []);
    assert!(!host.store().needs_restart());
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
        answer.contains("MustBeText") && !answer.contains(mark),
        "{answer}"
    );
    let answer = format!("{:?}", host.store().check(&set(json!(-31_415_926))));
    assert!(
        answer.contains("MustBeText") && !answer.contains("31415926"),
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
async fn public_access_stores_and_folders_need_approval() {
    let folder = tempfile::tempdir().expect("a folder");
    let [old, chosen, added, program] = ["/old", "/chosen", "/added", "/opt/cloudflared"].map(full);
    let file = format!("[watch]\nfolders = ['{old}']\n[tunnel]\ncommand = ['bore']\n");
    std::fs::write(folder.path().join("settings.toml"), file).expect("to write");
    let host = host(folder.path(), &[]).await;
    let dialog = BTreeSet::from([chosen.clone()]);
    let asked = |of: Value| host.store().approvals_for(&changes(of), &dialog);
    let way = |key: &str, value: &str| Approval::PublicAccess {
        key: key.to_owned(),
        value: Some(value.to_owned()),
    };
    let ssh = json!({ "tunnel.kind": "ssh", "tunnel.ssh_host": "me@a" });
    assert_eq!(asked(ssh), [way("tunnel.ssh_host", "me@a")]);
    let started = json!({ "tunnel.kind": "command" });
    assert_eq!(asked(started), [Approval::Program(vec!["bore".to_owned()])]);
    let runs = Approval::Program(vec![program.clone()]);
    let only = json!({ "tunnel.program": program });
    assert_eq!(asked(only), std::slice::from_ref(&runs));
    assert_eq!(asked(json!({ "tunnel.program": "" })), []);
    let both = json!({ "tunnel.kind": "cloudflared", "tunnel.program": program });
    assert_eq!(asked(both), [Approval::QuickTunnel, runs]);
    let account = [Approval::PublicAccess {
        key: "tunnel.cloudflared_token".to_owned(),
        value: None,
    }];
    assert_eq!(asked(json!({ "tunnel.cloudflared_token": "x" })), account);
    let named = json!({ "tunnel.kind": "cloudflared", "tunnel.cloudflared_token": "x" });
    assert_eq!(asked(named), account);
    for beyond in ["0.0.0.0:4780", "[::]:80", "192.168.1.2:4780"] {
        let question = [Approval::Listen(beyond.to_owned())];
        assert_eq!(asked(json!({ "server.listen": beyond })), question);
    }
    for here in [
        "127.0.0.1:80",
        "[::1]:80",
        "[::ffff:127.0.0.1]:80",
        "nowhere",
    ] {
        assert_eq!(asked(json!({ "server.listen": here })), [], "{here}");
    }
    let caller = |header: &str| asked(json!({ "server.client_ip": header }));
    let header = "x-forwarded-for".to_owned();
    assert_eq!(caller(&header), [Approval::Caller(header.clone())]);
    assert_eq!(caller("peer"), []);
    let proxies = |list: Value| asked(json!({ "server.trusted_proxies": list }));
    let new = [Approval::Proxies(vec!["10.0.0.0/8".to_owned()])];
    assert_eq!(proxies(json!(["::1", "10.0.0.0/8"])), new);
    assert_eq!(proxies(json!(["127.0.0.0/8"])), []);
    for (key, value) in [
        ("tunnel.hostname", "a.example"),
        ("tunnel.public_url", "https://a.example"),
        ("server.public_url", "https://a.example"),
    ] {
        assert_eq!(asked(json!({ key: value })), [way(key, value)]);
    }
    let secret = Approval::Elsewhere {
        key: "storage.access_key".to_owned(),
        address: None,
    };
    assert_eq!(asked(json!({ "storage.access_key": "x" })), [secret]);
    assert_eq!(asked(json!({ "storage.bucket": "x" })).len(), 1);
    let folders = json!({ "watch.folders": [old, chosen, added] });
    assert_eq!(asked(folders), [Approval::Folder(added)]);
    assert_eq!(asked(json!({ "watch.folders": [chosen] })), []);
    for (after, times) in [("trash", 1), ("archive", 1), ("keep", 0)] {
        assert_eq!(asked(json!({ "watch.after": after })).len(), times);
    }
    let token = json!({ "tunnel.cloudflared_token": "old" });
    assert_eq!(host.store().change(&changes(token)).await, Ok(Vec::new()));
    assert_eq!(asked(json!({ "tunnel.cloudflared_token": "old" })), []);
    assert_eq!(asked(json!({ "tunnel.cloudflared_token": "new" })), account);
    assert_eq!(asked(json!({ "tunnel.kind": "cloudflared" })), account);
    let address = json!({ "server.public_url": "https://a.example/one" });
    assert_eq!(host.store().change(&changes(address)).await, Ok(Vec::new()));
    assert_eq!(
        asked(json!({ "server.public_url": "https://a.example/two" })),
        []
    );
    assert_eq!(asked(json!({ "server.public_url": null })), []);
    host.stop().await;
}

#[tokio::test]
async fn a_quick_tunnel_is_asked_about_whatever_makes_it_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = host(folder.path(), &[]).await;
    let asked = |of: Value| host.store().approvals_for(&changes(of), &BTreeSet::new());
    let quick = json!({ "tunnel.kind": "cloudflared" });
    assert_eq!(asked(quick), [Approval::QuickTunnel]);
    assert_eq!(asked(json!({ "tunnel.kind": "none" })), []);

    let token = json!({ "tunnel.kind": "cloudflared", "tunnel.cloudflared_token": "x" });
    assert!(!asked(token).contains(&Approval::QuickTunnel));

    let named = tempfile::tempdir().expect("a folder");
    let port = free_port();
    let file = format!(
        "[tunnel]\nkind = 'cloudflared'\ncloudflared_token = 'x'\nhostname = 'a.example'\n\
         port = {port}\nprogram = '{}'\n",
        full("/nowhere")
    );
    std::fs::write(named.path().join("settings.toml"), file).expect("to write");
    let named = crate::testing::host(named.path(), &[]).await;
    for none in [json!(null), json!("")] {
        let unnamed = json!({ "tunnel.cloudflared_token": none, "tunnel.hostname": null });
        let asked = named
            .store()
            .approvals_for(&changes(unnamed), &BTreeSet::new());
        assert!(asked.contains(&Approval::QuickTunnel), "{asked:?}");
    }
    named.stop().await;
    host.stop().await;
}

#[tokio::test]
async fn redirecting_readers_editors_and_the_source_of_updates_need_approval() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = host(folder.path(), &[]).await;
    let asked = |of: Value| host.store().approvals_for(&changes(of), &BTreeSet::new());
    let store = "https://cdn.example/a".to_owned();
    let readers = [Approval::Readers(store.clone())];
    assert_eq!(asked(json!({ "storage.storage_url": store })), readers);
    assert_eq!(asked(json!({ "storage.storage_url": null })), []);

    let updates = |key: &str, value: &str| Approval::Updates {
        key: key.to_owned(),
        value: value.to_owned(),
    };
    let url = "https://a.example/latest.json";
    let asks = [updates("update.url", url)];
    assert_eq!(asked(json!({ "update.url": url })), asks);
    let asks = [updates("update.public_key", "RW")];
    assert_eq!(asked(json!({ "update.public_key": "RW" })), asks);
    assert_eq!(asked(json!({ "update.url": null })), []);

    let on = json!({ "picgo.enabled": true });
    assert_eq!(asked(on.clone()), [Approval::Editors]);
    assert_eq!(asked(json!({ "picgo.enabled": false })), []);
    assert_eq!(asked(json!({ "picgo.secret": "mine" })), []);
    let none = json!({ "picgo.secret": "" });
    assert_eq!(asked(none.clone()), [Approval::NoSecret]);
    let both = json!({ "picgo.enabled": true, "picgo.secret": "" });
    assert_eq!(asked(both), [Approval::NoSecret]);
    // A saved value needs approval when it is switched on.
    assert_eq!(
        host.store().change(&changes(none.clone())).await,
        Ok(Vec::new())
    );
    assert_eq!(asked(none), []);
    assert_eq!(asked(on), [Approval::NoSecret]);
    assert_eq!(asked(json!({ "picgo.secret": null })), []);
    host.stop().await;

    // While editors are let in, every other secret is asked about.
    let listening = tempfile::tempdir().expect("a folder");
    let port = free_port();
    let file = format!("[picgo]\nenabled = true\nport = {port}\nsecret = 'mine'\n");
    std::fs::write(listening.path().join("settings.toml"), file).expect("to write");
    let listening = crate::testing::host(listening.path(), &[]).await;
    let asked = |secret: Value| {
        let changes = changes(json!({ "picgo.secret": secret }));
        listening.store().approvals_for(&changes, &BTreeSet::new())
    };
    assert_eq!(asked(json!("mine")), []);
    assert_eq!(asked(json!("another")), [Approval::Editors]);
    assert_eq!(asked(json!(null)), [Approval::Editors]);
    assert_eq!(asked(json!("")), [Approval::NoSecret]);
    listening.stop().await;
}

#[tokio::test]
async fn changes_that_need_approval_are_asked_about_once() {
    let none = BTreeSet::new();
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
        address: Some(address.to_owned()),
    };
    let words = ["bore", "local", "{port}"].map(str::to_owned).to_vec();
    assert_eq!(
        host.store().approvals_for(&wanted, &none),
        [
            elsewhere("game.steam_api_url", "https://steam.example"),
            elsewhere("storage.endpoint", "https://store.example/a"),
            Approval::Program(words),
            Approval::Pattern("(https://x)".to_owned()),
        ]
    );
    assert_eq!(host.store().change(&wanted).await, Ok(Vec::new()));
    assert_eq!(host.store().approvals_for(&wanted, &none), []);
    let same_host = changes(json!({ "storage.endpoint": "https://store.example/b" }));
    assert_eq!(host.store().approvals_for(&same_host, &none), []);
    for other in ["http://store.example/a", "https://store.example:444"] {
        let other = changes(json!({ "storage.endpoint": other }));
        assert_eq!(
            host.store().approvals_for(&other, &none).len(),
            1,
            "{other:?}"
        );
    }
    let unset = changes(json!({ "tunnel.command": null, "ip.ipinfo_url": null }));
    assert_eq!(host.store().approvals_for(&unset, &none), []);
    let own = changes(json!({ "ip.ipinfo_url": "https://ipinfo.io" }));
    assert_eq!(host.store().approvals_for(&own, &none), []);
    host.stop().await;
}

#[tokio::test]
async fn earlier_values_need_approval_even_when_the_file_is_gone() {
    let none = BTreeSet::new();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("settings.toml");
    std::fs::write(&file, "[tunnel]\ncommand = ['bore']\n").expect("to write");
    let host = host(folder.path(), &[]).await;
    std::fs::remove_file(&file).expect("to remove");
    // A change would write all of it again.
    assert_eq!(
        host.store()
            .approvals_for(&changes(json!({ "tunnel.kind": "command" })), &none),
        [Approval::Program(vec!["bore".to_owned()])]
    );
    host.stop().await;
}
