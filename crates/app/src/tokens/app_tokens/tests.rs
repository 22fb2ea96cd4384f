//! The tokens of the first run, and those that earlier versions of the tray app made.

use super::*;
use crate::tokens::secret_store::fake::{Behaviour, FakeKeyring};

#[test]
fn a_token_must_fit_into_a_header() {
    assert!(can_be_a_token("abc_-123"));
    for text in ["", " ", "a b", "a\n", "ключ"] {
        assert!(!can_be_a_token(text), "{text:?}");
    }
}

async fn names(tokens: &Tokens) -> Vec<String> {
    let rows = tokens.list().await.expect("a list").into_iter();
    rows.map(|token| token.name).collect()
}

#[tokio::test]
async fn the_first_run_makes_two_tokens_and_keeps_the_copies_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    make_first(folder.path(), &tokens).await.expect("made");
    let again = make_first(folder.path(), &tokens).await;
    again.expect("nothing to do");
    assert_eq!(names(&tokens).await, ["heartbeat", "admin"]);
    let store = SecretStore::of(folder.path(), false);
    assert!(store.kept(Secret::Token(Scope::Admin)).await.is_some());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let about = std::fs::metadata(store.file()).expect("a file");
        assert_eq!(about.permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test]
async fn the_first_run_makes_its_tokens_beside_those_of_the_owner() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    let made = tokens.create("admin", Scope::Upload).await;
    made.expect("a token of the owner");
    make_first(folder.path(), &tokens).await.expect("made");
    let store = SecretStore::of(folder.path(), false);
    let copy = store.kept(Secret::Token(Scope::Admin)).await;
    let copy = copy.expect("a copy");
    let bearer = tokens.recognise(copy.expose_secret()).await;
    let scope = bearer.expect("an answer").map(|bearer| bearer.scope);
    assert_eq!(scope, Some(Scope::Admin));
}

#[tokio::test]
async fn a_first_run_whose_copies_cannot_be_kept_is_made_up_for_by_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    let file = SecretStore::of(folder.path(), false).file();
    std::fs::create_dir(&file).expect("something in the way");
    let failed = make_first(folder.path(), &tokens).await;
    failed.expect_err("not kept");
    assert_eq!(names(&tokens).await, [""; 0]);

    std::fs::remove_dir(&file).expect("our own folder");
    make_first(folder.path(), &tokens).await.expect("made");
    assert_eq!(names(&tokens).await.len(), 2);
}

#[tokio::test]
async fn tokens_that_the_app_made_for_itself_earlier_are_revoked_and_no_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    let keyring = FakeKeyring::new();
    let store = keyring.store(folder.path());
    let make = async |name: &str, scope| tokens.create(name, scope).await.expect("a token");
    let keep = async |scope, token: &SecretString| {
        let kept = store.keep(Secret::Token(scope), token).await;
        kept.expect("kept");
    };
    let first = make("heartbeat", Scope::Heartbeat).await;
    keep(Scope::Heartbeat, &first).await;
    let admin = make("admin", Scope::Admin).await;
    let uploads = make("this app's watched folders", Scope::Upload).await;
    make("this app", Scope::Heartbeat).await;
    make("phone", Scope::Heartbeat).await;
    // Where there was no keyring the copies are in the file.
    let without = SecretStore::of(folder.path(), false);
    for (scope, token) in [(Scope::Admin, &admin), (Scope::Upload, &uploads)] {
        let kept = without.keep(Secret::Token(scope), token).await;
        kept.expect("kept");
    }

    revoke_earlier(&store, &tokens).await.expect("revoked");
    // `porchlight serve` may have made the one of the file, too.
    assert_eq!(names(&tokens).await, ["admin", "phone"]);
    assert!(keyring.names().is_empty());
    assert!(without.kept(Secret::Token(Scope::Upload)).await.is_none());
    assert!(without.kept(Secret::Token(Scope::Admin)).await.is_some());

    // The owner's own are left alone, whatever their names are.
    make("heartbeat", Scope::Heartbeat).await;
    revoke_earlier(&store, &tokens).await.expect("nothing");
    assert_eq!(names(&tokens).await, ["admin", "phone", "heartbeat"]);
}

#[tokio::test]
async fn tokens_whose_copies_are_in_a_closed_keyring_are_revoked_once_it_is_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    let keyring = FakeKeyring::new();
    let store = keyring.store(folder.path());
    for (name, scope) in [("heartbeat", Scope::Heartbeat), ("admin", Scope::Admin)] {
        let token = tokens.create(name, scope).await.expect("a token");
        let kept = store.keep(Secret::Token(scope), &token).await;
        kept.expect("kept");
    }
    keyring.behave(Behaviour::Locked);
    revoke_earlier(&store, &tokens).await.expect("nothing");
    assert_eq!(names(&tokens).await, ["heartbeat", "admin"]);
    keyring.behave(Behaviour::Works);
    revoke_earlier(&store, &tokens).await.expect("revoked");
    assert_eq!(names(&tokens).await, [""; 0]);
    assert!(keyring.names().is_empty());
}
