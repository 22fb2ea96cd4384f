//! Blogs of real generators: built, adopted, built again, and compared in a browser; then put back. The
//! browser gets the pictures from the service, through a proxy that knows the names.
//!
//! `cargo xtask test` takes Eleventy; the others take programs or time, and run in
//! `cargo xtask verify --only blogs`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fantoccini::Client;
use image::RgbImage;
use tokio::net::TcpStream;

use crate::harness::desktop::Desktop;
use crate::harness::edge::{Before, Edge};
use crate::harness::process::RunningProcess;
use crate::harness::tray::PYTHON;
use crate::harness::{TIMEOUT, TestService, browser, eventually, free_port, pictures};
use crate::{BASE, Fixture};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Where the built blog is.
const SITE: &str = "site.example";
/// The mean difference of a channel that WebP makes, and less than a picture that is missing makes.
pub(crate) const NEARLY_THE_SAME: f64 = 2.0;
const MISSING: f64 = 4.0;

/// A generator: what it is given, how it is started in the folder of the blog with `{out}` for where it
/// writes to, and the page that is looked at.
struct Generator {
    /// Where its npm packages are installed, if they are.
    packages: Option<&'static str>,
    files: &'static [(&'static str, &'static str)],
    pictures: &'static [&'static str],
    build: &'static [&'static str],
    page: &'static str,
    /// References that change.
    references: u64,
}

const ELEVENTY: Generator = Generator {
    packages: Some("tests/blog/sites"),
    files: &[
        (
            "eleventy.config.cjs",
            "module.exports = (config) => { config.addPassthroughCopy('img'); return { pathPrefix: '/' }; };",
        ),
        (
            "_includes/page.njk",
            "<!doctype html><html><body><h1>{{ title }}</h1><img src=\"{{ cover }}\">\n{{ content | safe }}</body></html>",
        ),
        (
            "posts/trip.md",
            "---\nlayout: page.njk\ntitle: A trip\ncover: /img/cover.jpg\n---\n\n![A](/img/a.jpg \"title\")\n\n\
             [![B](/img/b%20c.jpg)](/img/b%20c.jpg) `![A](/img/a.jpg)`\n\n> - ![d][d]\n\n\
             <img src=\"/img/a.jpg\" width=\"90\">\n\n[d]: </img/图.jpg>\n",
        ),
    ],
    pictures: &["img/cover.jpg", "img/a.jpg", "img/b c.jpg", "img/图.jpg"],
    build: &[
        "node",
        "node_modules/@11ty/eleventy/cmd.cjs",
        "--config=eleventy.config.cjs",
        "--output={out}",
    ],
    page: "posts/trip/",
    references: 6,
};

const HUGO: Generator = Generator {
    packages: None,
    files: &[
        (
            "hugo.toml",
            "baseURL = '/'\ntitle = 'x'\ndisableKinds = ['taxonomy', 'term', 'RSS', 'sitemap', 'home', 'section']\n\
             [markup.goldmark.renderer]\nunsafe = true\n",
        ),
        (
            "layouts/_default/single.html",
            "<!doctype html><html><body><h1>{{ .Title }}</h1>{{ with .Params.cover }}<img src=\"{{ . }}\">{{ end }}\
             {{ .Content }}</body></html>",
        ),
        (
            "content/trip/index.md",
            "+++\ntitle = 'A trip'\ncover = '/img/cover.jpg'\n+++\n\n![A](a.jpg \"title\")\n\n\
             {{< figure src=\"/img/b.jpg\" title=\"A figure\" >}}\n\n<img src=\"a.jpg\" width=\"90\">\n\n\
             {{< figure src=\"deep/c.jpg\" >}}\n",
        ),
    ],
    pictures: &[
        "static/img/cover.jpg",
        "static/img/b.jpg",
        "content/trip/a.jpg",
        "content/trip/deep/c.jpg",
    ],
    build: &["hugo", "--destination", "{out}"],
    page: "trip/",
    references: 5,
};

