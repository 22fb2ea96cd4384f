//! Each form of a link, in each spelling and place, with each end of lines.

use std::collections::BTreeMap;

use crate::{BASE, Fixture};

/// Each file with its spellings in an address. The pictures are beside the posts.
const SPELLINGS: [(&str, &str); 15] = [
    ("plain", "pic.png"),
    ("dot", "./pic.png"),
    ("parent", "../posts/pic.png"),
    ("from the root", "/posts/pic.png"),
    ("spaces", "a b.png"),
    ("escaped", "a%20b.png"),
    ("plus", "c+d.png"),
    ("chinese", "照片.png"),
    ("chinese, escaped", "%E7%85%A7%E7%89%87.png"),
    ("upper case", "UP.PNG"),
    ("other case", "up.png"),
    ("query", "pic.png?v=2&w=3"),
    ("fragment", "pic.png#right"),
    ("windows", r"..\posts\pic.png"),
    ("no ending", "noend"),
];

/// The file that a spelling means, and the fragment that stays.
fn meant(spelling: &str) -> (&'static str, &'static str) {
    match spelling {
        "a b.png" | "a%20b.png" => ("a b.png", ""),
        "c+d.png" => ("c+d.png", ""),
        "照片.png" | "%E7%85%A7%E7%89%87.png" => ("照片.png", ""),
        "UP.PNG" | "up.png" => ("UP.PNG", ""),
        "noend" => ("noend", ""),
        "pic.png#right" => ("pic.png", "#right"),
        _ => ("pic.png", ""),
    }
}

/// What an address may hold where a form stands.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    /// Everything.
    All,
    /// No space.
    Words,
    /// A name without an ending is no picture.
    Values,
    /// Nor is one with a space.
    Links,
    /// The names of Obsidian: without escapes, queries and parts that lead up.
    Names,
}

impl Takes {
    fn takes(self, name: &str, spelling: &str) -> bool {
        match self {
            Self::All => true,
            Self::Words => !spelling.contains(' '),
            Self::Values => name != "no ending",
            Self::Links => !spelling.contains(' ') && name != "no ending",
            Self::Names => [
                "plain",
                "spaces",
                "chinese",
                "upper case",
                "other case",
                "from the root",
            ]
            .contains(&name),
        }
    }
}

/// A form with `§` for the address, and what it becomes.
struct Form {
    name: &'static str,
    before: &'static str,
    after: &'static str,
    takes: Takes,
}

const fn form(name: &'static str, before: &'static str, takes: Takes) -> Form {
    Form {
        name,
        before,
        after: before,
        takes,
    }
}

const fn changed(
    name: &'static str,
    before: &'static str,
    after: &'static str,
    takes: Takes,
) -> Form {
    Form {
        name,
        before,
        after,
        takes,
    }
}

/// In a line.
const INLINE: [Form; 27] = [
    form("inline", "![alt](§)", Takes::Words),
    form("inline, no text", "![](§)", Takes::Words),
    form("inline, title", "![alt *x*](§ \"a title\")", Takes::Words),
    form("inline, single quotes", "![alt](§ 'a title')", Takes::Words),
    form(
        "inline, brackets in the text",
        r"![a \] [b] `](c`](§)",
        Takes::Words,
    ),
    form("angle brackets", "![alt](<§>)", Takes::All),
    form(
        "angle brackets, title",
        "![alt](<§> \"a title\")",
        Takes::All,
    ),
    form("linked", "[![alt](§)](<§>)", Takes::Links),
    form(
        "linked elsewhere",
        "[![alt](§ \"t\")](https://other.example/x)",
        Takes::Words,
    ),
    form("link", "[text](§)", Takes::Links),
    form("img", "<img src=\"§\" alt=\"x\">", Takes::All),
    form("img, single quotes", "<img alt='x' src='§' />", Takes::All),
    form("img, no quotes", "<img src=§ alt=x>", Takes::Words),
    form("IMG, spaces", "<IMG  SRC = \"§\">", Takes::All),
    form(
        "srcset",
        "<img srcset=\"§ 1x, § 2x\" src=\"§\">",
        Takes::Words,
    ),
    form(
        "source",
        "<picture><source srcset=\"§ 640w,§ 1280w\"></picture>",
        Takes::Words,
    ),
    form(
        "poster",
        "<video poster=\"§\" src=\"v.mp4\"></video>",
        Takes::All,
    ),
    form("href", "<a href=\"§\">text</a>", Takes::Links),
    changed("wiki", "![[§]]", "![](§)", Takes::Names),
    changed("wiki, size", "![[§|300]]", "![|300](§)", Takes::Names),
    changed(
        "wiki, text",
        "![[§|some words]]",
        "![some words](§)",
        Takes::Names,
    ),
    changed(
        "wiki, folder",
        "![[posts/pic.png|300x200]]",
        "![|300x200](§)",
        Takes::Names,
    ),
    changed(
        "asset_img",
        "{% asset_img pic.png %}",
        "![](§)",
        Takes::Names,
    ),
    changed(
        "asset_img, title",
        "{% asset_img pic.png a [b] title %}",
        r"![a \[b\] title](§)",
        Takes::Names,
    ),
    form(
        "figure",
        "{{< figure src=\"§\" title=\"a > b\" >}}",
        Takes::All,
    ),
    changed(
        "baseurl",
        "![j]({{ site.baseurl }}/posts/pic.png)",
        "![j](§)",
        Takes::Names,
    ),
    changed(
        "relative_url",
        "<img src=\"{{ '/posts/pic.png' | relative_url }}\">",
        "<img src=\"§\">",
        Takes::Names,
    ),
];

