//! The app's copies of its own tokens, kept in a file.

use super::*;
use crate::tokens::secret_store::fake::{Behaviour, FakeKeyring};

#[test]
fn what_a_header_cannot_carry_is_no_token() {
    assert!(can_be_a_token("abc_-123"));
    for text in ["", " ", "a b", "a\n", "ключ"] {
        assert!(!can_be_a_token(text), "{text:?}");
    }
}

#[tokio::test]
async fn the_first_run_makes_two_tokens_and_keeps_the_copies_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    let own = OwnTokens::of(folder.path(), false);
    own.make_first(&tokens).await.expect("made");
    own.make_first(&tokens).await.expect("nothing to do");
    let names: Vec<String> = tokens
        .list()
        .await
        .expect("a list")
        .into_iter()
        .map(|token| token.name)
        .collect();
    assert_eq!(names, ["heartbeat", "admin"]);
    assert!(own.kept(Scope::Admin).await.is_some());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let about = std::fs::metadata(own.store.file()).expect("a file");
        assert_eq!(about.permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test]
async fn the_first_run_makes_its_tokens_beside_those_of_the_owner() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    let made = tokens.create("admin", Scope::Upload).await;
    made.expect("a token of the owner");
    let own = OwnTokens::of(folder.path(), false);
    own.make_first(&tokens).await.expect("made");
    let copy = own.kept(Scope::Admin).await.expect("a copy");
    let bearer = tokens.recognise(copy.expose_secret()).await;
    let scope = bearer.expect("an answer").map(|bearer| bearer.scope);
    assert_eq!(scope, Some(Scope::Admin));
}

#[tokio::test]
async fn a_first_run_whose_copies_cannot_be_kept_is_made_up_for_by_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    let own = OwnTokens::of(folder.path(), false);
    std::fs::create_dir(own.store.file()).expect("something in the way");
    own.make_first(&tokens).await.expect_err("not kept");
    assert_eq!(tokens.list().await.expect("a list"), []);

    std::fs::remove_dir(own.store.file()).expect("our own folder");
    own.make_first(&tokens).await.expect("made");
    assert_eq!(tokens.list().await.expect("a list").len(), 2);
    assert!(own.kept(Scope::Admin).await.is_some());
}

#[tokio::test]
async fn the_apps_own_tokens_are_told_from_those_of_the_owner() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    let own = OwnTokens::of(folder.path(), false);
    own.make_first(&tokens).await.expect("made");
    tokens.create("mine", Scope::Admin).await.expect("made");
    own.for_uploads(&tokens).await.expect("a token");
    let numbers = own.numbers(&tokens).await.expect("an answer");
    let rows = tokens.list().await.expect("a list");
    let others = rows.iter().filter(|row| !numbers.contains(&row.id));
    let others: Vec<&str> = others.map(|row| row.name.as_str()).collect();
    assert_eq!((others, numbers.len()), (vec!["mine"], 3));
    assert!(
        rows.iter().all(|row| row.last_used.is_none()),
        "looking is no use"
    );
}

#[tokio::test]
async fn a_lost_or_revoked_copy_gets_a_new_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    let own = OwnTokens::of(folder.path(), false);
    own.make_first(&tokens).await.expect("made");
    let first = own.for_heartbeats(&tokens).await.expect("a token");
    let again = own.for_heartbeats(&tokens).await.expect("a token");
    assert_eq!(first.expose_secret(), again.expose_secret());
    assert!(tokens.revoke("heartbeat").await.expect("revoked"));
    let second = own.for_heartbeats(&tokens).await.expect("a token");
    assert_ne!(first.expose_secret(), second.expose_secret());
    std::fs::write(own.store.file(), "not json").expect("to write");
    let third = own.for_heartbeats(&tokens).await.expect("a token");
    let bearer = tokens
        .recognise(third.expose_secret())
        .await
        .expect("an answer");
    assert_eq!(bearer.map(|bearer| bearer.scope), Some(Scope::Heartbeat));
}

#[tokio::test]
async fn a_keyring_that_is_closed_for_one_run_costs_no_token_of_the_owner() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    let keyring = FakeKeyring::new();
    let own = OwnTokens {
        store: keyring.store(folder.path()),
    };
    own.make_first(&tokens).await.expect("made");
    let first = own.for_heartbeats(&tokens).await.expect("a token");
    assert!(!own.are_in_a_file());

    keyring.behave(Behaviour::Locked);
    let second = own.for_heartbeats(&tokens).await.expect("a token");
    assert_ne!(first.expose_secret(), second.expose_secret());
    assert!(own.are_in_a_file());

    keyring.behave(Behaviour::Works);
    own.move_to_keyring().await;
    assert!(!own.are_in_a_file());
    let again = own.for_heartbeats(&tokens).await.expect("a token");
    assert_eq!(again.expose_secret(), second.expose_secret());
    assert_eq!(own.numbers(&tokens).await.expect("numbers").len(), 2);
}
