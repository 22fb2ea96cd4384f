//! What an adoption does and leaves, and how it is undone.

use std::fs;

use serde_json::Value;

use crate::harness::{TestService, eventually, files, pictures};
use crate::{BASE, Fixture, picture, without_hashes};

/// A blog of so many posts with so many pictures each.
fn many(fixture: &Fixture, posts: usize, pictures: usize) {
    for post in 0..posts {
        let mut text = format!("---\ntitle: Post {post}\n---\n");
        for number in 0..pictures {
            let seed = crate::harness::pictures::next_seed();
            let image = crate::harness::pictures::scene(seed, 24, 16);
            fixture.put(
                &format!("p{post}/{number}.jpg"),
                crate::harness::pictures::jpeg(&image),
            );
            text += &format!("Some words.\n\n![picture {number}]({number}.jpg \"title\")\n\n");
        }
        fixture.put(&format!("p{post}/index.md"), text);
    }
}

#[tokio::test]
async fn without_write_there_is_a_diff_that_is_what_write_does() {
    let fixture = Fixture::new();
    fixture.picture("a.png");
    fixture.put("crlf.md", "one\r\n![](a.png)\r\nthree\r\n");
    fixture.put("posts/lf.md", "one\n\n![x](../a.png)");
    let before = fixture.files();
    let ended = fixture.run(&["adopt", "blog"]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert!(before == fixture.files(), "a file was changed");
    assert_eq!(files::stored_hashes(&fixture.data()), Vec::<String>::new());
    assert!(
        ended
            .stderr
            .contains("1 pictures would come here, and 2 addresses in 2 posts"),
        "{ended:?}"
    );
    let expected = format!(
        "--- a/crlf.md\n+++ b/crlf.md\n@@ -1,3 +1,3 @@\n one\r\n-![](a.png)\r\n+![]({BASE}/i/NEW.webp)\r\n \
         three\r\n--- a/posts/lf.md\n+++ b/posts/lf.md\n@@ -1,3 +1,3 @@\n one\n \n-![x](../a.png)\n\
         \\ No newline at end of file\n+![x]({BASE}/i/NEW.webp)\n\\ No newline at end of file\n"
    );
    assert_eq!(ended.stdout, expected);
    fixture.adopt(&[]).await;
    assert_eq!(
        without_hashes(&fixture.read("crlf.md")),
        "one\r\n![](URL)\r\nthree\r\n"
    );
    assert_eq!(
        without_hashes(&fixture.read("posts/lf.md")),
        "one\n\n![x](URL)"
    );
}

#[tokio::test]
async fn without_a_permanent_address_nothing_is_written() {
    let fixture = Fixture::new();
    fixture.picture("a.png");
    fixture.put("a.md", "![](a.png)");
    for settings in ["", "[server]\npublic_url = \"http://192.168.1.5:4780\"\n"] {
        fs::write(fixture.data().join("settings.toml"), settings).expect("to write");
        let ended = fixture.run(&["adopt", "blog", "--write"]).await;
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        assert!(
            ended
                .stderr
                .contains("links need a permanent address first"),
            "{ended:?}"
        );
        assert!(ended.stderr.contains("server.public_url"), "{ended:?}");
        // The plan needs none.
        assert!(fixture.run(&["adopt", "blog"]).await.status.success());
    }
    assert_eq!(fixture.read("a.md"), "![](a.png)");
    assert_eq!(files::stored_hashes(&fixture.data()), Vec::<String>::new());
}

#[tokio::test]
async fn undo_puts_back_what_was_not_edited_since_and_names_the_rest() {
    let fixture = Fixture::new();
    many(&fixture, 3, 2);
    let before: Vec<String> = (0..3)
        .map(|post| fixture.read(&format!("p{post}/index.md")))
        .collect();
    let adopted = fixture.adopt(&[]).await;
    assert_eq!(
        (&adopted["posts"], &adopted["uploaded"]),
        (&3.into(), &6.into()),
        "{adopted}"
    );
    let id = adopted["id"].as_str().expect("an id");
    let mine = fixture.read("p1/index.md") + "edited\n";
    fixture.put("p1/index.md", &mine);
    fs::remove_file(fixture.blog().join("p2/index.md")).expect("a post");

    let ended = fixture.run(&["undo"]).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stdout.contains("restored p0/index.md"), "{ended:?}");
    assert!(
        ended
            .stdout
            .contains("the 6 pictures that came with it stay"),
        "{ended:?}"
    );
    assert!(
        ended.stderr.contains("p1/index.md: it was edited since"),
        "{ended:?}"
    );
    assert!(ended.stderr.contains("p2/index.md"), "{ended:?}");
    assert_eq!(fixture.read("p0/index.md"), before[0]);
    assert_eq!(fixture.read("p1/index.md"), mine);
    assert_eq!(files::stored_hashes(&fixture.data()).len(), 6);

    // What is left can be put back once the edit is gone.
    fixture.put(
        "p1/index.md",
        mine.strip_suffix("edited\n").expect("the edit"),
    );
    let ended = fixture.run(&["undo", id]).await;
    assert_eq!(fixture.read("p1/index.md"), before[1], "{ended:?}");
    let ended = fixture.run(&["undo"]).await;
    assert!(
        !ended.status.success() && ended.stderr.contains("no adoption to undo"),
        "{ended:?}"
    );
    let ended = fixture.run(&["undo", "nothing"]).await;
    assert!(ended.stderr.contains(id), "{ended:?}");
}

