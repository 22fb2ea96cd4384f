//! Reading the layers, without a process.

use std::ffi::OsString;
use std::path::PathBuf;

use porchlight_core::settings::{Delivery, StorageKind};

use super::Settings;
use super::layers::Layers;

#[derive(Default)]
struct Given<'a> {
    file: &'a str,
    environment: &'a [(&'a str, &'a str)],
    set: &'a [&'a str],
    listen: Option<&'a str>,
}

impl Given<'_> {
    fn layers(&self) -> Layers {
        Layers {
            file: PathBuf::from("settings.toml"),
            file_is_named: false,
            environment: self
                .environment
                .iter()
                .map(|(name, value)| ((*name).to_owned(), OsString::from(value)))
                .collect(),
            set: self.set.iter().map(|set| (*set).to_owned()).collect(),
            listen: self
                .listen
                .map(|listen| listen.parse().expect("an address")),
        }
    }

    fn settings(&self) -> Settings {
        match self.layers().read_with(self.file) {
            Ok(reading) => reading.settings,
            Err(problems) => panic!("{problems}"),
        }
    }

    fn problems(&self) -> String {
        let reading = self.layers().read_with(self.file);
        reading.map_or_else(|problems| problems.to_string(), |_| String::new())
    }
}

fn problems_of_file(file: &str) -> String {
    Given {
        file,
        ..Given::default()
    }
    .problems()
}

const STORE: &str = "[storage]\nkind = 's3'\nendpoint = 'http://127.0.0.1:3900'\nbucket = 'b'\n\
                     access_key = 'k'\nsecret_key = 's'\nstorage_url = 'https://cdn.example'\n";

#[test]
fn each_layer_stands_over_the_one_before() {
    let mut given = Given {
        file: "[server]\nlisten = '127.0.0.1:1'\n",
        ..Given::default()
    };
    assert_eq!(given.settings().server.listen.port(), 1);
    given.environment = &[("PORCHLIGHT_SERVER_LISTEN", "127.0.0.1:2")];
    assert_eq!(given.settings().server.listen.port(), 2);
    given.set = &["server.listen=127.0.0.1:3"];
    assert_eq!(given.settings().server.listen.port(), 3);
    given.listen = Some("127.0.0.1:4");
    assert_eq!(given.settings().server.listen.port(), 4);
}

#[test]
fn a_problem_names_its_line_and_its_key() {
    assert_eq!(
        problems_of_file("# one\n[images]\nquality = 500\n"),
        "settings.toml, line 3: images.quality: 500 is out of bounds: from 1 to 100"
    );
}

#[test]
fn all_problems_are_reported_at_once() {
    let problems = problems_of_file(
        "behavior = 'A'\n[images]\nqualty = 3\nmax_pixels = 0\n[imagse]\nx = 1\n[server]\nlisten = 1\n",
    );
    let lines: Vec<&str> = problems.lines().collect();
    assert_eq!(lines.len(), 5, "{problems}");
    for part in [
        "line 1: unknown key `behavior`, did you mean `behaviour`?",
        "line 3: unknown key `images.qualty`, did you mean `images.quality`?",
        "line 4: images.max_pixels: 0 is out of bounds",
        "line 5: unknown section `[imagse]`, did you mean `images`?",
        "line 8: server.listen:",
    ] {
        assert!(problems.contains(part), "{part} is missing in {problems}");
    }
}

#[test]
fn broken_toml_names_its_line() {
    let problems = problems_of_file("[images]\nquality = = 3\n");
    assert!(
        problems.starts_with("settings.toml, line 2: "),
        "{problems}"
    );
    let twice = problems_of_file("[images]\nquality = 1\nquality = 2\n");
    assert!(twice.starts_with("settings.toml, line 3: "), "{twice}");
}

#[test]
fn a_section_that_is_a_value_is_refused() {
    let problems = problems_of_file("images = 3\n");
    assert!(
        problems.contains("line 1: images is a section"),
        "{problems}"
    );
}

