//! `porchlight edge deploy`, `remove` and `new-key` against a stand-in for Cloudflare on loopback.
//! Nothing here calls Cloudflare.
#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::process::Stdio;

use harness::cloudflare::{ACCOUNT, FakeCloudflare, TOKEN};
use harness::edge::Edge;
use harness::process::{Ended, RunningProcess, clean_command};
use porchlight_test_harness as harness;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

const URL: &str = "https://light.blog.workers.dev";

/// An account at Cloudflare, and a machine without Porchlight.
struct Blog {
    cloud: FakeCloudflare,
    edge: Edge,
    home: TempDir,
}

impl Blog {
    async fn start() -> Self {
        Self::at("light.blog.workers.dev").await
    }

    /// With a Worker that readers find under this name.
    async fn at(host: &str) -> Self {
        let cloud = FakeCloudflare::start().await;
        let edge = Edge::of(host).await;
        edge.connect(host, cloud.port());
        let home = tempfile::tempdir().expect("a folder");
        std::fs::write(home.path().join("authority.pem"), &edge.authority).expect("a file");
        Self { cloud, edge, home }
    }

    /// `porchlight edge` with these words, without a token.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), self.home.path());
        command
            .arg("--data-dir")
            .arg(self.home.path().join("data"))
            .args(["--set", &self.cloud.setting()])
            .arg("edge")
            .args(words)
            .env_remove("CLOUDFLARE_API_TOKEN")
            .env("HTTPS_PROXY", self.edge.proxy())
            .env("NO_PROXY", "127.0.0.1")
            .env("SSL_CERT_FILE", self.home.path().join("authority.pem"));
        command
    }

    fn spawn(&self, token: &str, words: &[&str]) -> RunningProcess {
        let mut command = self.command(words);
        command.env("CLOUDFLARE_API_TOKEN", token);
        RunningProcess::spawn(command)
    }

    /// Runs it with the token in the environment; the token is never printed.
    async fn run(&self, words: &[&str]) -> Ended {
        let ended = self.spawn(TOKEN, words).ended().await;
        self.shows_no_token(&ended);
        ended
    }

    /// Runs it, with success.
    async fn succeeds(&self, words: &[&str]) -> Ended {
        let ended = self.run(words).await;
        assert_eq!(ended.status.code(), Some(0), "{words:?}: {ended:?}");
        ended
    }

    /// Runs it; it fails with this on standard error, and no setting is changed.
    async fn fails(&self, words: &[&str], why: &str) {
        let before = self.settings();
        let ended = self.run(words).await;
        assert_eq!(ended.status.code(), Some(1), "{words:?}: {ended:?}");
        assert!(ended.stderr.contains(why), "{why}: {}", ended.stderr);
        assert_eq!(ended.stdout, "");
        assert_eq!(self.settings(), before);
    }

    fn shows_no_token(&self, ended: &Ended) {
        let secret = self.cloud.read(|cloud| cloud.binding("EDGE_SECRET"));
        let secret = secret.as_ref().and_then(|binding| binding["text"].as_str());
        for hidden in [Some(TOKEN), secret].into_iter().flatten() {
            let is_shown = ended.stdout.contains(hidden) || ended.stderr.contains(hidden);
            assert!(!is_shown, "{ended:?}");
        }
        assert!(!self.settings().contains(TOKEN));
    }

    fn settings_file(&self) -> PathBuf {
        self.home.path().join("data/settings.toml")
    }

    fn settings(&self) -> String {
        std::fs::read_to_string(self.settings_file()).unwrap_or_default()
    }

    /// `edge.url`, `edge.secret` and `storage.kind`.
    fn chosen(&self) -> [Option<String>; 3] {
        let settings: toml::Table = self.settings().parse().expect("TOML");
        let value = |section: &str, key: &str| {
            let value = settings.get(section)?.get(key)?.as_str()?;
            Some(value.to_owned())
        };
        [
            value("edge", "url"),
            value("edge", "secret"),
            value("storage", "kind"),
        ]
    }

    fn binding(&self, name: &str) -> Value {
        let binding = self.cloud.read(|cloud| cloud.binding(name));
        binding.unwrap_or_else(|| panic!("no binding {name}"))
    }

    fn changes(&self) -> Vec<String> {
        self.cloud.read(|cloud| cloud.changes.clone())
    }
}

