//! The app's own secrets, with keyrings that work and that do not.

use super::fake::{Behaviour, FakeKeyring};
use super::*;

/// All of them.
const ALL: [Secret; 4] = [
    Secret::Token(Scope::Heartbeat),
    Secret::Token(Scope::Upload),
    Secret::Token(Scope::Admin),
    Secret::PicGo,
];
const HEARTBEAT: Secret = Secret::Token(Scope::Heartbeat);

struct Ground {
    folder: tempfile::TempDir,
    keyring: FakeKeyring,
}

impl Ground {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            keyring: FakeKeyring::new(),
        }
    }

    fn store(&self) -> SecretStore {
        self.keyring.store(self.folder.path())
    }

    fn without_keyring(&self) -> SecretStore {
        SecretStore::of(self.folder.path(), false)
    }

    async fn keep(&self, which: Secret, secret: &str) {
        let kept = self.store().keep(which, &secret.into()).await;
        kept.expect("kept");
    }

    async fn kept(&self, which: Secret) -> Option<String> {
        let kept = self.store().kept(which).await;
        kept.map(|secret| secret.expose_secret().to_owned())
    }

    /// The keys of the file; `None` where there is none.
    fn in_file(&self) -> Option<Vec<String>> {
        let store = self.store();
        let keys = || store.in_file().into_keys().collect();
        store.file().exists().then(keys)
    }
}

#[tokio::test]
async fn a_keyring_that_works_has_all_of_them_and_the_file_only_the_picgo_secret() {
    let ground = Ground::new();
    for which in ALL {
        assert_eq!(ground.kept(which).await, None);
        ground.keep(which, &which.key()).await;
        assert_eq!(ground.kept(which).await, Some(which.key()));
    }
    assert_eq!(ground.in_file(), Some(vec!["picgo".to_owned()]));
    assert_eq!(ground.keyring.names().len(), ALL.len());
    ground.keep(HEARTBEAT, "another").await;
    assert_eq!(ground.kept(HEARTBEAT).await.as_deref(), Some("another"));
}

#[tokio::test]
async fn the_picgo_secret_is_found_when_the_keyring_or_the_file_is_out_of_reach() {
    let ground = Ground::new();
    ground.keep(Secret::PicGo, "one").await;
    for behaviour in [
        Behaviour::Locked,
        Behaviour::RefusesReading,
        Behaviour::Absent,
        Behaviour::Works,
    ] {
        ground.keyring.behave(behaviour);
        let kept = ground.kept(Secret::PicGo).await;
        assert_eq!(kept.as_deref(), Some("one"), "{behaviour:?}");
    }
    ground.keyring.clear();
    ground.store().copy_to_keyring().await;
    assert_eq!(ground.in_file(), Some(vec!["picgo".to_owned()]));

    std::fs::remove_file(ground.store().file()).expect("the file");
    let kept = ground.kept(Secret::PicGo).await;
    assert_eq!(kept.as_deref(), Some("one"));
    ground.keyring.behave(Behaviour::Locked);
    let kept = ground.kept(Secret::PicGo).await;
    assert_eq!(kept.as_deref(), Some("one"), "the file has it again");
}