#[test]
fn an_error_names_the_layer_of_its_value() {
    let environment = Given {
        environment: &[
            ("PORCHLIGHT_IMAGES_QUALITY", "x"),
            ("PORCHLIGHT_IMAGES_QUALTY", "1"),
        ],
        ..Given::default()
    };
    let problems = environment.problems();
    assert!(
        problems.contains("PORCHLIGHT_IMAGES_QUALITY: images.quality: "),
        "{problems}"
    );
    assert!(
        problems.contains("PORCHLIGHT_IMAGES_QUALTY: unknown key `images.qualty`"),
        "{problems}"
    );
    let set = Given {
        set: &["images.qualty=3", "quality"],
        ..Given::default()
    };
    let problems = set.problems();
    assert!(
        problems.contains("--set: unknown key `images.qualty`"),
        "{problems}"
    );
    assert!(
        problems.contains("--set: \"quality\" is no setting"),
        "{problems}"
    );
}

#[test]
fn unknown_variables_are_ignored_and_reported() {
    let given = Given {
        environment: &[("PORCHLIGHT_FOO", "1")],
        ..Given::default()
    };
    let reading = given.layers().read_with("").expect("valid");
    assert_eq!(reading.warnings.len(), 1);
    assert!(reading.warnings[0].contains("PORCHLIGHT_FOO"));
}

#[test]
fn a_value_that_is_no_toml_is_a_text() {
    let given = Given {
        set: &[
            "behaviour=A",
            "server.greeting=hello there",
            "game.steam_id=76561197960287930",
        ],
        environment: &[("PORCHLIGHT_STORAGE_BUCKET", "2026")],
        ..Given::default()
    };
    let settings = given.settings();
    assert_eq!(settings.server.greeting, "hello there");
    assert_eq!(settings.game.steam_id.as_deref(), Some("76561197960287930"));
    assert_eq!(settings.storage.bucket.as_deref(), Some("2026"));
}

#[test]
fn a_line_break_in_a_value_sets_nothing_else() {
    let given = Given {
        set: &["server.greeting=1\nlisten = 2"],
        ..Given::default()
    };
    assert_eq!(given.settings().server.greeting, "1\nlisten = 2");
}

#[test]
fn behaviours_set_both_keys() {
    let a = Given {
        set: &["behaviour=A"],
        ..Given::default()
    }
    .settings();
    assert_eq!(
        (a.images.delivery, a.heartbeat.fields),
        (Delivery::Direct, false)
    );
    let b = Given {
        file: STORE,
        set: &["behaviour=B"],
        ..Given::default()
    }
    .settings();
    assert_eq!(
        (b.images.delivery, b.heartbeat.fields),
        (Delivery::Redirect, true)
    );
    assert_eq!(b.storage.kind, StorageKind::S3);
}

#[test]
fn a_setting_that_contradicts_a_behaviour_is_named_with_it() {
    let problems = problems_of_file("behaviour = 'A'\n[heartbeat]\nfields = true\n");
    assert!(
        problems.contains("line 3: `heartbeat.fields`"),
        "{problems}"
    );
    assert!(problems.contains("`behaviour`"), "{problems}");
    let given = Given {
        file: &format!("behaviour = 'B'\n{STORE}"),
        set: &["images.delivery=direct"],
        ..Given::default()
    };
    let problems = given.problems();
    assert!(problems.contains("--set: `images.delivery`"), "{problems}");
    assert!(problems.contains("`behaviour`"), "{problems}");
    assert_eq!(
        problems_of_file("behaviour = 'A'\n[heartbeat]\nfields = false\n"),
        ""
    );
}

#[test]
fn a_redirect_needs_a_whole_object_store() {
    let problems = problems_of_file("[images]\ndelivery = 'redirect'\n");
    assert!(problems.contains("`images.delivery`"), "{problems}");
    assert!(problems.contains("`storage.kind`"), "{problems}");
    assert!(problems.contains("`storage.storage_url`"), "{problems}");
    let problems = problems_of_file("behaviour = 'B'\n");
    assert!(
        problems.contains("`behaviour`") && problems.contains("`storage.kind`"),
        "{problems}"
    );
    let problems = problems_of_file("[storage]\nkind = 's3'\nbucket = 'b'\n");
    assert!(
        problems.contains("`storage.endpoint`, `storage.access_key`"),
        "{problems}"
    );
}

