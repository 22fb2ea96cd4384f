//! Whose snapshot is in the store, and what is removed when it is switched off.

use super::*;
use crate::storage::Storage;
use crate::upkeep::beside::take_over_snapshot;

#[tokio::test]
async fn the_snapshot_of_another_is_left_alone_until_it_is_taken_over() {
    let mut other = Blog::new().await;
    for number in 1..=12 {
        other.add(number).await;
    }
    other.starts().await;
    let before = other.index();
    let mut blog = Blog::beside(other.store).await;
    blog.add(99).await;
    assert_eq!(blog.starts().await, SnapshotOwner::Another);
    assert_eq!(blog.index(), before);
    blog.store
        .holds("porchlight/images/index.json", "not an index");
    assert_eq!(blog.starts().await, SnapshotOwner::Another);

    let folder = blog.folder.path().to_owned();
    let (taken_over, ()) =
        tokio::join!(take_over_snapshot(&folder), blog.pages.wait_for_take_over());
    taken_over.expect("taken over");
    assert_eq!(blog.starts().await, SnapshotOwner::Own);
    blog.assert_publishes([99]);
    assert_ne!(blog.index()["publisher"], before["publisher"]);
    // It holds once, and the other one is asked now.
    blog.store
        .holds("porchlight/images/index.json", &before.to_string());
    assert_eq!(blog.starts().await, SnapshotOwner::Another);
}

#[tokio::test]
async fn a_copy_of_the_data_that_takes_over_is_another_for_the_original() {
    let mut blog = Blog::new().await;
    blog.add(1).await;
    blog.starts().await;
    let name = |blog: &Blog| {
        let database = blog.database.clone();
        async move { database.read(table::publisher).await.expect("a name") }
    };
    let before = name(&blog).await;
    take_over_snapshot(blog.folder.path())
        .await
        .expect("taken over");
    assert_eq!(blog.starts().await, SnapshotOwner::Own);
    assert_ne!(name(&blog).await, before);
    let original = move |write: &rusqlite::Transaction<'_>| {
        write.execute("UPDATE publisher SET name = ?1", [before])?;
        Ok::<_, DatabaseError>(())
    };
    blog.database.write(original).await.expect("written");
    assert_eq!(blog.starts().await, SnapshotOwner::Another);
}

#[tokio::test]
async fn a_take_over_of_ones_own_snapshot_leaves_it_ones_own() {
    let mut blog = Blog::new().await;
    blog.add(1).await;
    blog.pages.record_use().await.expect("written");
    blog.starts().await;
    take_over_snapshot(blog.folder.path())
        .await
        .expect("taken over");
    let removed = removal::remove(&blog.documents, &blog.database).await;
    assert!(removed.expect("a store"), "nothing of its own was found");
    assert_eq!(blog.store.objects(), [""; 0]);
}

#[tokio::test]
async fn a_take_over_holds_once_where_no_page_has_changed() {
    let mut blog = Blog::new().await;
    blog.add(1).await;
    blog.starts().await;
    let before = blog.index()["publisher"].clone();
    take_over_snapshot(blog.folder.path())
        .await
        .expect("taken over");
    assert_eq!(blog.written_by_a_round().await, 1);
    assert_eq!(blog.written_by_a_round().await, 0);
    let name = blog.database.read(table::publisher).await.expect("a name");
    assert_eq!(blog.index()["publisher"], name.as_str());
    assert_ne!(blog.index()["publisher"], before);
    let takes_over = blog.database.read(table::takes_over).await;
    assert!(!takes_over.expect("known"));
}

#[tokio::test]
async fn the_published_snapshot_is_removed_but_no_other_one() {
    let mut blog = Blog::new().await;
    blog.add(1).await;
    blog.pages.record_use().await.expect("written");
    blog.starts().await;
    let of_the_owner = [
        "check.json",
        "devices.json",
        "lanyard.json",
        "game_status.json",
    ];
    for name in of_the_owner.into_iter().chain(["origin.json", "names/1"]) {
        blog.store.holds(&format!("{PREFIX}{name}"), "{}");
    }
    blog.store.holds("randomimg/1.webp", "an image");
    blog.store.holds("other.txt", "of the owner");
    let index = blog.index().to_string();
    blog.store.is(StoreMode::ReadOnly(503));
    let failed = removal::remove(&blog.documents, &blog.database).await;
    assert!(failed.is_err());
    assert!(
        blog.database
            .read(table::has_published)
            .await
            .expect("known")
    );

    blog.store.is(StoreMode::Well);
    let stop = CancellationToken::new();
    let removed = || {
        let documents = Ok(vec![blog.documents.clone()]);
        remove_published(documents, blog.database.clone(), stop.clone())
    };
    removed().await;
    assert_eq!(blog.store.objects(), ["other.txt", "randomimg/1.webp"]);

    // What comes there later is not this data folder's.
    blog.store.holds(&format!("{PREFIX}check.json"), "{}");
    removed().await;
    assert_eq!(blog.store.objects().len(), 3);
    blog.pages.record_use().await.expect("written");
    let other = index.replacen("publisher\":\"", "publisher\":\"another", 1);
    blog.store
        .holds(&format!("{PREFIX}images/index.json"), &other);
    removed().await;
    assert_eq!(blog.store.objects().len(), 4);

    // All of it is published again.
    blog.store.lose(&format!("{PREFIX}images/index.json"));
    blog.starts().await;
    blog.assert_publishes([1]);
}

#[tokio::test]
async fn an_endless_listing_is_given_up() {
    let blog = Blog::new().await;
    for number in 0..60 {
        blog.store
            .holds(&format!("{PREFIX}images/{number}.json"), "");
        blog.store.holds(&format!("randomimg/{number}.txt"), "");
    }
    let error = blog.documents.names("images").await.expect_err("too many");
    assert!(error.to_string().contains("more than 50"), "{error}");
    let storage = Storage::beside(blog.folder.path(), &settings(&blog.store));
    let place = storage.expect("a store").at(StorageKind::S3);
    let listed = place.expect("a store").look_through().await;
    let error = listed.expect_err("too many");
    assert!(error.to_string().contains("more than 50"), "{error}");
}