/// Around a form in a line.
const PLACES: [(&str, &str, &str); 9] = [
    ("as it is", "", ""),
    ("between words", "words 中文 ", " and more."),
    ("strong", "**", "**"),
    ("list", "- item\n- ", ""),
    ("numbered list", "1. item\n   - ", "\n   - more"),
    ("quote", "> quoted ", "\n> more"),
    ("table", "| a | b |\n| --- | --- |\n| ", " | x |"),
    ("footnote", "text[^§§]\n\n[^§§]: ", ""),
    ("heading", "## ", ""),
];

/// Blocks of their own.
const BLOCKS: [Form; 9] = [
    form(
        "reference",
        "![alt][ref§§] and ![ref§§][]\n\n[ref§§]: § \"title\"",
        Takes::Words,
    ),
    form(
        "reference, angle brackets",
        "![ref§§]\n\n[Ref§§]: <§>",
        Takes::All,
    ),
    form(
        "reference on the next line",
        "![ref§§]\n\n[ref§§]:\n  §\n  'title'",
        Takes::Words,
    ),
    form(
        "html block",
        "<div>\n<img\n  alt=\"x\"\n  src=\"§\">\n</div>",
        Takes::All,
    ),
    form(
        "details",
        "<details>\n\n![alt](§)\n\n</details>",
        Takes::Words,
    ),
    form("quote over lines", "> ![alt\n> text](\n> §)", Takes::Words),
    form(
        "long srcset",
        "<img srcset=\"§ 1x,\n  § 2x\">",
        Takes::Words,
    ),
    changed(
        "table, wiki",
        "| a |\n| --- |\n| ![[§\\|300]] |",
        "| a |\n| --- |\n| ![\\|300](§) |",
        Takes::Names,
    ),
    form(
        "figure over lines",
        "{{% figure\n  title=\"x\"\n  src=\"§\" %}}",
        Takes::All,
    ),
];

/// Whole files.
const FRONT_MATTERS: [Form; 6] = [
    form(
        "yaml",
        "---\ntitle: pic.png\ncover: § # why\ndate: 2026-01-01\n---\ntext\n",
        Takes::Links,
    ),
    form(
        "yaml, quotes",
        "---\ncover: \"§\"\nmore:\n  image: '§'\n---\ntext\n",
        Takes::Values,
    ),
    form(
        "yaml, lists",
        "---\nimages: [\"§\", \"§\"]\ngallery:\n  - src: '§'\n---\n",
        Takes::Values,
    ),
    form(
        "toml",
        "+++\ntitle = 'pic.png'\ncover = '§'\n[params]\nimages = ['§']\n+++\ntext\n",
        Takes::Values,
    ),
    form(
        "json",
        "{\n  \"title\": \"pic.png\",\n  \"cover\": \"§\"\n}\ntext\n",
        Takes::Values,
    ),
    form(
        "yaml, not folded",
        "---\ntext: |\n  cover: pic.png\ncover: '§'\n---\n",
        Takes::Values,
    ),
];

