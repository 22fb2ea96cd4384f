//! Sites of strangers: the examples that three themes have on npm, as `themes.sh` unpacks them with the packages
//! that build them. They are scanned, built, adopted, built again, compared, and put back.

use std::fs;
use std::path::Path;

use crate::harness::pictures;
use crate::sites::{NEARLY_THE_SAME, World, hashes_in};
use crate::{files_below, without_hashes};

/// The mean difference of a channel that a missing picture makes on a page of text.
const A_PICTURE: f64 = 0.5;

/// What a page becomes a post with.
const POST: &str = "---\ntitle: A post\ndate: 2026-01-01 00:00:00\n---\n";

/// An example, and what is expected of it.
struct Example {
    name: &'static str,
    /// What is copied into the blog: from below the unpacked packages, to below the blog.
    parts: &'static [(&'static str, &'static str)],
    files: &'static [(&'static str, &'static str)],
    build: &'static [&'static str],
    /// The page that is looked at.
    page: &'static str,
    /// Addresses of local pictures in its posts, and how many pictures these are.
    references: usize,
    pictures: usize,
    /// Whether its pictures show before it is adopted, too.
    shows_before: bool,
}

const EXAMPLES: [Example; 3] = [
    Example {
        name: "astro",
        parts: &[
            ("astro-accelerator/src", "src"),
            ("astro-accelerator/public", "public"),
            ("astro-accelerator/sample", ""),
            ("astro-accelerator/astro.config.mjs", "astro.config.mjs"),
            ("astro-accelerator/tsconfig.json", "tsconfig.json"),
            ("astro-accelerator/env.d.ts", "env.d.ts"),
            ("astro-accelerator/package.json", "package.json"),
        ],
        files: &[],
        build: &[
            "sh",
            "-c",
            "node node_modules/astro/astro.js build && rm -rf \"$0\" && mv dist \"$0\"",
            "{out}",
        ],
        page: "articles/1/",
        references: 1,
        pictures: 1,
        // The theme shows copies of the files, which a program of its own makes.
        shows_before: false,
    },
    // A site whose posts are the pages about the theme, in three languages.
    Example {
        name: "hexo",
        parts: &[
            ("hexo-theme-a4", "themes/a4"),
            ("hexo-theme-a4/source/img", "source/img"),
            ("hexo-theme-a4/README.md", "source/_posts/one.md"),
            ("hexo-theme-a4/README-EN.md", "source/_posts/two.md"),
            ("hexo-theme-a4/README_zh-TW.md", "source/_posts/three.md"),
        ],
        files: &[
            (
                "_config.yml",
                "title: x\nurl: https://site.example\nroot: /\npermalink: :title/\ntheme: a4\npublic_dir: public\n",
            ),
            (
                "package.json",
                "{\"name\":\"x\",\"version\":\"1.0.0\",\"hexo\":{\"version\":\"8.1.2\"},\"dependencies\":{\
                 \"hexo\":\"8.1.2\",\"hexo-renderer-ejs\":\"2.0.0\",\"hexo-renderer-marked\":\"7.0.1\"}}",
            ),
        ],
        build: &[
            "sh",
            "-c",
            "node node_modules/hexo-cli/bin/hexo generate --silent && rm -rf \"$0\" && mv public \"$0\" && rm -f db.json",
            "{out}",
        ],
        page: "one/",
        references: 18,
        pictures: 6,
        shows_before: false,
    },
    Example {
        name: "docusaurus",
        parts: &[
            ("create-docusaurus/templates/classic", ""),
            ("create-docusaurus/templates/shared", ""),
        ],
        files: &[],
        build: &[
            "node",
            "node_modules/@docusaurus/core/bin/docusaurus.mjs",
            "build",
            "--out-dir",
            "{out}",
        ],
        page: "docs/tutorial-extras/manage-docs-versions/",
        references: 4,
        pictures: 4,
        shows_before: true,
    },
];

fn copy(from: &Path, to: &Path) {
    for file in crate::harness::files::below(from) {
        let target = to.join(file.strip_prefix(from).expect("a file in it"));
        fs::create_dir_all(target.parent().expect("a folder")).expect("folders");
        fs::copy(&file, target).expect("a copy");
    }
}