const JEKYLL: Generator = Generator {
    packages: None,
    files: &[
        ("_config.yml", "baseurl: ''\npermalink: /:title/\n"),
        (
            "_layouts/post.html",
            "<!doctype html><html><body><h1>{{ page.title }}</h1>{{ content }}</body></html>",
        ),
        (
            "_posts/2026-01-31-trip.md",
            "---\nlayout: post\ntitle: A trip\n---\n\n![A]({{ site.baseurl }}/assets/img/a.jpg){:width=\"90\"}\n\n\
             <img src=\"{{ '/assets/img/b.jpg' | relative_url }}\">\n\n![A](/assets/img/a.jpg 'title')\n\n\
             {% highlight html %}<img src=\"/assets/img/a.jpg\">{% endhighlight %}\n",
        ),
    ],
    pictures: &["assets/img/a.jpg", "assets/img/b.jpg"],
    build: &[
        "jekyll",
        "build",
        "--quiet",
        "--disable-disk-cache",
        "--destination",
        "{out}",
    ],
    page: "trip/",
    references: 3,
};

const HEXO: Generator = Generator {
    packages: Some("tests/quickstart"),
    files: &[
        (
            "_config.yml",
            "title: x\nurl: https://site.example\nroot: /\npermalink: :title/\npost_asset_folder: true\ntheme: plain\n\
             public_dir: public\nsyntax_highlighter: highlight.js\n",
        ),
        (
            "package.json",
            "{\"name\":\"x\",\"version\":\"1.0.0\",\"hexo\":{\"version\":\"8.1.2\"},\"dependencies\":{\
          \"hexo\":\"8.1.2\",\"hexo-renderer-ejs\":\"2.0.0\",\"hexo-renderer-marked\":\"7.0.1\"}}",
        ),
        (
            "themes/plain/layout/post.ejs",
            "<!doctype html><html><style>p { margin: 0 } img { display: block }</style><body><h1><%= page.title %></h1>\
             <img src=\"<%= page.cover %>\"><%- page.content %></body></html>",
        ),
        ("themes/plain/layout/index.ejs", "<!doctype html>"),
        (
            "source/_posts/trip.md",
            "---\ntitle: A trip\ndate: 2026-01-31 08:15:00\ncover: /images/cover.jpg\n---\n\n{% asset_img a.jpg A title %}\n\n\
             ![B](/images/b.jpg)\n\n```html\n<img src=\"/images/b.jpg\">\n```\n\n\
             {% asset_img small a.jpg 60 40 \"A small one\" %}\n",
        ),
    ],
    pictures: &[
        "source/_posts/trip/a.jpg",
        "source/images/b.jpg",
        "source/images/cover.jpg",
    ],
    build: &[
        "sh",
        "-c",
        "node node_modules/hexo-cli/bin/hexo generate --silent && rm -rf \"$0\" && mv public \"$0\" && rm -f db.json",
        "{out}",
    ],
    page: "trip/",
    references: 4,
};

const VITEPRESS: Generator = Generator {
    packages: Some("tests/blog/generators"),
    files: &[
        ("package.json", "{\"name\":\"x\",\"type\":\"module\"}"),
        (
            "docs/guide/trip.md",
            "# A trip\n\n![A](./a.jpg \"title\")\n\n![B](/b%20c.jpg)\n\n<img src=\"/b%20c.jpg\" width=\"90\">\n\n\
             ::: tip\n![A](a.jpg)\n:::\n\n```md\n![A](./a.jpg)\n```\n",
        ),
        ("docs/index.md", "# Home\n"),
    ],
    pictures: &["docs/guide/a.jpg", "docs/public/b c.jpg"],
    build: &[
        "node",
        "node_modules/vitepress/bin/vitepress.js",
        "build",
        "docs",
        "--outDir",
        "{out}",
    ],
    page: "guide/trip.html",
    references: 4,
};

const ASTRO: Generator = Generator {
    packages: Some("tests/blog/generators"),
    files: &[
        ("package.json", "{\"name\":\"x\",\"type\":\"module\"}"),
        (
            "astro.config.mjs",
            "export default { site: 'https://site.example', devToolbar: { enabled: false } };",
        ),
        (
            "src/layouts/Page.astro",
            "---\nconst { frontmatter } = Astro.props;\n---\n<html><body><h1>{frontmatter.title}</h1>\
             <img src={frontmatter.cover}><slot /></body></html>",
        ),
        (
            "src/pages/trip.md",
            "---\nlayout: ../layouts/Page.astro\ntitle: A trip\ncover: /img/cover.jpg\n---\n\n![A](../assets/a.jpg \"title\")\n\n\
             ![B](/img/b%20c.jpg)\n\n<img src=\"/img/b%20c.jpg\" width=\"90\">\n",
        ),
    ],
    pictures: &[
        "src/assets/a.jpg",
        "public/img/b c.jpg",
        "public/img/cover.jpg",
    ],
    build: &[
        "node",
        "node_modules/astro/astro.js",
        "build",
        "--outDir",
        "{out}",
    ],
    page: "trip/",
    references: 4,
};