fn parsed(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).expect("JSON")
}

#[tokio::test]
async fn a_token_is_enough_and_a_second_run_updates_in_place() {
    let blog = Blog::start().await;
    let ended = blog.succeeds(&["deploy", "--json"]).await;
    let expected = json!({ "url": URL, "store": "durable-object", "updated": false });
    assert_eq!(parsed(&ended), expected);
    let key = blog.binding("EDGE_SECRET")["text"]
        .as_str()
        .expect("a key")
        .to_owned();
    let expected = [
        Some(URL.to_owned()),
        Some(key.clone()),
        Some("edge".to_owned()),
    ];
    assert_eq!(blog.chosen(), expected);
    assert_eq!(
        blog.binding("PORCHLIGHT_WORKER")["text"],
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(blog.binding("CLIENT_IP_HEADER")["text"], "CF-Connecting-IP");
    assert_eq!(blog.binding("STORE")["class_name"], "Store");
    let record = std::fs::read_to_string(blog.home.path().join("data/edge.json"));
    let record: Value = serde_json::from_str(&record.expect("a file")).expect("JSON");
    assert_eq!(record["worker"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(record["worker"]["url"], URL);
    assert!(
        blog.cloud
            .read(|cloud| cloud.route && cloud.binding("BUCKET").is_none())
    );

    let ended = blog.succeeds(&["deploy"]).await;
    assert!(
        ended.stdout.contains("updated from version"),
        "{}",
        ended.stdout
    );
    assert_eq!(
        blog.binding("EDGE_SECRET")["text"],
        key,
        "secrets are sent again"
    );
    assert_eq!(blog.chosen(), expected);
    let ended = blog.succeeds(&["deploy", "--json"]).await;
    assert_eq!(parsed(&ended)["updated"], true);
}

#[tokio::test]
async fn a_store_from_before_is_kept_where_a_migration_is_refused() {
    let blog = Blog::start().await;
    blog.cloud.change(|cloud| cloud.migrated = true);
    blog.succeeds(&["deploy"]).await;
    let metadata = blog
        .cloud
        .read(|cloud| cloud.worker.clone())
        .expect("a Worker");
    assert_eq!(metadata.get("migrations"), None);
}

#[tokio::test]
async fn the_token_is_read_from_standard_input_and_must_be_there() {
    let blog = Blog::start().await;
    for (input, code) in [(format!("{TOKEN}\n"), 0), (" \n".to_owned(), 2)] {
        let mut child = blog
            .command(&["deploy"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("a process");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(input.as_bytes()).await.expect("to write");
        drop(stdin);
        let output = child.wait_with_output().await.expect("it ends");
        let ended = Ended {
            status: output.status,
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        blog.shows_no_token(&ended);
        assert_eq!(ended.status.code(), Some(code), "{ended:?}");
    }
}

#[tokio::test]
async fn a_dry_run_changes_nothing() {
    let blog = Blog::start().await;
    blog.cloud.change(|cloud| {
        cloud.subdomain = None;
        cloud.buckets = Some(Vec::new());
    });
    let words = ["deploy", "--check", "--r2", "--subdomain", "blog"];
    let ended = blog.succeeds(&words).await;
    for line in [
        "take the name blog",
        "make a bucket",
        "make the Worker light",
        URL,
    ] {
        assert!(ended.stdout.contains(line), "{line}: {}", ended.stdout);
    }
    let ended = blog.succeeds(&["deploy", "--check", "--json"]).await;
    let expected = json!({ "url": null, "store": "durable-object", "updated": false });
    assert_eq!(parsed(&ended), expected);
    assert_eq!(blog.changes(), [""; 0]);
    assert!(!blog.home.path().join("data").exists());
}

#[tokio::test]
async fn a_token_that_is_none_or_of_an_account_is_recognised() {
    let blog = Blog::start().await;
    let ended = blog.spawn("a-global-api-key", &["deploy"]).ended().await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(
        ended.stderr.contains("does not accept the token"),
        "{ended:?}"
    );
    assert!(!ended.stderr.contains("a-global-api-key"), "{ended:?}");

    // It may not list accounts.
    blog.cloud.change(|cloud| {
        cloud.account_token = true;
        cloud.accounts.clear();
    });
    blog.fails(&["deploy"], "name the account with --account")
        .await;
    blog.succeeds(&["deploy", "--account", ACCOUNT]).await;
}

#[tokio::test]
async fn an_account_is_named_where_the_token_does_not_say_which() {
    let blog = Blog::start().await;
    blog.cloud.change(|cloud| cloud.accounts.clear());
    blog.fails(&["deploy"], "lists no account").await;
    let other = "fedcba9876543210fedcba9876543210";
    blog.cloud
        .change(|cloud| cloud.accounts = vec![(ACCOUNT, "Blog"), (other, "Work")]);
    blog.fails(&["deploy"], &format!("{other} (Work)")).await;
    assert_eq!(blog.changes(), [""; 0]);
    blog.succeeds(&["deploy", "--account", ACCOUNT]).await;
}

#[tokio::test]
async fn each_refusal_says_what_to_do() {
    let blog = Blog::start().await;
    blog.cloud.change(|cloud| cloud.may_edit = false);
    blog.fails(&["deploy"], "Workers Scripts: Edit").await;
    blog.cloud
        .change(|cloud| (cloud.may_edit, cloud.email_verified) = (true, false));
    blog.fails(&["deploy"], "e-mail address").await;
    blog.cloud.change(|cloud| cloud.email_verified = true);
    blog.fails(&["deploy", "--r2"], "R2 is not switched on")
        .await;
    // The bucket of an earlier set-up was deleted in the dashboard.
    let worker = json!({ "bindings": [
        { "type": "plain_text", "name": "PORCHLIGHT_WORKER", "text": "0.1.0" },
        { "type": "r2_bucket", "name": "BUCKET", "bucket_name": "porchlight" },
    ] });
    let settings = "edge.secret = '00000000000000000000000000000000'\n";
    std::fs::write(blog.settings_file(), settings).expect("settings");
    blog.cloud.change(|cloud| cloud.worker = Some(worker));
    blog.fails(&["deploy"], "bucket of the Worker is missing")
        .await;
    blog.cloud.change(|cloud| cloud.worker = None);
    blog.cloud.change(|cloud| cloud.subdomain = None);
    blog.fails(&["deploy", "--subdomain", "taken"], "--subdomain")
        .await;
    blog.cloud.change(|cloud| cloud.busy = true);
    blog.fails(&["deploy"], "five minutes").await;
    let worker = blog.cloud.read(|cloud| cloud.worker.clone());
    assert_eq!(worker, None);
}

#[tokio::test]
async fn an_account_without_a_name_at_workers_dev_gets_one() {
    let blog = Blog::start().await;
    blog.cloud.change(|cloud| cloud.subdomain = None);
    // Nobody can be asked, and the name is random, so no address of this test answers.
    let ended = blog.succeeds(&["deploy", "--no-wait", "--json"]).await;
    let name = blog
        .cloud
        .read(|cloud| cloud.subdomain.clone())
        .expect("a name");
    let letters = name.strip_prefix("light-").expect("a random name");
    assert!(letters.len() == 6 && letters.bytes().all(|byte| byte.is_ascii_lowercase()));
    let url = format!("https://light.{name}.workers.dev");
    assert_eq!(parsed(&ended)["url"], url);
    assert_eq!(blog.chosen()[0], Some(url));

    let blog = Blog::start().await;
    blog.cloud.change(|cloud| cloud.subdomain = None);
    blog.succeeds(&["deploy", "--subdomain", "blog"]).await;
    assert_eq!(blog.chosen()[0].as_deref(), Some(URL));
}

#[tokio::test]
async fn settings_change_only_once_the_address_has_proved_itself() {
    let blog = Blog::start().await;
    blog.cloud.change(|cloud| cloud.answers = false);
    let waiting = blog.spawn(TOKEN, &["deploy"]);
    blog.cloud.until(|cloud| cloud.proofs >= 2).await;
    assert_eq!(blog.settings(), "");
    blog.cloud.change(|cloud| cloud.answers = true);
    let ended = waiting.ended().await;
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(ended.stderr.contains("Not yet"), "{}", ended.stderr);
    assert_eq!(blog.chosen()[0].as_deref(), Some(URL));

    // Where it is stopped before, nothing has changed either.
    let blog = Blog::start().await;
    blog.cloud.change(|cloud| cloud.answers = false);
    let mut waiting = blog.spawn(TOKEN, &["deploy"]);
    blog.cloud.until(|cloud| cloud.proofs >= 1).await;
    waiting.terminate();
    waiting.wait().await;
    assert_eq!(blog.settings(), "");
}

#[tokio::test]
async fn an_address_whose_day_is_spent_is_waited_for_and_says_so() {
    let blog = Blog::start().await;
    blog.cloud.change(|cloud| cloud.spent = true);
    let waiting = blog.spawn(TOKEN, &["deploy"]);
    blog.cloud.until(|cloud| cloud.proofs >= 2).await;
    assert_eq!(blog.settings(), "");
    blog.cloud.change(|cloud| cloud.spent = false);
    let ended = waiting.ended().await;
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    let why = "the free plan's limit of the day is reached: it works again from 20";
    let said = ended.stderr.replace('’', "'");
    assert!(said.contains(why), "{}", ended.stderr);
}

#[tokio::test]
async fn a_worker_from_before_its_store_gets_one() {
    let blog = Blog::start().await;
    let secret = "0".repeat(64);
    let worker = json!({ "bindings": [
        { "type": "plain_text", "name": "PORCHLIGHT_WORKER", "text": "0.1.0" },
        { "type": "secret_text", "name": "EDGE_SECRET", "text": secret },
    ] });
    blog.cloud.change(|cloud| cloud.worker = Some(worker));
    std::fs::create_dir(blog.home.path().join("data")).expect("a folder");
    let settings = format!("edge.url = '{URL}'\nedge.secret = '{secret}'\n");
    std::fs::write(blog.settings_file(), settings).expect("settings");
    let ended = blog.succeeds(&["deploy", "--json"]).await;
    assert_eq!(parsed(&ended)["updated"], true);
    let metadata = blog.cloud.read(|cloud| cloud.worker.clone());
    assert_eq!(metadata.expect("a Worker")["migrations"]["new_tag"], "v1");
    assert_eq!(blog.binding("EDGE_SECRET")["text"], secret);
    let url = Some(URL.to_owned());
    assert_eq!(blog.chosen(), [url, Some(secret), Some("edge".to_owned())]);
}

#[tokio::test]
async fn a_worker_that_is_not_porchlights_is_left_alone() {
    let blog = Blog::start().await;
    let theirs = json!({ "bindings": [{ "type": "plain_text", "name": "MINE", "text": "1" }] });
    blog.cloud
        .change(|cloud| cloud.worker = Some(theirs.clone()));
    for words in [&["deploy"][..], &["remove", "--yes"], &["new-key"]] {
        blog.fails(words, "did not deploy").await;
    }
    assert_eq!(blog.cloud.read(|cloud| cloud.worker.clone()), Some(theirs));
    assert_eq!(blog.changes(), [""; 0]);
}

#[tokio::test]
async fn a_bucket_is_made_once_and_stays_bound() {
    let blog = Blog::start().await;
    blog.cloud.change(|cloud| cloud.buckets = Some(Vec::new()));
    let ended = blog.succeeds(&["deploy", "--r2", "--json"]).await;
    assert_eq!(parsed(&ended)["store"], "r2");
    let buckets = blog.cloud.read(|cloud| cloud.buckets.clone());
    assert_eq!(buckets, Some(vec!["porchlight".to_owned()]));
    // Also by an update that does not mention it.
    let ended = blog.succeeds(&["deploy", "--json"]).await;
    assert_eq!(parsed(&ended)["store"], "r2");
    assert_eq!(blog.binding("BUCKET")["bucket_name"], "porchlight");
}

#[tokio::test]
async fn a_domain_is_the_address_and_needs_no_name_at_workers_dev() {
    let blog = Blog::at("light.example.org").await;
    blog.cloud.change(|cloud| cloud.subdomain = None);
    blog.succeeds(&["deploy", "--domain", "light.example.org"])
        .await;
    let domains = blog.cloud.read(|cloud| cloud.domains.clone());
    let expected = json!({ "hostname": "light.example.org", "service": "light" });
    assert_eq!(domains, [expected]);
    assert_eq!(
        blog.chosen()[0].as_deref(),
        Some("https://light.example.org")
    );
    assert!(!blog.cloud.read(|cloud| cloud.route));
}

#[tokio::test]
async fn a_new_key_is_replaced_at_both_ends_with_a_token_and_named_without() {
    let blog = Blog::start().await;
    blog.succeeds(&["deploy"]).await;
    let [_, old, _] = blog.chosen();
    blog.succeeds(&["new-key"]).await;
    let [url, new, _] = blog.chosen();
    assert_eq!(url.as_deref(), Some(URL));
    assert!(new != old);
    assert_eq!(blog.binding("EDGE_SECRET")["text"].as_str(), new.as_deref());

    let ended = RunningProcess::spawn(blog.command(&["new-key"]))
        .ended()
        .await;
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(ended.stdout.contains("EDGE_SECRET"), "{}", ended.stdout);
    let [_, third, _] = blog.chosen();
    assert!(third != new);
    assert_eq!(blog.binding("EDGE_SECRET")["text"].as_str(), new.as_deref());
}

#[tokio::test]
async fn a_deploy_that_ended_before_the_settings_changed_is_repaired_by_the_next() {
    for words in [&["deploy"][..], &["new-key"]] {
        let blog = Blog::start().await;
        // The first has no key yet, the second has one that the Worker loses.
        if words == ["new-key"] {
            blog.succeeds(&["deploy"]).await;
        }
        let before = blog.settings();
        let proofs = blog.cloud.read(|cloud| cloud.proofs);
        blog.cloud.change(|cloud| cloud.answers = false);
        let mut waiting = blog.spawn(TOKEN, words);
        blog.cloud.until(|cloud| cloud.proofs > proofs).await;
        waiting.kill();
        waiting.wait().await;
        assert_eq!(blog.settings(), before);
        let given = blog.binding("EDGE_SECRET")["text"].clone();
        assert_ne!(given.as_str(), blog.chosen()[1].as_deref());

        blog.cloud.change(|cloud| cloud.answers = true);
        blog.succeeds(&["deploy"]).await;
        // Neither the settings nor the Worker go back to what was to be replaced.
        assert_eq!(blog.binding("EDGE_SECRET")["text"], given);
        assert_eq!(blog.chosen()[1].as_deref(), given.as_str());
        let left = blog.home.path().join("data/edge-key.json");
        assert!(!left.exists());
        blog.succeeds(&["deploy"]).await;
        assert_eq!(blog.binding("EDGE_SECRET")["text"], given);
    }
}

#[tokio::test]
async fn nothing_is_deployed_where_the_settings_file_does_not_decide() {
    let blog = Blog::start().await;
    let key = "f".repeat(64);
    for (name, value) in [
        ("PORCHLIGHT_EDGE_URL", "https://other.example"),
        ("PORCHLIGHT_EDGE_SECRET", key.as_str()),
        ("PORCHLIGHT_STORAGE_KIND", "disk"),
    ] {
        for (token, words) in [(TOKEN, "deploy"), (TOKEN, "new-key"), ("", "new-key")] {
            blog.cloud.change(|cloud| {
                cloud.worker = None;
                cloud.migrated = false;
            });
            if words == "new-key" && !token.is_empty() {
                let ours =
                    json!({ "type": "plain_text", "name": "PORCHLIGHT_WORKER", "text": "1" });
                let worker = json!({ "bindings": [ours] });
                blog.cloud.change(|cloud| cloud.worker = Some(worker));
            }
            let mut command = blog.command(&[words]);
            command.env(name, value).env("CLOUDFLARE_API_TOKEN", token);
            let ended = RunningProcess::spawn(command).ended().await;
            if token.is_empty() && name != "PORCHLIGHT_EDGE_SECRET" {
                // Without a token only the key changes.
                assert_eq!(ended.status.code(), Some(0), "{ended:?}");
                std::fs::remove_file(blog.settings_file()).expect("settings");
                continue;
            }
            let ended_with = ended.status.code();
            assert_eq!(ended_with, Some(1), "{name} {words}: {ended:?}");
            let key = name.to_lowercase().replace("porchlight_", "");
            let key = key.replacen('_', ".", 1);
            assert!(ended.stderr.contains(&format!("`{key}`")), "{ended:?}");
            assert_eq!(blog.settings(), "");
            assert_eq!(blog.changes(), [""; 0]);
        }
    }
}

#[tokio::test]
async fn an_update_keeps_the_bindings_that_the_owner_added() {
    let blog = Blog::start().await;
    blog.succeeds(&["deploy"]).await;
    let own = [
        json!({ "type": "plain_text", "name": "ORIGIN", "text": "https://home.example" }),
        json!({ "type": "kv_namespace", "name": "MINE", "namespace_id": "1" }),
        json!({ "type": "secret_text", "name": "HUSH", "text": "mine" }),
    ];
    blog.cloud.change(|cloud| {
        let worker = cloud.worker.as_mut().expect("a Worker");
        let bindings = worker["bindings"].as_array_mut().expect("bindings");
        bindings.extend(own.clone());
    });
    blog.succeeds(&["deploy"]).await;
    for binding in own {
        let name = binding["name"].as_str().expect("a name");
        assert_eq!(blog.binding(name), binding);
    }
}

#[tokio::test]
async fn no_error_of_cloudflare_shows_a_secret() {
    let blog = Blog::start().await;
    blog.cloud.change(|cloud| cloud.repeats = true);
    let ended = blog.run(&["deploy"]).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    // The key is the first value of the metadata.
    assert!(ended.stderr.contains("cannot parse"), "{ended:?}");
    assert!(ended.stderr.contains("\"text\":\"***\""), "{ended:?}");
    let pending = blog.home.path().join("data/edge-key.json");
    let pending = std::fs::read_to_string(pending).expect("a key");
    let pending: Value = serde_json::from_str(&pending).expect("JSON");
    let key = pending["secret"].as_str().expect("a key");
    assert!(!ended.stderr.contains(key), "{ended:?}");
}

#[tokio::test]
async fn a_worker_is_removed_only_on_request() {
    let blog = Blog::start().await;
    blog.fails(&["remove", "--yes"], "no Worker light").await;
    blog.succeeds(&["deploy"]).await;
    // Nobody answers.
    let ended = blog.run(&["remove"]).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("all pictures"), "{}", ended.stderr);
    assert!(blog.cloud.read(|cloud| cloud.worker.is_some()));
    let ended = blog.succeeds(&["remove", "--yes"]).await;
    assert!(ended.stdout.contains("`edge.url`"), "{}", ended.stdout);
    assert!(blog.cloud.read(|cloud| cloud.worker.is_none()));
    let deleted = format!("DELETE /client/v4/accounts/{ACCOUNT}/workers/scripts/light");
    assert_eq!(blog.changes().last(), Some(&deleted));
}

#[tokio::test]
async fn wrong_names_and_addresses_are_wrong_usage() {
    let blog = Blog::start().await;
    for words in [
        &["deploy", "--name", "../secrets"][..],
        &["deploy", "--account", "A"],
        &["deploy", "--subdomain", "a.b"],
        &["deploy", "--domain", "localhost"],
        &[
            "deploy",
            "--set",
            "edge.cloudflare_url=https://cloudflare.example",
        ],
    ] {
        let ended = blog.run(words).await;
        assert_eq!(ended.status.code(), Some(2), "{words:?}: {ended:?}");
    }
    assert_eq!(blog.changes(), [""; 0]);
}
