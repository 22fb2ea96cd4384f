//! Posts of random text: nothing outside of the addresses changes.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::Fixture;

/// What posts are made of: all that means something to Markdown, HTML, YAML or a template, and some words.
const PIECES: [&str; 66] = [
    "word ",
    "两个字 ",
    "é",
    "🦀",
    "\n",
    "\n\n",
    " ",
    "    ",
    "\t",
    "\r\n",
    "\n# ",
    "- ",
    "1. ",
    "> ",
    "| ",
    "|---|---|\n",
    "```\n",
    "``",
    "`",
    "~~~\n",
    "![",
    "[",
    "]",
    "](",
    ")",
    "(",
    "<",
    ">",
    "\"",
    "'",
    "\\",
    "*",
    "_",
    "[^1]",
    "[^1]: ",
    "[r]: ",
    "![r]",
    "[r][]",
    "<!--",
    "-->",
    "<img src=\"",
    "<img srcset=\"",
    "<a href='",
    "\">",
    "' />",
    "<script>",
    "</script>",
    "<pre>",
    "</pre>",
    "<div>\n",
    "</div>\n",
    "&amp;",
    "&",
    "{{",
    "}}",
    "{%",
    "%}",
    "---\n",
    "+++\n",
    "cover: ",
    "{{ site.baseurl }}",
    "<picture><source srcset=\"",
    ", ",
    " 2x",
    "<textarea>",
    "=",
];
/// The addresses in them. None is a part of another, and no piece has one.
const ADDRESSES: [&str; 5] = ["pic.png", "sub/qic.png", "q%20r.png", "图.png", "./sic.png"];
/// Pieces around an address that make a whole form likely.
const FORMS: [(&str, &str); 8] = [
    ("![x](", ")"),
    ("![](<", "> \"t\")"),
    ("[![x](", ")](http://x.example)"),
    ("[r]: ", "\n"),
    ("<img alt='a' src=\"", "\">"),
    ("<img srcset=\"", " 1x\">"),
    ("{{< figure src=\"", "\" >}}"),
    ("", ""),
];

fn text(random: &mut StdRng) -> String {
    let mut text = String::new();
    if random.random_bool(0.1) {
        text.push('\u{feff}');
    }
    for _ in 0..random.random_range(5..60) {
        match random.random_bool(0.3) {
            true => {
                let (before, after) = FORMS[random.random_range(0..FORMS.len())];
                let address = ADDRESSES[random.random_range(0..ADDRESSES.len())];
                text += &format!("{before}{address}{after}");
            }
            false => text += PIECES[random.random_range(0..PIECES.len())],
        }
    }
    text
}

/// The text with one sign for each address, old or new. The expression of a template is part of an address.
fn blanked(text: &str) -> String {
    let mut plain = crate::without_hashes(text).replace("URL", "§");
    for address in ADDRESSES {
        plain = plain.replace(address, "§");
    }
    plain.replace("{{ site.baseurl }}§", "§")
}

#[tokio::test]
async fn random_text_never_changes_outside_of_its_addresses() {
    const POSTS: u64 = 2_000;

    let fixture = Fixture::new();
    for file in ["pic.png", "sub/qic.png", "q r.png", "图.png", "sic.png"] {
        fixture.picture(file);
    }
    let posts: Vec<(String, String)> = (0..POSTS)
        .map(|seed| {
            let ending = ["md", "html", "mdx"][usize::try_from(seed % 3).expect("a place")];
            let file = format!("{seed}.{ending}");
            let text = text(&mut StdRng::seed_from_u64(seed));
            fixture.put(&file, &text);
            (file, text)
        })
        .collect();
    // Some have a front matter that cannot be read.
    let (_, done) = fixture.json(&["adopt", "blog", "--write"]).await;
    let adopted = &done["adopted"];
    let changed = adopted["posts"].as_u64().expect("a number");
    assert!(changed > POSTS / 2, "{adopted}");
    assert_eq!(
        adopted["failed"].as_array().map(Vec::len),
        Some(0),
        "{adopted}"
    );
    assert_eq!(
        adopted["left"].as_array().map(Vec::len),
        Some(0),
        "{adopted}"
    );
    for (file, before) in &posts {
        let after = fixture.read(file);
        assert_eq!(
            blanked(&after),
            blanked(before),
            "{file}: {before:?} became {after:?}"
        );
    }
    let again = fixture.json(&["adopt", "blog", "--write"]).await.1;
    assert_eq!(again["adopted"]["posts"], 0, "twice is not once");
    let (code, undone) = fixture.json(&["undo"]).await;
    assert_eq!(code, 0, "{undone}");
    for (file, before) in &posts {
        assert_eq!(&fixture.read(file), before, "{file}");
    }
}
