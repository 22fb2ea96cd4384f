//! The example of `docs/blog.md`, followed to the letter.

use std::path::Path;

use crate::{Fixture, without_hashes};

/// The blocks of the page that are fenced with these words, in order.
fn blocks(page: &str, fence: &str) -> Vec<String> {
    let begin = format!("```{fence}\n");
    let parts = page.split(&begin).skip(1);
    let inside = |part: &str| part.split("\n```").next().unwrap_or_default().to_owned();
    parts.map(inside).collect()
}

/// The text with one id in place of each.
fn with_one_id(text: &str) -> String {
    let is_id = |word: &&str| word.len() == 17 && word.bytes().all(|byte| byte.is_ascii_digit());
    let mut plain = text.to_owned();
    for id in text.split([' ', '`', ';', '\n']).filter(is_id) {
        plain = plain.replace(id, "ID");
    }
    plain
}

#[tokio::test]
async fn the_example_of_the_documents_prints_what_they_say() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/blog.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let fixture = Fixture::new();
    std::fs::rename(fixture.blog(), fixture.home.path().join("my-blog")).expect("renamed");
    std::os::unix::fs::symlink("my-blog", fixture.blog()).expect("a link");
    for picture in ["harbour", "a boat", "old"] {
        fixture.picture(&format!("source/images/{picture}.png"));
    }
    let post = format!("{}\n", blocks(&page, "markdown")[0]);
    fixture.put("source/_posts/trip.md", &post);
    let sessions = blocks(&page, "console");
    assert_eq!(sessions.len(), 4);
    for session in sessions {
        let (command, expected) = session
            .split_once('\n')
            .expect("a command and what it prints");
        let words: Vec<&str> = command
            .strip_prefix("$ porchlight blog ")
            .expect("a command")
            .split(' ')
            .collect();
        let ended = fixture.run(&words).await;
        assert!(ended.status.success(), "{ended:?}");
        let folder = fixture.home.path().join("my-blog");
        let folder = std::fs::canonicalize(folder).expect("a folder");
        let printed = ended
            .stdout
            .replace(&folder.display().to_string(), "my-blog");
        assert_eq!(
            with_one_id(printed.trim_end()),
            with_one_id(expected),
            "{command}"
        );
        if command.ends_with("--write") {
            let expected = post
                .replace("/images/harbour.png", "URL")
                .replace("../images/a%20boat.png", "URL");
            assert_eq!(
                without_hashes(&fixture.read("source/_posts/trip.md")),
                expected
            );
        }
    }
    assert_eq!(fixture.read("source/_posts/trip.md"), post);
}