#[tokio::test]
async fn a_keyring_that_takes_nothing_leaves_them_to_the_file() {
    use Behaviour::{Absent, Locked, RefusesWriting};
    for behaviour in [Absent, Locked, RefusesWriting] {
        let ground = Ground::new();
        ground.keyring.behave(behaviour);
        ground.keep(HEARTBEAT, "one").await;
        ground.keep(Secret::PicGo, "two").await;
        assert_eq!(ground.kept(HEARTBEAT).await.as_deref(), Some("one"));
        assert_eq!(ground.kept(Secret::PicGo).await.as_deref(), Some("two"));
        assert_eq!(ground.kept(Secret::Token(Scope::Admin)).await, None);
        let keys = ["heartbeat", "picgo"].map(str::to_owned).to_vec();
        assert_eq!(ground.in_file(), Some(keys), "{behaviour:?}");
        assert!(ground.keyring.names().is_empty(), "{behaviour:?}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let about = std::fs::metadata(ground.store().file()).expect("a file");
            assert_eq!(about.permissions().mode() & 0o777, 0o600);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_keyring_that_prompts_its_user_does_not_block() {
    let ground = Ground::new();
    ground.keyring.behave(Behaviour::Waits);
    assert_eq!(ground.kept(HEARTBEAT).await, None);
    ground.keep(HEARTBEAT, "one").await;
    assert_eq!(ground.kept(HEARTBEAT).await.as_deref(), Some("one"));
}

#[tokio::test]
async fn an_unreadable_secret_is_none_until_it_can_be_read() {
    let ground = Ground::new();
    ground.keep(HEARTBEAT, "one").await;
    for behaviour in [
        Behaviour::RefusesReading,
        Behaviour::Locked,
        Behaviour::Absent,
    ] {
        ground.keyring.behave(behaviour);
        assert_eq!(ground.kept(HEARTBEAT).await, None, "{behaviour:?}");
    }
    ground.keyring.behave(Behaviour::Works);
    assert_eq!(ground.kept(HEARTBEAT).await.as_deref(), Some("one"));
    ground.keyring.clear();
    assert_eq!(ground.kept(HEARTBEAT).await, None);
}

#[tokio::test]
async fn the_file_counts_before_the_keyring() {
    let ground = Ground::new();
    ground.keep(HEARTBEAT, "old").await;
    ground.keyring.behave(Behaviour::Locked);
    ground.keep(HEARTBEAT, "new").await;
    ground.keyring.behave(Behaviour::Works);
    assert_eq!(ground.kept(HEARTBEAT).await.as_deref(), Some("new"));

    assert_eq!(ground.in_file(), Some(vec!["heartbeat".to_owned()]));
    let without = ground.without_keyring().kept(HEARTBEAT).await;
    assert_eq!(without.expect("a secret").expose_secret(), "new");
    // A secret that the keyring stores again is removed from the file.
    ground.keyring.behave(Behaviour::Works);
    ground.keep(HEARTBEAT, "last").await;
    assert_eq!(ground.in_file(), None);
    assert_eq!(ground.kept(HEARTBEAT).await.as_deref(), Some("last"));
}

#[tokio::test]
async fn two_data_folders_share_nothing() {
    let ground = Ground::new();
    let other = tempfile::tempdir().expect("a folder");
    let other = ground.keyring.store(other.path());
    for behaviour in [Behaviour::Works, Behaviour::Absent] {
        ground.keyring.behave(behaviour);
        for which in ALL {
            ground.keep(which, "mine").await;
            assert!(other.kept(which).await.is_none(), "{which:?}");
        }
    }
}

#[tokio::test]
async fn a_secret_that_cannot_be_stored_is_an_error() {
    let ground = Ground::new();
    ground.keyring.behave(Behaviour::Absent);
    std::fs::create_dir(ground.store().file()).expect("something in the way");
    let kept = ground.store().keep(HEARTBEAT, &"one".into()).await;
    kept.expect_err("not kept");
}

#[tokio::test]
async fn what_is_taken_from_the_keyring_is_there_no_more() {
    let ground = Ground::new();
    ground.keep(HEARTBEAT, "one").await;
    ground.keyring.behave(Behaviour::Absent);
    assert!(ground.store().take_from_keyring(HEARTBEAT).await.is_none());
    ground.keyring.behave(Behaviour::Works);
    let taken = ground.store().take_from_keyring(HEARTBEAT).await;
    assert_eq!(taken.expect("the secret").expose_secret(), "one");
    assert!(ground.keyring.names().is_empty());
    assert!(ground.store().take_from_keyring(HEARTBEAT).await.is_none());
}
