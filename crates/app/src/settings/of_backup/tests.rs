//! Settings files as people write them, and the result.

use super::*;

fn keys(text: &str) -> Vec<String> {
    let found = sensitive(text).expect("TOML");
    found.into_iter().map(|one| one.key).collect()
}

#[test]
fn settings_that_run_a_program_send_data_elsewhere_or_show_the_owner_are_found() {
    let text = "
        behaviour = 'A'
        watch.folders = ['/a']
        [server]
        listen = '127.0.0.1:1'
        client_ip = 'peer'
        trusted_proxies = []
        public_url = 'https://a.example'
        [presence]
        enabled = true
        share_titles = false
        share_something_new = true
        target_url = 'https://b.example'
        token = 'x'
        [[presence.rules]]
        program = 'vim'
        [system]
        show_user = true
        [ip]
        ipinfo_url = 'https://c.example'
        ipinfo_token = 'y'
        [game]
        steam_api_url = 'https://d.example'
        steam_store_url = 'https://e.example'
        steam_id = '1'
        [tunnel]
        kind = 'none'
        [storage]
        kind = 'disk'
        [picgo]
        enabled = false
        [publish]
        enabled = true
        [edge]
        url = 'https://f.example'
    ";
    assert_eq!(
        keys(text),
        [
            "watch.folders",
            "server.listen",
            "server.client_ip",
            "server.trusted_proxies",
            "server.public_url",
            "presence.enabled",
            "presence.share_titles",
            "presence.share_something_new",
            "presence.target_url",
            "presence.token",
            "presence.rules",
            "system.show_user",
            "ip.ipinfo_url",
            "game.steam_api_url",
            "game.steam_store_url",
            "tunnel.kind",
            "storage.kind",
            "picgo.enabled",
            "publish.enabled",
            "edge.url",
        ]
    );
}

#[test]
fn secrets_and_unknown_keys_are_not_shown_and_escapes_are_removed() {
    let text = "tunnel.command = ['a\u{202e}b', \"c\\u001b\"]\ntunnel.cloudflared_token = 'hush'\n\
                edge.secret = 'hush'\n";
    let values: Vec<_> = sensitive(text).expect("TOML");
    let values: Vec<_> = values.iter().map(|one| one.value.as_deref()).collect();
    assert_eq!(values, [Some("['a\\u{202e}b', \"c\\u001b\"]"), None, None]);
}

#[test]
fn sensitive_settings_are_commented_out_with_their_values_and_the_rest_stays() {
    let text = "\
# mine
[tunnel] # the way
kind = \"command\" # yes
command = [
    \"/bin/sh\", # a shell
    \"-c\",
]

[server]
greeting = \"hi\"
\"listen\" = \"0.0.0.0:1\"

[[presence.rules]]
program = \"vim\"

[watch]
folders = [\"/a\"]
copy_link = true

[[presence.rules]]
program = \"less\" # a pager
name = \"reading\"
[links]
template = \"{url}\"";
    let left = commented_out(text).expect("TOML");
    assert_eq!(
        left,
        "\
# mine
[tunnel] # the way
# Left out when a backup was restored:
# kind = \"command\" # yes
# command = [
#     \"/bin/sh\", # a shell
#     \"-c\",
# ]

[server]
greeting = \"hi\"
# Left out when a backup was restored:
# \"listen\" = \"0.0.0.0:1\"

# Left out when a backup was restored:
# [[presence.rules]]
# program = \"vim\"

[watch]
# Left out when a backup was restored:
# folders = [\"/a\"]
# copy_link = true

# Left out when a backup was restored:
# [[presence.rules]]
# program = \"less\" # a pager
# name = \"reading\"
[links]
template = \"{url}\""
    );
    assert_eq!(keys(&left), [""; 0]);
    let back = left.replace("# Left out when a backup was restored:\n", "");
    let back: Vec<&str> = back
        .lines()
        .map(|line| {
            line.strip_prefix("# ")
                .filter(|_| line != "# mine")
                .unwrap_or(line)
        })
        .collect();
    assert_eq!(back.join("\n"), text, "each can be taken back");
}

#[test]
fn texts_of_several_lines_and_dotted_keys_are_commented_out_whole() {
    let text = "tunnel.pattern = '''\n[server]\nlisten = 1\n'''\r\nlinks.template = 'x'\r\n";
    let left = commented_out(text).expect("TOML");
    assert_eq!(
        left,
        "# Left out when a backup was restored:\n# tunnel.pattern = '''\n# [server]\n# listen = 1\n\
         # '''\r\nlinks.template = 'x'\r\n"
    );
    assert_eq!(keys(&left), [""; 0]);
}

#[test]
fn other_keys_of_an_inline_table_stay() {
    let text = "presence = { target_url = 'https://a.example', idle_seconds = 60, token = 'x' }\n\
                tunnel = { kind = 'none' }";
    let left = commented_out(text).expect("TOML");
    let lines: Vec<&str> = left.lines().collect();
    assert_eq!(lines.len(), 4, "{left}");
    assert_eq!(
        lines[1],
        "# presence = { target_url = 'https://a.example', idle_seconds = 60, token = 'x' }"
    );
    let values: toml::Table = toml::from_str(&left).expect("TOML");
    let expected: toml::Table = toml::from_str("presence.idle_seconds = 60").expect("TOML");
    assert_eq!(values, expected, "{left}");
    assert_eq!(lines[3], "# tunnel = { kind = 'none' }");
}

#[test]
fn without_an_object_store_nothing_is_redirected_to_it() {
    let store = "[storage]\nkind = 's3'\n";
    let both = format!("behaviour = 'B'\nimages.delivery = 'redirect'\n{store}");
    let left: toml::Table = toml::from_str(&commented_out(&both).expect("TOML")).expect("TOML");
    let expected: toml::Table = toml::from_str("[storage]").expect("TOML");
    assert_eq!(left, expected);
    // The rest of their values has nothing to do with the store.
    for stays in [
        "behaviour = 'B'\n".to_owned(),
        format!("behaviour = 'A'\nimages.delivery = 'direct'\n{store}"),
    ] {
        let left = commented_out(&stays).expect("TOML");
        assert!(left.starts_with(stays.trim_end_matches(store)), "{left}");
    }
}
