//! The owner's changes of albums, and the search in one.

use super::*;

/// How often something has changed that readers see of images.
async fn changes(fixture: &Fixture) -> u64 {
    let count = "SELECT count(*) FROM image_change";
    let database = &fixture.service.images().0.database;
    let count = database
        .read(move |connection| connection.query_row(count, [], |row| row.get::<_, i64>(0)));
    count.await.expect("a count").unsigned_abs()
}

#[tokio::test]
async fn images_are_put_in_an_album_which_is_renamed_on_all_of_them() {
    let fixture = Fixture::new().await;
    let still = |digits: &str, at: i64| NewImage {
        frames: 1,
        // As if it had been tried: nothing else changes the page here.
        preview: Some(porchlight_convert::Preview {
            colour: 0x00ff_ff00,
            thumbhash: vec![1],
        }),
        ..image(hash(digits), at)
    };
    let images = [still("a", 1), still("b", 2), still("c", 3)];
    fixture.add(images.to_vec()).await;
    let [first, second, third] = ["a", "b", "c"].map(hash);
    let images = fixture.service.images();
    let found = async |album: &str, order| {
        let wanted = ImageSearch {
            album: Some(album.to_owned()),
            order,
            ..ImageSearch::default()
        };
        let days = images.days(wanted.clone()).await.expect("days");
        let (found, total) = fixture.search(wanted, 0, 10).await;
        assert_eq!(found.len() as u64, total);
        assert_eq!(days.iter().map(|day| day.count).sum::<u64>(), total);
        found
    };
    let name = |name: &str| Some(name.to_owned());
    let albums = async || images.albums().await.expect("albums");
    let put = images.put_in_album(vec![first, third, hash("d")], name("cats"));
    put.await.expect("an album");
    assert_eq!(changes(&fixture).await, 5, "readers have the album");
    let again = images.put_in_album(vec![first], name("cats"));
    again.await.expect("an album");
    assert_eq!(changes(&fixture).await, 5, "nothing has changed");
    assert_eq!(found("cats", ImageOrder::Newest).await, [third, first]);
    assert_eq!(found("cats", ImageOrder::Oldest).await, [first, third]);

    let put = images.put_in_album(vec![second], name("birds"));
    put.await.expect("an album");
    assert_eq!(albums().await, ["birds", "cats"]);
    let renamed = images.rename_album("cats".to_owned(), "birds".to_owned());
    renamed.await.expect("a name");
    assert_eq!(changes(&fixture).await, 8);
    assert_eq!(albums().await, ["birds"]);
    assert_eq!(found("cats", ImageOrder::Newest).await, []);
    assert_eq!(
        found("birds", ImageOrder::Newest).await,
        [third, second, first]
    );

    let all = vec![first, second, third];
    images.put_in_album(all, None).await.expect("no album");
    assert_eq!(albums().await, Vec::<String>::new());
    let known = images.named(vec![first]).await.expect("images");
    assert_eq!(known[0].album, None);
}