#[tokio::test]
async fn undo_is_of_the_last_run_that_changed_a_file() {
    let fixture = Fixture::new();
    fixture.picture("a.png");
    fixture.put("a.md", "![](a.png)");
    fixture.adopt(&[]).await;
    fixture.picture("b.png");
    fixture.put("b.md", "![](b.png)");
    fixture.adopt(&[]).await;
    // Nothing is left to change.
    let nothing = fixture.adopt(&[]).await;
    assert_eq!(nothing["id"], Value::Null);
    for (file, other) in [("b.md", "a.md"), ("a.md", "b.md")] {
        let ended = fixture.run(&["undo"]).await;
        assert!(ended.status.success(), "{ended:?}");
        assert!(
            ended.stdout.contains(&format!("restored {file}")),
            "{ended:?}"
        );
        assert!(!ended.stdout.contains(other), "{ended:?}");
    }
    assert_eq!(
        (fixture.read("a.md"), fixture.read("b.md")),
        ("![](a.png)".into(), "![](b.png)".into())
    );
}

#[tokio::test]
async fn a_kill_leaves_each_post_whole_and_all_of_it_can_be_undone_or_completed() {
    for undone in [true, false] {
        let fixture = Fixture::new();
        many(&fixture, 150, 1);
        let posts = || (0..150).map(|post| fixture.read(&format!("p{post}/index.md")));
        let before: Vec<String> = posts().collect();
        let mut running = fixture.command(&["adopt", "blog", "--write"]);
        // It begins with the first.
        eventually("a post that has changed", async || {
            (fixture.read("p0/index.md") != before[0]).then_some(())
        })
        .await;
        running.kill();
        running.wait().await;
        let after: Vec<String> = posts().collect();
        let mut changed = 0;
        for (before, after) in before.iter().zip(&after) {
            let is_changed = before != after;
            changed += usize::from(is_changed);
            let whole = before.replace("0.jpg", "URL");
            assert!(!is_changed || without_hashes(after) == whole, "{after}");
        }
        assert!(changed > 0);
        if undone {
            let ended = fixture.run(&["undo"]).await;
            assert!(ended.status.success(), "{ended:?}");
            assert_eq!(posts().collect::<Vec<_>>(), before);
        }
        let adopted = fixture.adopt(&[]).await;
        let left = if undone { 150 } else { 150 - changed };
        assert_eq!(adopted["posts"], left, "{adopted}");
        assert_eq!(files::stored_hashes(&fixture.data()).len(), 150);
        for (before, after) in before.iter().zip(posts()) {
            assert_eq!(without_hashes(&after), before.replace("0.jpg", "URL"));
        }
        let parts = fixture.files().into_keys().filter(|file| {
            let name = file
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            name.starts_with('.')
        });
        assert_eq!(parts.count(), 0, "an unfinished file was left");
    }
}

