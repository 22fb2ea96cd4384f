//! Tokens in a separate database.

use super::*;
use crate::error::message::Message;

async fn names(tokens: &Tokens) -> Vec<(String, Scope)> {
    let rows = tokens.list().await.expect("a list");
    rows.into_iter().map(|row| (row.name, row.scope)).collect()
}

async fn make_first(tokens: &Tokens) -> bool {
    let made = tokens.make_first(&[Scope::Admin], async |_| Ok::<(), Message>(()));
    made.await.expect("made")
}

#[tokio::test]
async fn the_first_tokens_are_made_once_beside_those_of_the_owner() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    for name in ["admin", "admin (first run)"] {
        let made = tokens.create(name, Scope::Upload).await;
        made.expect("a token");
    }
    assert!(make_first(&tokens).await);
    let made = ("admin (first run, 2)".to_owned(), Scope::Admin);
    assert_eq!(names(&tokens).await.last(), Some(&made));

    assert!(tokens.revoke(&made.0).await.expect("revoked"));
    assert!(!make_first(&tokens).await, "what was revoked stays revoked");
    assert_eq!(names(&tokens).await.len(), 2);
}

#[tokio::test]
async fn a_token_is_known_without_the_database_until_its_revocation() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    let token = tokens.create("blog", Scope::Heartbeat).await.expect("made");
    let token = token.expose_secret();
    assert!(tokens.was_recognised(token), "from the time it is made");
    let later = Tokens::open_beside(folder.path()).await.expect("tokens");
    assert!(!later.was_recognised(token));
    later.recognise_stored().await.expect("read");
    assert!(later.was_recognised(token), "from the start");
    assert!(
        tokens
            .recognise("guessed")
            .await
            .expect("an answer")
            .is_none()
    );
    assert!(!tokens.was_recognised("guessed"));
    assert!(tokens.recognise(token).await.expect("an answer").is_some());
    assert!(tokens.was_recognised(token));
    assert!(tokens.revoke("blog").await.expect("an answer"));
    assert!(tokens.recognise(token).await.expect("an answer").is_none());
    assert!(!tokens.was_recognised(token));

    tokens.accept_for_this_run(Scope::Admin, &"of this run alone".to_owned().into());
    assert!(tokens.was_recognised("of this run alone"));
}