/// What looks like a link to a picture and is none.
const STAYS: &str = "---
title: pic.png
description: \"pic.png\"
notes: |
  ![x](pic.png)
  cover: pic.png
# cover: pic.png
---
`![x](pic.png)` and ``<img src=\"pic.png\">`` and \\![x]\\(pic.png) and ![x](a b.png)

```markdown
![x](pic.png)
<img src=\"pic.png\">
[r]: pic.png
```

~~~
![[pic.png]]
~~~

    ![x](pic.png)

> ```
> {% asset_img pic.png %}
> ```

<!-- ![x](pic.png) <img src=\"pic.png\"> {% asset_img pic.png %} -->

<div>
<!-- this one has no end in its block

![x](pic.png) -->

<script>
const a = '<img src=\"pic.png\">';

const b = '![x](pic.png)';
</script>

<style>
a { background: url(pic.png) }
</style>

<img data-src=\"pic.png\" alt=\"src=pic.png\" title='<img src=\"pic.png\">'>
<img src=\"data:image/png;base64,AAAA\"> ![x](data:image/png;base64,AAAA)
<a title=\"pic.png\" href=\"#pic.png\">pic.png</a> <audio src=\"pic.png\"></audio>
[pic.png](other.html) [[pic.png]] <https://other.example/pic.png> https://other.example/pic.png
{% highlight html %}
<img src=\"pic.png\">
{% endhighlight %}
{% codeblock %} ![x](pic.png) {% endcodeblock %}
{{< highlight html >}}
<img src=\"pic.png\">
{{< /highlight >}}
{{</* figure src=\"pic.png\" */>}} {% comment %} ![x](pic.png) {% endcomment %}
![x]({{ page.cover }}) <img src=\"${cover}\"> <img src={cover}> <img src=\"<%= cover %>\">
![x](mailto:pic.png) ![x](video.mp4) [x](missing.pdf)
![[note]] ![[note#part]]
";

type Encoding = (&'static str, fn(String) -> String);

const ENCODINGS: [Encoding; 5] = [
    ("lf", |text| text),
    ("crlf", |text| text.replace('\n', "\r\n")),
    ("bom", |text| format!("\u{feff}{text}")),
    ("no-end", |text| text.trim_end().to_owned()),
    ("all", |text| {
        format!("\u{feff}{}", text.trim_end().replace('\n', "\r\n"))
    }),
];

/// Pieces of posts: the name of each, its text before and after, and how often it has an address.
fn pieces(hashes: &BTreeMap<String, String>) -> Vec<(String, String, String)> {
    let (mut pieces, mut number) = (Vec::new(), 0);
    let mut add = |form: &Form, place: Option<(&str, &str, &str)>, is_file: bool| {
        let is_fixed = !form.before.contains('§');
        for (name, spelling) in SPELLINGS {
            if is_fixed && name != "plain" || !form.takes.takes(name, spelling) {
                continue;
            }
            // A backslash begins an escape there.
            if name == "windows"
                && (is_file && form.before.contains('"') || form.name == "figure over lines")
            {
                continue;
            }
            // Markdown takes no tag whose value has `=` in it and no quotes.
            if name == "query" && form.name == "img, no quotes" {
                continue;
            }
            // Nor may a word of YAML begin with a sign of per cent.
            if name == "chinese, escaped" && form.name == "yaml" {
                continue;
            }
            let (place, start, end) = place.unwrap_or(("", "", ""));
            number += 1;
            let (file, fragment) = meant(spelling);
            let hash = hashes.get(file).map_or("", String::as_str);
            let fill = |text: &str, address: &str| {
                let text = format!("{start}{text}{end}");
                text.replace("§§", &number.to_string())
                    .replace('§', address)
            };
            // `&` is written as it may be in HTML.
            let spelled = match form.before.contains('<') && !form.before.contains("](<") {
                true => spelling.replace('&', "&amp;"),
                false => spelling.to_owned(),
            };
            pieces.push((
                format!("{} / {name} / {place}", form.name),
                fill(form.before, &spelled),
                fill(form.after, &format!("{BASE}/i/{hash}.webp{fragment}")),
            ));
        }
    };
    for form in &INLINE {
        for place in PLACES {
            // There a bar or a bracket would end the cell or the text.
            let is_in_cell = place.0 == "table" && form.before.contains('|');
            if !is_in_cell {
                add(form, Some(place), false);
            }
        }
    }
    for form in &BLOCKS {
        add(form, None, false);
    }
    for form in &FRONT_MATTERS {
        add(form, None, true);
    }
    pieces
}

fn pictures_of(fixture: &Fixture) -> Vec<&'static str> {
    let files = [
        "pic.png",
        "a b.png",
        "c+d.png",
        "照片.png",
        "UP.PNG",
        "noend",
    ];
    for file in files {
        fixture.picture(&format!("posts/{file}"));
    }
    files.to_vec()
}

/// The hash of each picture, once its address is in `known.md`.
fn hashes(fixture: &Fixture, files: &[&str]) -> BTreeMap<String, String> {
    let known = fixture.read("posts/known.md");
    let lines = known.lines().filter(|line| !line.is_empty());
    let hash = |line: &str| {
        let begin = line
            .find("/i/")
            .unwrap_or_else(|| panic!("not adopted: {line}"));
        line[begin + 3..begin + 35].to_owned()
    };
    let hashes: BTreeMap<String, String> = files
        .iter()
        .map(ToString::to_string)
        .zip(lines.map(hash))
        .collect();
    assert_eq!(hashes.len(), files.len(), "{known}");
    hashes
}

/// Every piece alone in a post, and all in one.
#[tokio::test]
async fn every_form_of_link_gets_its_address_and_nothing_else_changes() {
    let fixture = Fixture::new();
    let files = pictures_of(&fixture);
    let known: String = files
        .iter()
        .map(|file| format!("![](<{file}>)\n\n"))
        .collect();
    fixture.put("posts/known.md", known);
    fixture.adopt(&[]).await;
    let hashes = hashes(&fixture, &files);

    let pieces = pieces(&hashes);
    assert!(pieces.len() > 1_500, "{}", pieces.len());
    let mut expected = BTreeMap::new();
    let mut put = |file: String, before: String, after: String| {
        fixture.put(&file, &before);
        expected.insert(file, (before, after));
    };
    fixture.put("posts/note.md", "A note.\n");
    for (encoding, encode) in ENCODINGS {
        let (mut all_before, mut all_after, mut group) = (String::new(), String::new(), "");
        let mut number = 0;
        for (name, before, after) in &pieces {
            let form = name.split(" / ").next().expect("a form");
            let is_file = FRONT_MATTERS.iter().any(|known| known.name == form);
            if is_file {
                number += 1;
                let file = format!("posts/front-{encoding}-{number}.md");
                put(file, encode(before.clone()), encode(after.clone()));
                continue;
            }
            if form != group {
                if !group.is_empty() {
                    number += 1;
                    let file = format!("posts/{encoding}-{number}.md");
                    put(file, encode(all_before), encode(all_after));
                }
                (all_before, all_after) = (String::new(), String::new());
                group = form;
            }
            all_before += &format!("{before}\n\n");
            all_after += &format!("{after}\n\n");
        }
        put(
            format!("posts/{encoding}-last.md"),
            encode(all_before),
            encode(all_after),
        );
        let stays = encode(STAYS.to_owned());
        put(format!("posts/stays-{encoding}.md"), stays.clone(), stays);
    }
    let adopted = fixture.adopt(&[]).await;
    assert_eq!(adopted["uploaded"], 0, "{adopted}");
    let mut wrong = String::new();
    for (file, (_, after)) in &expected {
        let now = fixture.read(file);
        for (line, (now, after)) in now.split('\n').zip(after.split('\n')).enumerate() {
            if now != after {
                wrong += &format!("{file}:{}\n  is {now}\n  not {after}\n", line + 1);
            }
        }
        if now.split('\n').count() != after.split('\n').count() {
            wrong += &format!("{file}: other lines\n");
        }
    }
    assert!(
        wrong.is_empty(),
        "{}",
        wrong.chars().take(6_000).collect::<String>()
    );

    // Twice is once.
    let before = fixture.files();
    let again = fixture.adopt(&[]).await;
    assert_eq!(
        (again["posts"].as_u64(), again["id"].as_str()),
        (Some(0), None),
        "{again}"
    );
    assert!(
        before == fixture.files(),
        "the second run has changed a file"
    );

    // And back.
    let (code, undone) = fixture.json(&["undo"]).await;
    assert_eq!(code, 0, "{undone}");
    for (file, (before, _)) in &expected {
        assert_eq!(&fixture.read(file), before, "{file}");
    }
}