#[tokio::test]
#[ignore = "npm packages that are not installed otherwise: cargo xtask verify --only blogs"]
async fn the_examples_of_themes_are_adopted_built_and_put_back_to_the_byte() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // It is kept: the packages are a thousand.
    let themes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("themes");
    let script = std::process::Command::new(root.join("tests/blog/themes.sh"))
        .arg(&themes)
        .arg(root.join("tests/quickstart/node_modules"))
        .status();
    assert!(
        script.expect("a script").success(),
        "the themes cannot be had from npm"
    );
    for example in EXAMPLES {
        is_adopted_built_and_put_back(&example, &themes).await;
    }
}

async fn is_adopted_built_and_put_back(example: &Example, themes: &Path) {
    let world = World::start().await;
    let (fixture, name) = (&world.fixture, example.name);
    for (from, to) in example.parts {
        let (from, to) = (themes.join(from), fixture.blog().join(to));
        match from.is_dir() {
            true => copy(&from, &to),
            false => {
                fs::create_dir_all(to.parent().expect("a folder")).expect("folders");
                let text = fs::read_to_string(&from).expect("a text");
                // Hexo builds no post that has no date.
                let is_post = to.extension().is_some_and(|ending| ending == "md");
                let head = if is_post { POST } else { "" };
                fs::write(to, format!("{head}{text}")).expect("to write");
            }
        }
    }
    for (file, text) in example.files {
        fixture.put(file, text);
    }
    let before = fixture.files();
    let packages = themes.join(name).join("node_modules");
    std::os::unix::fs::symlink(packages, fixture.blog().join("node_modules")).expect("a link");
    let built = world.build(example.build, "before").await;
    let was = world.drawn(&built, example.page).await;

    let adopted = fixture.adopt(&[]).await;
    let counts = [&adopted["references"], &adopted["uploaded"]];
    assert_eq!(
        counts,
        [example.references, example.pictures],
        "{name}: {adopted}"
    );
    let mut changed = 0;
    for (file, was) in &before {
        let is = fs::read(file).expect("a file");
        if is == *was {
            continue;
        }
        changed += 1;
        // Only lines with a new address differ.
        let [was, is] = [was, &is].map(|bytes| String::from_utf8(bytes.clone()).expect("text"));
        assert_eq!(was.lines().count(), is.lines().count(), "{file:?}");
        for (was, is) in was.lines().zip(is.lines()).filter(|(was, is)| was != is) {
            assert!(
                without_hashes(is).contains("URL"),
                "{file:?}: {was} became {is}"
            );
        }
    }
    assert_eq!(adopted["posts"], changed);

    let after = world.build(example.build, "after").await;
    let missing = world.drawn(&after, example.page).await;
    world.shows_pictures();
    let is = world.drawn(&after, example.page).await;
    assert_eq!(hashes_in(&after).len(), example.pictures, "{name}");
    let [same, different] =
        [&was, &missing].map(|other| match other.dimensions() == is.dimensions() {
            true => pictures::distance(&is, other),
            false => f64::MAX,
        });
    eprintln!(
        "{name}: mean difference: {same:.2} to before, {different:.2} to without the pictures"
    );
    // A picture is a small part of these pages.
    assert!(different > A_PICTURE, "{name}: {different}");
    let is_same = same < NEARLY_THE_SAME && same < different / 2.0;
    assert!(is_same || !example.shows_before, "{name}: {same}");
    let pages = |built: &Path| {
        let files = files_below(built).into_keys();
        let pages = files.filter(|file| file.extension().is_some_and(|ending| ending == "html"));
        let pages = pages.map(|page| page.strip_prefix(built).expect("a page").to_owned());
        pages.collect::<Vec<_>>()
    };
    assert_eq!(pages(&after), pages(&built), "{name}: other pages");

    let (code, undone) = fixture.json(&["undo"]).await;
    assert_eq!(code, 0, "{undone}");
    for (file, was) in &before {
        let is = fs::read(file).expect("a file");
        assert!(
            is == *was,
            "{name}: a byte is left over in {}",
            file.display()
        );
    }
}