#[tokio::test]
async fn beside_a_running_porchlight_it_works_through_that() {
    let fixture = Fixture::new();
    fixture.picture("a.png");
    fixture.put("posts/a.md", "![](/a.png)");
    let service = TestService::builder()
        .data_dir(fixture.data())
        .start()
        .await;
    // The folder is from where it is typed, not from where the service runs.
    let adopted = fixture.adopt(&[]).await;
    assert_eq!(
        (&adopted["posts"], &adopted["uploaded"]),
        (&1.into(), &1.into()),
        "{adopted}"
    );
    let text = fixture.read("posts/a.md");
    assert_eq!(without_hashes(&text), "![](URL)");
    let path = text
        .trim_start_matches("![](")
        .trim_start_matches(BASE)
        .trim_end_matches(')');
    assert_eq!(service.get(path).await.status(), 200);
    let (code, _) = fixture.json(&["undo"]).await;
    assert_eq!(
        (code, fixture.read("posts/a.md").as_str()),
        (0, "![](/a.png)")
    );
    // It has its own address: nobody else may choose another.
    let ended = fixture
        .run(&[
            "adopt",
            "blog",
            "--set",
            "server.public_url=https://x.example",
        ])
        .await;
    assert!(!ended.status.success(), "{ended:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_outside_of_the_folder_is_ever_uploaded_or_changed() {
    use std::os::unix::fs::symlink;

    let fixture = Fixture::new();
    let home = fixture.home.path();
    fs::write(home.join("secret.png"), picture()).expect("to write");
    fs::create_dir(home.join("other")).expect("a folder");
    fs::write(home.join("other/p.png"), picture()).expect("to write");
    fs::write(home.join("other/post.md"), "![](p.png)").expect("to write");
    fixture.picture("own.png");
    symlink("../secret.png", fixture.blog().join("link.png")).expect("a link");
    symlink("../other", fixture.blog().join("folder")).expect("a link");
    symlink("../other/post.md", fixture.blog().join("post.md")).expect("a link");
    symlink("own.png", fixture.blog().join("inside.png")).expect("a link");
    let secret = home.join("secret.png");
    let secret = secret.to_str().expect("UTF-8");
    let addresses = [
        "../secret.png",
        "..%2fsecret.png",
        "%2e%2e/secret.png",
        r"..\secret.png",
        "a/../../secret.png",
        "/../secret.png",
        "link.png",
        "folder/p.png",
        secret,
        &format!("file://{secret}"),
        "../../../../../../etc/x.png",
    ];
    let text: String = addresses
        .iter()
        .map(|address| format!("![]({address})\n\n"))
        .collect();
    fixture.put("a.md", &text);
    let (_, report) = fixture.json(&["scan", "blog"]).await;
    for one in report["references"].as_array().expect("a list") {
        let kind = one["kind"].as_str().expect("a kind");
        assert!(["outside", "missing"].contains(&kind), "{one}");
    }
    let adopted = fixture.adopt(&[]).await;
    assert_eq!(
        (&adopted["posts"], &adopted["uploaded"]),
        (&0.into(), &0.into()),
        "{adopted}"
    );
    assert_eq!(fixture.read("a.md"), text);
    assert_eq!(
        fs::read_to_string(home.join("other/post.md")).expect("a post"),
        "![](p.png)"
    );

    // A link that stays inside is the file that it leads to.
    fixture.put(
        "b.md",
        format!(
            "![](inside.png) ![](file://{}/own.png)",
            fixture.blog().display()
        ),
    );
    let adopted = fixture.adopt(&[]).await;
    assert_eq!(
        (&adopted["references"], &adopted["uploaded"]),
        (&2.into(), &1.into()),
        "{adopted}"
    );
}

#[tokio::test]
async fn pictures_that_only_drafts_use_stay_unless_they_are_asked_for() {
    let fixture = Fixture::new();
    for name in ["yaml", "toml", "hidden", "folder", "both"] {
        fixture.picture(&format!("{name}.png"));
    }
    fixture.put(
        "yaml.md",
        "---\ndraft: true\n---\n![](yaml.png) ![](both.png)",
    );
    fixture.put("toml.md", "+++\ndraft = true\n+++\n![](toml.png)");
    fixture.put("hidden.md", "---\npublished: false\n---\n![](hidden.png)");
    fixture.put("_drafts/d.md", "![](../folder.png)");
    fixture.put("out.md", "---\ndraft: false\n---\n![](both.png)");
    let adopted = fixture.adopt(&[]).await;
    assert_eq!(
        (&adopted["posts"], &adopted["uploaded"]),
        (&2.into(), &1.into()),
        "{adopted}"
    );
    assert_eq!(
        without_hashes(&fixture.read("yaml.md")),
        "---\ndraft: true\n---\n![](yaml.png) ![](URL)"
    );
    let adopted = fixture.adopt(&["--drafts"]).await;
    assert_eq!(
        (&adopted["posts"], &adopted["uploaded"]),
        (&4.into(), &4.into()),
        "{adopted}"
    );
}

#[tokio::test]
async fn a_front_matter_that_cannot_be_read_may_be_that_of_a_draft() {
    let fixture = Fixture::new();
    for name in ["unread", "twice", "deep", "good"] {
        fixture.picture(&format!("{name}.png"));
    }
    fixture.put(
        "unread.md",
        "---\ndraft: true\ntitle: a: b\n---\n![](unread.png)",
    );
    // A key that stands twice can be read, and so can deep nesting.
    fixture.put("twice.md", "---\ntags: a\ntags: b\ncover: twice.png\n---\n");
    let deep = format!(
        "---\na: b\nc:\n {}\n---\n![](deep.png)",
        "- ".repeat(100_000)
    );
    fixture.put("deep.md", deep);
    fixture.put("good.md", "---\ntitle: c\n---\n![](good.png)");
    let (code, done) = fixture.json(&["adopt", "blog", "--write"]).await;
    assert_eq!(code, 1, "{done}");
    assert_eq!(done["report"]["unread"][0]["file"], "unread.md", "{done}");
    assert_eq!(fixture.read("unread.md").matches("unread.png").count(), 1);
    for post in ["twice.md", "deep.md", "good.md"] {
        assert!(
            fixture.read(post).contains(BASE),
            "{post}: {}",
            done["adopted"]
        );
    }
}

#[tokio::test]
async fn what_cannot_be_adopted_is_named_and_the_rest_is_done() {
    let fixture = Fixture::new();
    fixture.picture("good.png");
    fixture.put("text.png", "this is no picture");
    let whole = picture();
    fixture.put("half.png", &whole[..whole.len() / 2]);
    fixture.put("empty.png", "");
    let text =
        "![](good.png)\n\n![](text.png)\n![](half.png)\n\n<img src=\"empty.png\">\n![](gone.png)\n";
    fixture.put("a.md", text);
    fixture.put("latin.md", b"caf\xe9 ![](good.png)");
    fixture.put("yaml.md", "---\ncover: [good.png\n---\n![](good.png)");
    fixture.put("long.md", vec![b'a'; 16 * 1024 * 1024 + 1]);
    let ended = fixture.run(&["adopt", "blog", "--write"]).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    for line in [
        "failed   a.md:3  text.png: it is not a picture that is read here",
        "failed   a.md:4  half.png: the picture is broken",
        "failed   a.md:6  empty.png: the picture is broken",
        "left     latin.md: its text is not UTF-8",
        "left     long.md: it is longer than 16 MiB",
        "left     yaml.md: its front matter is left as it is",
    ] {
        assert!(ended.stderr.contains(line), "{line}: {}", ended.stderr);
    }
    assert!(
        ended
            .stdout
            .contains("1 pictures uploaded, 0 already here; 2 addresses in 2 posts")
    );
    assert_eq!(
        without_hashes(&fixture.read("a.md")),
        text.replace("good.png", "URL")
    );
    assert_eq!(
        without_hashes(&fixture.read("yaml.md")),
        "---\ncover: [good.png\n---\n![](URL)"
    );
    let latin = fs::read(fixture.blog().join("latin.md")).expect("a post");
    assert_eq!(latin, b"caf\xe9 ![](good.png)");
}

#[cfg(unix)]
#[tokio::test]
async fn a_post_keeps_its_rights_and_one_that_is_read_only_is_left() {
    use std::os::unix::fs::PermissionsExt as _;

    let fixture = Fixture::new();
    fixture.picture("a.png");
    for (file, mode) in [("a.md", 0o640), ("b.md", 0o755), ("c.md", 0o444)] {
        fixture.put(file, "![](a.png)");
        let path = fixture.blog().join(file);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    }
    let ended = fixture.run(&["adopt", "blog", "--write"]).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("c.md: it is read-only"), "{ended:?}");
    assert_eq!(fixture.read("c.md"), "![](a.png)");
    files::assert_mode(&fixture.blog().join("a.md"), 0o640);
    files::assert_mode(&fixture.blog().join("b.md"), 0o755);
    assert_eq!(without_hashes(&fixture.read("a.md")), "![](URL)");
}