/// A browser, the service, and the names that lead to them.
pub(crate) struct World {
    pub(crate) fixture: Fixture,
    service: TestService,
    edge: Edge,
    desktop: Desktop,
}

impl World {
    pub(crate) async fn start() -> Self {
        let mut desktop = Desktop::start_without_tray(&[]).await;
        // Generators and a browser on a busy machine.
        desktop.extend_deadline(Duration::from_secs(600));
        let fixture = Fixture::new();
        let service = TestService::builder()
            .data_dir(fixture.data())
            .start()
            .await;
        let edge = Edge::of(SITE).await;
        Self {
            fixture,
            service,
            edge,
            desktop,
        }
    }

    /// From now on the browser gets the pictures.
    pub(crate) fn shows_pictures(&self) {
        let port = self.service.address().port();
        let name = BASE.trim_start_matches("https://");
        self.edge.connect_through(Before::Cloudflare, name, port);
    }

    /// Builds the blog by these words, in which `{out}` is the folder of this name that is returned.
    pub(crate) async fn build(&self, words: &[&str], name: &str) -> PathBuf {
        let out = self.fixture.home.path().join(name);
        let words = words.iter();
        let words = words.map(|word| word.replace("{out}", out.to_str().expect("UTF-8")));
        let words: Vec<String> = words.collect();
        let mut command = self.desktop.command(&words[0]);
        command.args(&words[1..]).current_dir(self.fixture.blog());
        command
            .env("ASTRO_TELEMETRY_DISABLED", "1")
            .env("PATH", std::env::var("PATH").expect("a path"));
        let mut running = RunningProcess::spawn(command);
        let status = running.wait_for_long().await;
        assert!(
            status.success(),
            "{} {}",
            running.stdout(),
            running.stderr()
        );
        out
    }

    /// What the browser draws of the page, once all of its pictures have loaded or failed.
    pub(crate) async fn drawn(&self, built: &Path, page: &str) -> RgbImage {
        let port = free_port();
        let mut server = self.desktop.command(PYTHON);
        server.args(["-m", "http.server", "--bind", "127.0.0.1", "--directory"]);
        server.arg(built).arg(port.to_string());
        let _server = RunningProcess::spawn(server);
        eventually("a server", async || {
            TcpStream::connect(("127.0.0.1", port)).await.ok()
        })
        .await;
        self.edge.connect(SITE, port);
        let proxy = format!("--proxy={}", self.edge.proxy());
        let (client, _driver) =
            browser::open(&self.desktop, &["--ignore-tls-errors", &proxy]).await;
        client.set_window_size(900, 1_400).await.expect("a size");
        client
            .goto(&format!("https://{SITE}/{page}"))
            .await
            .expect("a page");
        settled(&client).await;
        let picture = client.screenshot().await.expect("a picture");
        client.close().await.expect("an open browser");
        image::load_from_memory(&picture).expect("a PNG").to_rgb8()
    }
}

/// Waits until each picture is decoded or has failed, and is drawn.
async fn settled(client: &Client) {
    let script = "const done = arguments[0];
        const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
        const decoded = () => Promise.allSettled([...document.images].map((image) => image.decode()));
        const all = () => decoded().then(drawn);
        if (document.readyState === 'complete') all(); else addEventListener('load', all);";
    let all = client.execute_async(script, Vec::new());
    let all = tokio::time::timeout(TIMEOUT, all)
        .await
        .expect("a page that is complete");
    all.expect("a script that runs");
}

/// The hashes in the page, also where the generator has escaped the address.
pub(crate) fn hashes_in(built: &Path) -> BTreeSet<String> {
    let pages = crate::harness::files::below(built).into_iter();
    let pages = pages.filter(|file| file.extension().is_some_and(|ending| ending == "html"));
    let text: String = pages
        .map(|page| fs::read_to_string(page).expect("a page"))
        .collect();
    let begin = format!("{BASE}/i/");
    text.split(&begin)
        .skip(1)
        .map(|rest| rest[..32].to_owned())
        .collect()
}