#[test]
fn a_snapshot_needs_a_public_object_store_and_a_place_beside_the_images() {
    let problems = problems_of_file("[publish]\nenabled = true\n");
    for key in [
        "line 2: `publish.enabled`",
        "`storage.kind`",
        "`storage.storage_url`",
    ] {
        assert!(problems.contains(key), "{key}: {problems}");
    }
    assert_eq!(
        problems_of_file(&format!("{STORE}[publish]\nenabled = true\n")),
        ""
    );
    for prefix in "|/|a|/a/|a//|../|a b/|randomimg/|randomimg/a/".split('|') {
        let problems = problems_of_file(&format!("[publish]\nprefix = '{prefix}'\n"));
        assert!(problems.contains("publish.prefix"), "{prefix:?}");
    }
    assert_eq!(problems_of_file("publish.prefix = 'my-blog/v1.2/'"), "");
    let problems = problems_of_file(&format!("edge.secret = '{}'", "x".repeat(31)));
    assert!(problems.contains("`edge.secret`") && !problems.contains("xxx"));
    assert_eq!(
        problems_of_file(&format!("edge.secret = '{}'", "x".repeat(32))),
        ""
    );
}

#[test]
fn a_public_listener_needs_the_address_header_of_its_proxy() {
    let mut given = Given {
        listen: Some("0.0.0.0:80"),
        ..Given::default()
    };
    let problems = given.problems();
    assert!(
        problems.starts_with("--listen: `server.listen`"),
        "{problems}"
    );
    assert!(problems.contains("`server.client_ip`"), "{problems}");
    given.set = &["server.client_ip=x-forwarded-for"];
    assert_eq!(given.problems(), "");
    given.set = &[];
    given.listen = Some("[::1]:80");
    assert_eq!(given.problems(), "");
}

#[test]
fn a_target_needs_its_own_token() {
    let problems = problems_of_file("[presence]\ntarget_url = 'https://light.example'\n");
    assert!(
        problems.contains("`presence.target_url` needs `presence.token`"),
        "{problems}"
    );
}

#[test]
fn a_token_is_sent_in_the_clear_on_this_machine_alone() {
    let problems = |url: &str| {
        problems_of_file(&format!(
            "[presence]\ntarget_url = '{url}'\ntoken = 'hush-hush-hush'\n"
        ))
    };
    for url in [
        "https://light.example",
        "http://127.0.0.1:4780",
        "http://[::1]:4780",
        "http://localhost:4780",
    ] {
        assert_eq!(problems(url), "", "{url}");
    }
    for url in ["http://light.example", "http://192.168.1.5:4780"] {
        let problems = problems(url);
        assert!(
            problems.starts_with("settings.toml, line 2: `presence.target_url`"),
            "{problems}"
        );
        assert!(problems.contains("https://"), "{problems}");
        assert!(!problems.contains("hush"), "{problems}");
    }
}

#[test]
fn possible_secrets_are_not_repeated() {
    for set in [
        "storage.endpoint=https://u:hunter2@h",
        "ip.ipinfo_url=https://ipinfo.io/?token=hunter2",
        "ip.ipinfo_url=https://ipinfo.io/#hunter2",
        "storage.secret_key:hunter2",
        "storage.secret_key hunter2",
        "storage.secret_key:hunter2=",
        "storage.secret_key hunter2=",
    ] {
        let given = Given {
            set: &[set],
            ..Given::default()
        };
        let problems = given.problems();
        assert!(!problems.contains("hunter2"), "{problems}");
        let key = set.split([' ', ':', '=']).next().expect("a key");
        assert!(problems.contains(key), "{problems}");
    }
}

#[test]
fn lent_tokens_are_not_among_the_settings() {
    let variables = [
        "PORCHLIGHT_ADMIN_TOKEN",
        "PORCHLIGHT_HEARTBEAT_TOKEN",
        "PORCHLIGHT_PRESENCE_TOKEN",
        "HOME",
    ];
    let given = variables.map(|name| (OsString::from(name), OsString::from("hush")));
    let kept: Vec<String> = super::layers::settings_among(given)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(kept, ["PORCHLIGHT_PRESENCE_TOKEN"]);
}

#[test]
fn no_secret_is_in_the_debug_output() {
    let given = Given {
        file: STORE,
        set: &["presence.token=hush-hush-hush"],
        ..Given::default()
    };
    assert!(!format!("{:?}", given.settings()).contains("hush"));
}

#[test]
fn the_list_of_settings_in_the_documentation_is_whole() {
    let page = include_str!("../../../../docs/settings.md");
    let listed: std::collections::BTreeSet<String> = page
        .lines()
        .filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned()))
        .collect();
    let known = super::meta::keys().map(str::to_owned).collect();
    assert_eq!(listed, known);
}
