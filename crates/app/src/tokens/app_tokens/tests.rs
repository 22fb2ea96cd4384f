//! The tokens that earlier versions of the tray app made.

use super::*;
use crate::tokens::secret_store::fake::{Behaviour, FakeKeyring};

async fn names(tokens: &Tokens) -> Vec<String> {
    let rows = tokens.list().await.expect("a list").into_iter();
    rows.map(|token| token.name).collect()
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
    // `porchlight serve` may have made these, and another program may have them.
    assert_eq!(names(&tokens).await, ["heartbeat", "admin", "phone"]);
    assert!(keyring.names().is_empty());
    assert!(without.kept(Secret::Token(Scope::Upload)).await.is_none());
    assert!(without.kept(Secret::Token(Scope::Admin)).await.is_some());
    let copy = without.kept(Secret::Token(Scope::Heartbeat)).await;
    assert_eq!(copy.expect("a copy").expose_secret(), first.expose_secret());

    revoke_earlier(&store, &tokens).await.expect("nothing");
    assert_eq!(names(&tokens).await, ["heartbeat", "admin", "phone"]);
}

#[tokio::test]
async fn copies_in_a_closed_keyring_go_back_to_the_file_once_it_is_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    let keyring = FakeKeyring::new();
    let store = keyring.store(folder.path());
    for (name, scope) in [("heartbeat", Scope::Heartbeat), ("admin", Scope::Admin)] {
        let token = tokens.create(name, scope).await.expect("a token");
        let kept = store.keep(Secret::Token(scope), &token).await;
        kept.expect("kept");
    }
    let without = SecretStore::of(folder.path(), false);
    for behaviour in [Behaviour::Locked, Behaviour::Works] {
        keyring.behave(behaviour);
        let is_open = behaviour == Behaviour::Works;
        revoke_earlier(&store, &tokens).await.expect("done");
        assert_eq!(names(&tokens).await, ["heartbeat", "admin"]);
        assert_eq!(keyring.names().is_empty(), is_open);
        for scope in [Scope::Heartbeat, Scope::Admin] {
            assert_eq!(without.kept(Secret::Token(scope)).await.is_some(), is_open);
        }
    }
}