async fn is_the_same_before_and_after(generator: &Generator) {
    let world = World::start().await;
    let fixture = &world.fixture;
    for (file, text) in generator.files {
        fixture.put(file, text);
    }
    for file in generator.pictures {
        let scene = pictures::scene(pictures::next_seed(), 260, 150);
        fixture.put(file, pictures::jpeg(&scene));
    }
    if let Some(folder) = generator.packages {
        let packages = Path::new(ROOT).join(folder).join("node_modules");
        assert!(packages.exists(), "{} is not installed", packages.display());
        std::os::unix::fs::symlink(packages, fixture.blog().join("node_modules")).expect("a link");
    }
    let sources = || -> Vec<(String, Vec<u8>)> {
        let files = generator
            .files
            .iter()
            .map(|(file, _)| *file)
            .chain(generator.pictures.iter().copied());
        let read = |file: &str| {
            (
                file.to_owned(),
                fs::read(fixture.blog().join(file)).expect("a file"),
            )
        };
        files.map(read).collect()
    };
    let original = sources();
    let before = world.build(generator.build, "before").await;
    let was = world.drawn(&before, generator.page).await;

    let adopted = fixture.adopt(&[]).await;
    assert_eq!(adopted["references"], generator.references, "{adopted}");
    assert_eq!(adopted["uploaded"], generator.pictures.len(), "{adopted}");
    // The files are gone: what shows comes from the new address.
    for file in generator.pictures {
        fs::remove_file(fixture.blog().join(file)).expect("a picture");
    }
    let after = world.build(generator.build, "after").await;
    let missing = world.drawn(&after, generator.page).await;
    world.shows_pictures();
    let is = world.drawn(&after, generator.page).await;
    let [same, different] = [&is, &missing].map(|other| {
        assert_eq!(was.dimensions(), other.dimensions());
        pictures::distance(&was, other)
    });
    eprintln!("mean difference: {same:.2} with the pictures, {different:.2} without");
    assert!(
        same < NEARLY_THE_SAME && different > MISSING,
        "{same} {different}"
    );
    let hashes = hashes_in(&after);
    assert_eq!(hashes.len(), generator.pictures.len(), "{hashes:?}");
    for hash in hashes {
        let count = &world.service.json(&format!("/api_stats/i/{hash}")).await["count"];
        assert!(
            count.as_u64().is_some_and(|count| count > 0),
            "{hash} was not shown: {count}"
        );
    }

    for (file, bytes) in &original {
        if generator.pictures.contains(&file.as_str()) {
            fixture.put(file, bytes);
        }
    }
    let (code, undone) = fixture.json(&["undo"]).await;
    assert_eq!(code, 0, "{undone}");
    assert!(sources() == original, "a byte is left over");
}

#[tokio::test]
async fn a_blog_of_eleventy_looks_the_same_from_the_new_addresses() {
    is_the_same_before_and_after(&ELEVENTY).await;
}

#[tokio::test]
#[ignore = "Hugo is not installed for the other tests: cargo xtask verify --only blogs"]
async fn a_blog_of_hugo_looks_the_same_from_the_new_addresses() {
    is_the_same_before_and_after(&HUGO).await;
}

#[tokio::test]
#[ignore = "Jekyll is not installed for the other tests: cargo xtask verify --only blogs"]
async fn a_blog_of_jekyll_looks_the_same_from_the_new_addresses() {
    is_the_same_before_and_after(&JEKYLL).await;
}

#[tokio::test]
#[ignore = "it takes long: cargo xtask verify --only blogs"]
async fn a_blog_of_hexo_looks_the_same_from_the_new_addresses() {
    is_the_same_before_and_after(&HEXO).await;
}

#[tokio::test]
#[ignore = "its packages are large: cargo xtask verify --only blogs"]
async fn a_blog_of_vitepress_looks_the_same_from_the_new_addresses() {
    is_the_same_before_and_after(&VITEPRESS).await;
}

#[tokio::test]
#[ignore = "its packages are large: cargo xtask verify --only blogs"]
async fn a_blog_of_astro_looks_the_same_from_the_new_addresses() {
    is_the_same_before_and_after(&ASTRO).await;
}
