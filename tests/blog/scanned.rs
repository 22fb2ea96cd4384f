//! What `blog scan` finds, and what it leaves alone.

use serde_json::{Value, json};

use crate::harness::TestService;
use crate::{BASE, Fixture, picture};

/// `file:line kind` of each reference, with what it leads to.
fn lines(report: &Value) -> Vec<String> {
    let references = report["references"].as_array().expect("a list").iter();
    let line = |one: &Value| {
        let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
        let (file, line, kind) = (text("file"), &one["line"], text("kind"));
        let to = text("picture") + &text("host");
        format!("{file}:{line} {kind} {to}").trim_end().to_owned()
    };
    references.map(line).collect()
}

#[tokio::test]
async fn each_reference_is_named_with_its_file_line_and_kind_and_nothing_is_written() {
    let fixture = Fixture::new();
    fixture.picture("posts/a.png");
    fixture.picture("posts/nobody.png");
    fixture.picture("themes/own/source/icon.png");
    let unknown = "0123456789abcdef0123456789abcdef";
    let post = format!(
        "![](a.png)\n\n![](gone.png) ![](../../outside.png)\n\n![](https://Old.Example/x/y.png)\n\
         ![](//cdn.example:8443/z)\n![]({BASE}/i/{unknown}.webp) <img src=\"http://old.example/i.gif\">\n\
         ![](/icon.png) [words](https://old.example/page) [full](https://old.example/full.JPG)\n"
    );
    fixture.put("posts/one.md", post);
    fixture.put(
        "posts/two.html",
        "<p>\n<img src='a.png'>\n<a href='a.png'>a</a>",
    );
    let before = fixture.files();
    let (code, report) = fixture.json(&["scan", "blog"]).await;
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(
        lines(&report),
        [
            "posts/one.md:1 local posts/a.png",
            "posts/one.md:3 missing",
            "posts/one.md:3 outside",
            "posts/one.md:5 foreign old.example",
            "posts/one.md:6 foreign cdn.example:8443",
            "posts/one.md:7 ours",
            "posts/one.md:7 foreign old.example",
            "posts/one.md:8 foreign old.example",
            "posts/two.html:2 local posts/a.png",
            "posts/two.html:3 local posts/a.png",
        ]
    );
    assert_eq!(report["references"][5]["hash"], unknown);
    assert_eq!(report["references"][5]["known"], false);
    assert_eq!(report["unused"], json!(["posts/nobody.png"]));
    assert_eq!(report["posts"], 2);
    assert!(before == fixture.files());

    let ended = fixture.run(&["scan", "blog"]).await;
    assert!(ended.status.success(), "{ended:?}");
    for line in [
        "local    posts/one.md:1  a.png  posts/a.png",
        "missing  posts/one.md:3  gone.png",
        "unused   posts/nobody.png",
        "2 posts: 3 local, 4 foreign (cdn.example:8443 1, old.example 3), 0 ours, 2 missing, 1 outside; \
         1 of the folder's pictures and 0 of those here are in no post",
    ] {
        assert!(ended.stdout.contains(line), "{line}: {}", ended.stdout);
    }
}

#[tokio::test]
async fn what_is_stored_here_is_known_by_any_address_and_what_no_post_uses_is_named() {
    let service = TestService::builder()
        .set(format!("server.public_url={BASE}"))
        .start()
        .await;
    let (used, unused) = (
        service.stored(picture()).await,
        service.stored(picture()).await,
    );
    let blog = tempfile::tempdir().expect("a folder");
    let text = format!(
        "![]({BASE}/i/{used}.webp) ![](https://old.trycloudflare.example/i/{used}/a-name.webp)\n\
         ![](http://127.0.0.1:1/images/{used})\n"
    );
    std::fs::write(blog.path().join("a.md"), text).expect("to write");
    let folder = blog.path().to_str().expect("UTF-8");
    let ended = service.run(&["blog", "scan", folder, "--json"]).await;
    assert!(ended.status.success(), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(
        lines(&report),
        ["a.md:1 ours", "a.md:1 ours", "a.md:2 ours"]
    );
    let references = report["references"].as_array().expect("a list");
    assert!(
        references
            .iter()
            .all(|one| one["known"] == true && one["hash"] == used),
        "{report:#}"
    );
    assert_eq!(report["unused_here"], json!([unused]));
}

#[tokio::test]
async fn what_generators_make_and_what_belongs_to_a_theme_is_not_read() {
    let fixture = Fixture::new();
    fixture.put("hugo.toml", "");
    fixture.picture("content/a.png");
    for folder in [
        ".git",
        ".obsidian",
        "node_modules/x",
        "_site",
        "dist",
        "public",
        "themes/t/layouts",
        "layouts",
        "_includes",
        "resources",
    ] {
        fixture.put(&format!("{folder}/page.html"), "<img src='/a.png'>");
    }
    fixture.put("content/a.md", "![](a.png)");
    let (_, report) = fixture.json(&["scan", "blog"]).await;
    assert_eq!(lines(&report), ["content/a.md:1 local content/a.png"]);

    // Elsewhere `public` is what is copied.
    let fixture = Fixture::new();
    fixture.picture("public/a.png");
    fixture.put("docs/a.md", "![](/a.png)");
    let (_, report) = fixture.json(&["scan", "blog"]).await;
    assert_eq!(lines(&report), ["docs/a.md:1 local public/a.png"]);
}

#[tokio::test]
async fn a_file_is_found_where_each_generator_puts_it() {
    for (picture, post, address) in [
        ("source/_posts/trip/a.png", "source/_posts/trip.md", "a.png"),
        (
            "source/images/a.png",
            "source/_posts/trip.md",
            "/images/a.png",
        ),
        (
            "source/images/a.png",
            "source/_posts/trip.md",
            "images/a.png",
        ),
        ("content/trip/a.png", "content/trip/index.md", "a.png"),
        ("static/img/a.png", "content/trip/index.md", "/img/a.png"),
        ("public/img/a.png", "src/content/blog/trip.md", "/img/a.png"),
        (
            "src/assets/a.png",
            "src/content/blog/trip.md",
            "../../assets/a.png",
        ),
        ("docs/public/a.png", "docs/guide/trip.md", "/a.png"),
        (
            "assets/img/a.png",
            "_posts/2026-01-01-trip.md",
            "{{ site.baseurl }}/assets/img/a.png",
        ),
        ("trip.assets/a.png", "trip.md", "./trip.assets/a.png"),
    ] {
        let fixture = Fixture::new();
        fixture.picture(picture);
        fixture.put(post, format!("![x]({address})\n"));
        let (_, report) = fixture.json(&["scan", "blog"]).await;
        assert_eq!(
            lines(&report),
            [format!("{post}:1 local {picture}")],
            "{address}"
        );
    }
}

#[tokio::test]
async fn a_wrong_folder_is_refused_with_what_to_do() {
    let fixture = Fixture::new();
    fixture.put("a.md", "");
    for folder in ["nowhere", "blog/a.md"] {
        for words in [
            &["scan", folder][..],
            &["adopt", folder],
            &["adopt", folder, "--write"],
        ] {
            let ended = fixture.run(words).await;
            assert_eq!(ended.status.code(), Some(2), "{ended:?}");
            let why = "name the folder of the blog";
            assert!(ended.stderr.contains(why), "{ended:?}");
        }
    }
}
