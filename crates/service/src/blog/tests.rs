//! What cannot be reached from outside.

use std::fs;

use serde_json::json;

use super::*;
use crate::app::host::Host;
use crate::settings::changes::Changes;
use crate::testing::{host, picture};

/// A folder with a post that has a picture, and a host whose links have this address.
async fn blog_and_host(address: &str) -> (tempfile::TempDir, PathBuf, Host) {
    let home = tempfile::tempdir().expect("a folder");
    let blog = home.path().join("blog");
    fs::create_dir(&blog).expect("a folder");
    fs::write(blog.join("a.png"), picture()).expect("a picture");
    fs::write(blog.join("a.md"), "![](a.png)").expect("a post");
    let host = host(&home.path().join("data"), &[]).await;
    set_address(&host, address).await;
    (home, blog, host)
}

async fn set_address(host: &Host, address: &str) {
    let change = Changes::from([("server.public_url".to_owned(), json!(address))]);
    assert_eq!(host.store().change(&change).await, Ok(Vec::new()));
    let mut known = host.blog().0.uploads.own().public_url.clone();
    let is_known =
        |known: &Option<_>| known.as_ref().map(ToString::to_string) == Some(address.to_owned());
    known.wait_for(is_known).await.expect("the address");
}

#[tokio::test]
async fn an_address_that_is_another_one_before_the_posts_are_written_stops_it() {
    let (_home, folder, host) = blog_and_host("https://blog.example").await;
    let blog = host.blog();
    let plan = blog.plan(&folder, Choice::default()).await.expect("a plan");
    set_address(&host, "https://other.example").await;
    let stopped = blog
        .adopt(plan, AddressKind::Permanent, &|_, _| Ok(()))
        .await;
    let why = stopped.expect_err("another address").to_string();
    assert!(why.contains("No post was changed"), "{why}");
    let post = || fs::read_to_string(folder.join("a.md")).expect("a post");
    assert_eq!(post(), "![](a.png)");

    let plan = blog.plan(&folder, Choice::default()).await.expect("a plan");
    let adopted = blog
        .adopt(plan, AddressKind::Permanent, &|_, _| Ok(()))
        .await;
    assert_eq!(adopted.expect("adopted").posts, 1);
    assert!(post().starts_with("![](https://other.example/i/"));
    host.stop().await;
}

#[tokio::test]
async fn all_that_is_left_is_named() {
    let (_home, folder, host) = blog_and_host("https://blog.example").await;
    for number in 0..101 {
        fs::write(folder.join(format!("{number}.md")), b"caf\xe9").expect("a post");
    }
    let report = host.blog().scan(&folder).await.expect("a report");
    let found = window::BlogFound::of(&report, String::new(), true);
    assert_eq!((found.posts, found.unread.len()), (1, 101));
    host.stop().await;
}

/// Other systems have no such names.
#[cfg(target_os = "linux")]
#[test]
fn posts_whose_names_are_not_utf_8_are_named_and_a_folder_with_such_a_path_is_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let home = tempfile::tempdir().expect("a folder");
    let blog = home.path().join(OsStr::from_bytes(b"blog"));
    for folder in [&b"posts"[..], b"caf\xe9"] {
        let folder = blog.join(OsStr::from_bytes(folder));
        fs::create_dir_all(&folder).expect("a folder");
        for name in [&b"a.md"[..], b"\xe9.md", b"\xe9.png"] {
            fs::write(folder.join(OsStr::from_bytes(name)), "![](a.png)").expect("a file");
        }
    }
    let (_, report) = scan::scan(&blog, &[]).expect("a report");
    assert_eq!(report.posts, 1);
    let left: Vec<&str> = report
        .unread
        .iter()
        .map(|left| left.file.as_str())
        .collect();
    assert_eq!(
        left,
        [
            "caf\u{fffd}/a.md",
            "caf\u{fffd}/\u{fffd}.md",
            "posts/\u{fffd}.md"
        ]
    );
    let why = report.unread[0].why.to_string();
    assert!(why.contains("not UTF-8"), "{why}");

    let refused = scan::scan(&blog.join(OsStr::from_bytes(b"caf\xe9")), &[]);
    let why = refused.err().expect("refused").to_string();
    assert!(why.contains("rename it first"), "{why}");
}
