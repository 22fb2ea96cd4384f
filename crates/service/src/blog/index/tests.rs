//! The index of a host.

use std::fs;

use serde_json::json;

use super::*;
use crate::app::host::Host;
use crate::settings::changes::Changes;
use crate::testing::{host, stored};

/// Waits until the posts were read as expected.
async fn read_as(host: &Host, expected: impl Fn(&PostsGlance) -> bool) -> PostsGlance {
    let mut reader = host.posts().changes();
    let is_it = |read: &ReadPosts| !read.glance.reading && expected(&read.glance);
    let read = timeout(Duration::from_secs(30), reader.wait_for(is_it)).await;
    let Ok(Ok(read)) = read else {
        panic!("{:?}", host.posts().glance());
    };
    read.glance
}

async fn set(host: &Host, folders: &[&Path]) {
    let change = Changes::from([("blog.folders".to_owned(), json!(folders))]);
    assert_eq!(host.store().change(&change).await, Ok(Vec::new()));
}

#[tokio::test]
#[cfg_attr(
    windows,
    ignore = "Wine removes a folder that is watched only when that ends"
)]
async fn posts_images_and_the_setting_are_followed() {
    let home = tempfile::tempdir().expect("a folder");
    let blog = home.path().join("blog");
    fs::create_dir(&blog).expect("a folder");
    let write = |file: &str, text: &str| fs::write(blog.join(file), text).expect("a post");
    let host = host(&home.path().join("data"), &[]).await;
    let used: ImageHash = stored(&host).await.parse().expect("a hash");
    let unused: ImageHash = stored(&host).await.parse().expect("a hash");
    let address = format!("{}/i/{used}.webp", host.local_url());
    write(
        "a.md",
        &format!("\n![]({address}) ![]({address})\n![](gone.png)\n"),
    );
    write("b.md", &format!("![]({address})\n"));
    assert_eq!(host.posts().glance(), PostsGlance::default());
    assert_eq!(host.posts().count_of(used), None);

    // Where a folder cannot be read, it is not known whether an image is in no post.
    let (nowhere, below) = (home.path().join("nowhere"), blog.join("below"));
    set(&host, &[&blog, &nowhere]).await;
    let read = read_as(&host, |read| read.posts == 2).await;
    assert_eq!(read.unread[0].file, nowhere.display().to_string());
    assert_eq!(host.posts().count_of(unused), None);
    assert_eq!(host.posts().used(), None);
    assert!(host.posts().posts_of(&[unused]).is_err());

    // One that is named twice is read once.
    set(&host, &[&blog, &blog]).await;
    let read = read_as(&host, |read| read.posts == 2 && read.unread.is_empty()).await;
    let line = |file: &str, line| {
        let file = file.to_owned();
        PostLine {
            folder: 0,
            file,
            line,
        }
    };
    assert_eq!((read.unused, read.broken_total), (1, 1));
    assert_eq!(read.broken[0].post, line("a.md", 3));
    assert_eq!(read.broken[0].address, "gone.png");
    let counts = [used, unused].map(|hash| host.posts().count_of(hash));
    assert_eq!(counts, [Some(2), Some(0)]);
    let posts = vec![line("a.md", 2), line("b.md", 1)];
    let expected = PictureUse { hash: used, posts };
    assert_eq!(host.posts().posts_of(&[unused, used]), Ok(vec![expected]));
    assert_eq!(host.posts().used(), Some(vec![used]));
    assert_eq!(
        host.posts().file_of(&line("b.md", 9)),
        Some(blog.join("b.md"))
    );
    for unknown in ["c.md", "../data/settings.toml"] {
        assert_eq!(host.posts().file_of(&line(unknown, 1)), None);
    }

    // A new folder, and then a post in it.
    fs::create_dir(&below).expect("a folder");
    tokio::time::sleep(2 * QUIET).await;
    write("below/c.md", "![](<gone too.png>)");
    read_as(&host, |read| (read.posts, read.broken_total) == (3, 2)).await;
    assert!(host.service().images().delete(used).await.expect("deleted"));
    let read = read_as(&host, |read| read.broken_total == 5).await;
    assert_eq!((read.unused, host.posts().used()), (1, Some(Vec::new())));
    let back = host.service().images().put_back(vec![used]).await;
    assert_eq!(back.expect("put back"), 1);
    read_as(&host, |read| read.broken_total == 2).await;

    set(&host, &[]).await;
    read_as(&host, |read| *read == PostsGlance::default()).await;
    assert_eq!(host.posts().count_of(used), None);
    host.stop().await;
}

#[tokio::test]
async fn what_the_window_gets_is_bounded() {
    let home = tempfile::tempdir().expect("a folder");
    let blog = home.path().join("blog");
    fs::create_dir(&blog).expect("a folder");
    let host = host(&home.path().join("data"), &[]).await;
    let hash: ImageHash = stored(&host).await.parse().expect("a hash");
    let text = format!("![]({}/i/{hash})\n", host.local_url()) + &"![](gone.png)\n".repeat(10);
    for number in 0..MOST_POSTS + 1 {
        fs::write(blog.join(format!("{number}.md")), &text).expect("a post");
    }
    set(&host, &[&blog]).await;
    let read = read_as(&host, |read| read.posts > 0).await;
    assert_eq!((read.broken.len(), read.broken_total), (MOST_BROKEN, 510));
    assert_eq!(host.posts().count_of(hash), Some(51));
    assert_eq!(
        host.posts().posts_of(&[hash]).expect("known")[0]
            .posts
            .len(),
        MOST_POSTS
    );
    host.stop().await;
}
