//! The app's own secrets, with keyrings that work and that do not.

use super::fake::{Behaviour, FakeKeyring};
use super::*;

const ALL: [Secret; 4] = [
    Secret::Token(Scope::Heartbeat),
    Secret::Token(Scope::Upload),
    Secret::Token(Scope::Admin),
    Secret::PicGo,
];
const HEARTBEAT: Secret = Secret::Token(Scope::Heartbeat);

struct Fixture {
    folder: tempfile::TempDir,
    keyring: FakeKeyring,
}

impl Fixture {
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
    let fixture = Fixture::new();
    for which in ALL {
        assert_eq!(fixture.kept(which).await, None);
        fixture.keep(which, &which.key()).await;
        assert_eq!(fixture.kept(which).await, Some(which.key()));
    }
    assert_eq!(fixture.in_file(), Some(vec!["picgo".to_owned()]));
    assert_eq!(fixture.keyring.names().len(), ALL.len());
    fixture.keep(HEARTBEAT, "another").await;
    assert_eq!(fixture.kept(HEARTBEAT).await.as_deref(), Some("another"));
}

#[tokio::test]
async fn the_picgo_secret_is_found_when_the_keyring_or_the_file_is_out_of_reach() {
    let fixture = Fixture::new();
    fixture.keep(Secret::PicGo, "one").await;
    for behaviour in [
        Behaviour::Locked,
        Behaviour::RefusesReading,
        Behaviour::Absent,
        Behaviour::Works,
    ] {
        fixture.keyring.behave(behaviour);
        let kept = fixture.kept(Secret::PicGo).await;
        assert_eq!(kept.as_deref(), Some("one"), "{behaviour:?}");
    }
    fixture.keyring.clear();
    fixture.store().copy_to_keyring().await;
    assert_eq!(fixture.in_file(), Some(vec!["picgo".to_owned()]));

    std::fs::remove_file(fixture.store().file()).expect("the file");
    let kept = fixture.kept(Secret::PicGo).await;
    assert_eq!(kept.as_deref(), Some("one"));
    fixture.keyring.behave(Behaviour::Locked);
    let kept = fixture.kept(Secret::PicGo).await;
    assert_eq!(kept.as_deref(), Some("one"), "the file has it again");
}

#[tokio::test]
async fn a_keyring_that_takes_nothing_leaves_them_to_the_file() {
    use Behaviour::{Absent, Locked, RefusesWriting};
    for behaviour in [Absent, Locked, RefusesWriting] {
        let fixture = Fixture::new();
        fixture.keyring.behave(behaviour);
        fixture.keep(HEARTBEAT, "one").await;
        fixture.keep(Secret::PicGo, "two").await;
        assert_eq!(fixture.kept(HEARTBEAT).await.as_deref(), Some("one"));
        assert_eq!(fixture.kept(Secret::PicGo).await.as_deref(), Some("two"));
        assert_eq!(fixture.kept(Secret::Token(Scope::Admin)).await, None);
        let keys = ["heartbeat", "picgo"].map(str::to_owned).to_vec();
        assert_eq!(fixture.in_file(), Some(keys), "{behaviour:?}");
        assert!(fixture.keyring.names().is_empty(), "{behaviour:?}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let about = std::fs::metadata(fixture.store().file()).expect("a file");
            assert_eq!(about.permissions().mode() & 0o777, 0o600);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_keyring_that_prompts_its_user_does_not_block() {
    let fixture = Fixture::new();
    fixture.keyring.behave(Behaviour::Waits);
    assert_eq!(fixture.kept(HEARTBEAT).await, None);
    fixture.keep(HEARTBEAT, "one").await;
    assert_eq!(fixture.kept(HEARTBEAT).await.as_deref(), Some("one"));
}

#[tokio::test]
async fn an_unreadable_secret_is_none_until_it_can_be_read() {
    let fixture = Fixture::new();
    fixture.keep(HEARTBEAT, "one").await;
    for behaviour in [
        Behaviour::RefusesReading,
        Behaviour::Locked,
        Behaviour::Absent,
    ] {
        fixture.keyring.behave(behaviour);
        assert_eq!(fixture.kept(HEARTBEAT).await, None, "{behaviour:?}");
    }
    fixture.keyring.behave(Behaviour::Works);
    assert_eq!(fixture.kept(HEARTBEAT).await.as_deref(), Some("one"));
    fixture.keyring.clear();
    assert_eq!(fixture.kept(HEARTBEAT).await, None);
}

#[tokio::test]
async fn the_file_counts_before_the_keyring() {
    let fixture = Fixture::new();
    fixture.keep(HEARTBEAT, "old").await;
    fixture.keyring.behave(Behaviour::Locked);
    fixture.keep(HEARTBEAT, "new").await;
    fixture.keyring.behave(Behaviour::Works);
    assert_eq!(fixture.kept(HEARTBEAT).await.as_deref(), Some("new"));

    assert_eq!(fixture.in_file(), Some(vec!["heartbeat".to_owned()]));
    let without = fixture.without_keyring().kept(HEARTBEAT).await;
    assert_eq!(without.expect("a secret").expose_secret(), "new");
    // A secret that the keyring stores again is removed from the file.
    fixture.keyring.behave(Behaviour::Works);
    fixture.keep(HEARTBEAT, "last").await;
    assert_eq!(fixture.in_file(), None);
    assert_eq!(fixture.kept(HEARTBEAT).await.as_deref(), Some("last"));
}

#[tokio::test]
async fn two_data_folders_share_nothing() {
    let fixture = Fixture::new();
    let other = tempfile::tempdir().expect("a folder");
    let other = fixture.keyring.store(other.path());
    for behaviour in [Behaviour::Works, Behaviour::Absent] {
        fixture.keyring.behave(behaviour);
        for which in ALL {
            fixture.keep(which, "mine").await;
            assert!(other.kept(which).await.is_none(), "{which:?}");
        }
    }
}

#[tokio::test]
async fn a_secret_that_cannot_be_stored_is_an_error() {
    let fixture = Fixture::new();
    fixture.keyring.behave(Behaviour::Absent);
    std::fs::create_dir(fixture.store().file()).expect("something in the way");
    let kept = fixture.store().keep(HEARTBEAT, &"one".into()).await;
    kept.expect_err("not kept");
}

#[tokio::test]
async fn a_secret_of_the_keyring_is_read_and_then_removed() {
    let fixture = Fixture::new();
    fixture.keep(HEARTBEAT, "one").await;
    fixture.keyring.behave(Behaviour::Absent);
    assert!(fixture.store().in_keyring(HEARTBEAT).await.is_none());
    fixture.keyring.behave(Behaviour::Works);
    let found = fixture.store().in_keyring(HEARTBEAT).await;
    assert_eq!(found.expect("the secret").expose_secret(), "one");
    fixture.store().remove_from_keyring(HEARTBEAT).await;
    assert!(fixture.keyring.names().is_empty());
    assert!(fixture.store().in_keyring(HEARTBEAT).await.is_none());
}
