//! The set-up against a stand-in for Cloudflare, up to the address: that is an HTTPS one, which
//! `tests/window/reach.rs` has.

use std::path::Path;
use std::sync::mpsc;

use porchlight_test_harness::cloudflare::{ACCOUNT, FakeCloudflare, TOKEN};

use super::*;
use crate::app::host::Host;
use crate::app::tokens::secret_store::fake::FakeKeyring;
use crate::status::window::alerts::{Alert, AlertKind};
use crate::testing;

fn request(task: EdgeTask, token: &str) -> EdgeRequest {
    EdgeRequest {
        task,
        token: token.to_owned(),
        keep_token: false,
        account: String::new(),
        domain: String::new(),
        subdomain: String::new(),
        r2: false,
    }
}

async fn started(folder: &Path, cloud: &FakeCloudflare) -> Host {
    testing::host_with(folder, [cloud.setting()]).await
}

/// Runs a task whose question is answered by no; what it came to.
async fn declined(setup: &EdgeSetup, request: EdgeRequest) -> EdgeWork {
    let mut work = setup.work();
    setup.start(request, async |_| false).expect("it is free");
    let ended = |work: &EdgeWork| !matches!(work, EdgeWork::Running { .. });
    work.wait_for(ended).await.expect("it lives");
    work.get()
}

fn why(work: EdgeWork) -> Message {
    match work {
        EdgeWork::Failed { why, .. } => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_owner_is_asked_before_anything_is_changed() {
    let cloud = FakeCloudflare::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let host = started(folder.path(), &cloud).await;
    let (ask, asked) = mpsc::channel();
    let mut work = host.edge_setup().work();
    let answer = move |question| {
        ask.send(question).expect("it is read");
        std::future::ready(false)
    };
    let started = host
        .edge_setup()
        .start(request(EdgeTask::SetUp, TOKEN), answer);
    started.expect("it is free");
    let ended = |work: &EdgeWork| matches!(work, EdgeWork::Failed { .. });
    work.wait_for(ended).await.expect("it lives");
    assert_eq!(why(work.get()), Message::Declined);
    let Ok(Question::SetUp(url)) = asked.recv() else {
        panic!("nothing was asked");
    };
    assert_eq!(url, "https://light.blog.workers.dev");
    assert_eq!(cloud.read(|cloud| cloud.changes.clone()), [""; 0]);
    assert_eq!(host.settings().edge.url, None);
    host.stop().await;
}

#[tokio::test]
async fn a_failure_is_a_message_and_several_accounts_are_a_choice() {
    let cloud = FakeCloudflare::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let host = started(folder.path(), &cloud).await;
    let setup = host.edge_setup();
    let wrong = declined(setup, request(EdgeTask::SetUp, "wrong")).await;
    assert!(matches!(why(wrong), Message::CloudflareToken { .. }));
    let none = declined(setup, request(EdgeTask::SetUp, " ")).await;
    assert_eq!(why(none), crate::detail!("there is no token: paste one"));
    let missing = declined(setup, request(EdgeTask::Update, TOKEN)).await;
    assert_eq!(why(missing).to_string(), "the account has no Worker light");
    let no_host = EdgeRequest {
        domain: "a b".to_owned(),
        ..request(EdgeTask::SetUp, TOKEN)
    };
    let no_host = declined(setup, no_host).await;
    assert_eq!(
        why(no_host).to_string(),
        "a b is not a host name such as light.example.org"
    );

    let other = "fedcba9876543210fedcba9876543210";
    cloud.change(|cloud| {
        cloud.accounts = vec![(ACCOUNT, "Blog"), (other, "Work")];
        cloud.subdomain = None;
    });
    let EdgeWork::Failed {
        accounts,
        why: said,
        ..
    } = declined(setup, request(EdgeTask::SetUp, TOKEN)).await
    else {
        panic!("it is for two accounts");
    };
    assert!(matches!(said, Message::EdgeAccounts { .. }), "{said}");
    let expected = [(ACCOUNT, "Blog"), (other, "Work")];
    assert_eq!(
        accounts,
        expected.map(|(id, name)| (id.to_owned(), name.to_owned()))
    );
    let chosen = EdgeRequest {
        account: ACCOUNT.to_owned(),
        ..request(EdgeTask::SetUp, TOKEN)
    };
    let unnamed = declined(setup, chosen).await;
    assert_eq!(why(unnamed), Message::EdgeNeedsSubdomain);
    host.stop().await;
}

#[tokio::test]
async fn a_token_is_forgotten_unless_the_keyring_is_to_keep_it() {
    let cloud = FakeCloudflare::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let host = started(folder.path(), &cloud).await;
    let keyring = FakeKeyring::new();
    let setup = EdgeSetup::new(
        Arc::clone(&host.edge_setup().0.settings),
        host.service().clone(),
        keyring.store(folder.path()),
        folder.path().to_owned(),
        CancellationToken::new(),
    );
    let keeping = |token: &str| EdgeRequest {
        keep_token: true,
        ..request(EdgeTask::SetUp, token)
    };
    declined(&setup, request(EdgeTask::SetUp, TOKEN)).await;
    declined(&setup, keeping("wrong")).await;
    assert_eq!(keyring.names(), [""; 0]);
    assert!(!setup.glance().token_kept);

    declined(&setup, keeping(TOKEN)).await;
    assert_eq!(keyring.names().len(), 1);
    assert!(setup.glance().token_kept);
    let with_kept = declined(&setup, request(EdgeTask::SetUp, "")).await;
    assert_eq!(why(with_kept), Message::Declined, "the token was accepted");
    for file in ["edge.json", "settings.toml", "own-tokens.json"] {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap_or_default();
        assert!(!text.contains(TOKEN), "{file}");
    }

    setup.forget_token().await;
    assert_eq!(keyring.names(), [""; 0]);
    let forgotten = declined(&setup, request(EdgeTask::SetUp, "")).await;
    assert_eq!(
        why(forgotten),
        crate::detail!("there is no token: paste one")
    );
    host.stop().await;
}

#[tokio::test]
async fn an_older_worker_is_an_alert_until_it_is_put_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let label: Label = "light".parse().expect("a label");
    // Nothing listens there.
    let url = "http://127.0.0.1:9";
    let worker = WorkerRecord::new(&label, &label, url);
    assert!(!worker.is_older());
    EdgeRecord::change(folder.path(), |record| {
        record.worker = Some(WorkerRecord {
            version: "0.0.1".to_owned(),
            ..worker
        });
    });
    let host = testing::host(folder.path(), &[&format!("edge.url={url}")]).await;
    let is_alert = || {
        let alerts = host.alerts();
        let is_it = |alert: &Alert| alert.what == AlertKind::WorkerOutdated;
        alerts.iter().any(is_it)
    };
    assert!(is_alert());
    let deployed = host.reach().setup.deployed.expect("a Worker");
    assert_eq!(deployed.newer.as_deref(), Some(VERSION));
    host.edge_setup().put_off();
    assert!(!is_alert());
    assert!(host.reach().setup.deployed.expect("a Worker").later);
    host.stop().await;
}