#[tokio::test]
async fn responsive_images_get_their_size_and_widths_where_they_have_none() {
    let fixture = Fixture::new();
    let wide = pictures::jpeg(&pictures::scene(pictures::next_seed(), 700, 350));
    fixture.put("a.jpg", wide);
    let html = "<img src=\"a.jpg\" alt=\"x\">\n<img src=a.jpg>\n<img src='a.jpg' width=\"3\">\n\
                <img src=\"a.jpg\" srcset=\"a.jpg 1x\">\n\n![](a.jpg)\n";
    fixture.put("a.md", html);
    fixture.adopt(&["--responsive"]).await;
    let srcset = " srcset=\"URL?w=320 320w, URL?w=640 640w, URL 700w\" sizes=\"auto, 100vw\" \
                  loading=\"lazy\"";
    let size = " width=\"700\" height=\"350\"";
    assert_eq!(
        without_hashes(&fixture.read("a.md")),
        format!(
            "<img src=\"URL\"{srcset}{size} alt=\"x\">\n<img src=URL{srcset}{size}>\n\
             <img src='URL'{srcset} width=\"3\">\n<img src=\"URL\"{size} srcset=\"URL 1x\">\n\n![](URL)\n"
        )
    );
    let (code, _) = fixture.json(&["undo"]).await;
    assert_eq!((code, fixture.read("a.md").as_str()), (0, html));
}

/// An editor that saves while the posts are written loses nothing.
#[tokio::test]
async fn what_is_saved_meanwhile_is_kept() {
    let fixture = Fixture::new();
    many(&fixture, 40, 1);
    let saved = "what the editor has saved\n";
    let mut running = fixture.command(&["adopt", "blog", "--write"]);
    eventually("a post that has changed", async || {
        (fixture.read("p0/index.md").contains(BASE)).then_some(())
    })
    .await;
    // The files are written in the order of their names.
    for post in [8, 9] {
        fixture.put(&format!("p{post}/index.md"), saved);
    }
    running.wait().await;
    for post in [8, 9] {
        assert_eq!(fixture.read(&format!("p{post}/index.md")), saved);
    }
}

/// How much memory ten times as many pictures take.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn memory_does_not_grow_with_the_number_of_pictures() {
    measure(40).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "it takes minutes: cargo xtask verify --only blogs"]
async fn a_thousand_posts_with_ten_thousand_pictures_are_adopted_in_little_memory() {
    measure(1_000).await;
}

/// Adopts so many posts with ten pictures each, and a tenth of them.
#[cfg(target_os = "linux")]
async fn measure(posts: usize) {
    let mut peaks = Vec::new();
    for posts in [posts / 10, posts] {
        let fixture = Fixture::new();
        many(&fixture, posts, 10);
        let start = std::time::Instant::now();
        let mut running = fixture.command(&["adopt", "blog", "--write", "--json"]);
        let pid = running.pid().expect("a process");
        let peak = tokio::task::spawn_blocking(move || {
            let mut peak = 0;
            while std::path::Path::new(&format!("/proc/{pid}/smaps_rollup")).exists() {
                let now = crate::harness::memory::anonymous_of(pid);
                if now == 0 {
                    break;
                }
                peak = peak.max(now);
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            peak
        });
        let status = running.wait_for_long().await;
        assert!(status.success(), "{}", running.stderr());
        let peak = peak.await.expect("no panic");
        eprintln!(
            "{posts} posts with {} pictures: {:.1} s, at most {:.1} MB",
            posts * 10,
            start.elapsed().as_secs_f64(),
            peak as f64 / 1e6
        );
        peaks.push(peak);
        let adopted: Value = serde_json::from_str(&running.stdout()).expect("JSON");
        assert_eq!(adopted["adopted"]["uploaded"], posts * 10);
    }
    let (few, many) = (peaks[0], peaks[1]);
    // A reference takes a few hundred bytes.
    assert!(many < few + 40_000_000, "{few} and {many} bytes");
}

#[cfg(unix)]
#[tokio::test]
async fn only_an_adoption_starts_the_upload_queue() {
    let fixture = Fixture::new();
    fixture.picture("a.png");
    fixture.put("a.md", "![](a.png)");
    fixture.adopt(&[]).await;
    // What waits in the queue is none of a scan's business.
    let database =
        rusqlite::Connection::open(fixture.data().join("porchlight.db")).expect("a database");
    let other = fixture.home.path().join("other.png");
    fs::write(&other, picture()).expect("to write");
    database
        .execute(
            "INSERT INTO upload (file, bytes, changed, state, turn) VALUES (?, 1, 0, 0, 1000)",
            [other.to_str().expect("UTF-8").as_bytes()],
        )
        .expect("a row");
    drop(database);
    for words in [&["scan", "blog"][..], &["adopt", "blog"], &["undo"]] {
        let ended = fixture.run(words).await;
        assert!(ended.status.success(), "{ended:?}");
        assert_eq!(files::stored_hashes(&fixture.data()).len(), 1, "{words:?}");
    }
}

#[tokio::test]
async fn what_could_not_be_put_back_can_be_later_and_files_of_like_names_stay() {
    let fixture = Fixture::new();
    fixture.picture("a.png");
    for post in ["one.md", "two.md"] {
        fixture.put(post, "![](a.png)");
    }
    fixture.put(".env.porchlight-backup", "mine");
    let adopted = fixture.adopt(&[]).await;
    assert_eq!(adopted["posts"], 2, "{adopted}");
    assert_eq!(fixture.read(".env.porchlight-backup"), "mine");
    // A drive that is away.
    let away = fixture.home.path().join("away");
    fs::rename(fixture.blog(), &away).expect("to move");
    let (code, undone) = fixture.json(&["undo"]).await;
    assert_eq!(
        (code, undone["left"].as_array().map(Vec::len)),
        (1, Some(2)),
        "{undone}"
    );
    fs::rename(&away, fixture.blog()).expect("to move");
    let (code, undone) = fixture.json(&["undo"]).await;
    assert_eq!(code, 0, "{undone}");
    for post in ["one.md", "two.md"] {
        assert_eq!(fixture.read(post), "![](a.png)");
    }
    assert!(!fixture.run(&["undo"]).await.status.success());
}
