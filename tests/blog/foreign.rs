//! Pictures from other hosts, in a network of its own where a name leads to an address of the public
//! internet: only hosts that were named, only HTTPS, only public addresses, within sizes and time.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::harness::process::{Ended, RunningProcess, clean_command};
use crate::harness::{edge, files};
use crate::{Fixture, picture, without_hashes};

const IN_A_NAMESPACE: [&str; 7] = [
    "--user",
    "--map-root-user",
    "--net",
    "--mount",
    "--fork",
    "sh",
    "-c",
];
/// Makes the network: the address of `example.com` on this machine, and names for it and for a private one.
const SCRIPT: &str = r#"set -e
ip link set lo up
ip addr add 93.184.215.14/32 dev lo
ip addr add 10.1.2.3/32 dev lo
mount --bind "$HOME/hosts" /etc/hosts
: >"$HOME/errors"
python3 "$HOME/server.py" >"$HOME/asked" 2>"$HOME/errors" &
until grep -q listening "$HOME/errors"; do sleep 0.05; done
"$@" && code=0 || code=$?
kill $!
exit $code"#;
const HOSTS: &str = "127.0.0.1 localhost\n93.184.215.14 pictures.example cdn.example\n\
                     10.1.2.3 private.example\n93.184.215.14 both.example\n10.1.2.3 both.example\n";
/// Prints the host and the path of each request.
const SERVER: &str = r#"
import http.server, os, ssl, sys, time
HOME = os.environ["HOME"]
PICTURE = open(f"{HOME}/picture.png", "rb").read()
TO = {
    "/moved.png": "/good.png?moved",
    "/private.png": "https://127.0.0.1/secret.png",
    "/private-name.png": "https://private.example/secret.png",
    "/plain.png": "http://pictures.example/good.png",
    "/round.png": "/round.png",
    "/file.png": "file:///etc/passwd",
}

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print(self.headers["Host"], self.path, self.headers.get("Referer", ""), flush=True)
        path = self.path.split("?")[0]
        if path in TO:
            self.send_response(302)
            self.send_header("Location", TO[path])
            return self.end_headers()
        if path == "/gone.png":
            return self.send_error(404)
        body = b"<html>" if path == "/page.png" else PICTURE
        self.send_response(200)
        if path != "/endless.png":
            length = 60 * 1024 * 1024 if path == "/large.png" else len(body)
            self.send_header("Content-Length", str(length))
        self.end_headers()
        if path == "/slow.png":
            for byte in body:
                self.wfile.write(bytes([byte]))
                time.sleep(1)
        while path == "/endless.png":
            self.wfile.write(b"\0" * 65536)
        self.wfile.write(body)

    def log_message(self, *words):
        pass

class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *about):
        pass

server = Server(("0.0.0.0", 443), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{HOME}/certificate.pem", f"{HOME}/key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
print("listening", file=sys.stderr, flush=True)
server.serve_forever()
"#;

impl Fixture {
    /// Whether a network of its own can be made here; what the server in it needs.
    fn with_network(&self) -> bool {
        let may = std::process::Command::new("unshare")
            .args(IN_A_NAMESPACE)
            .args(["true"])
            .output();
        if !may.is_ok_and(|ended| ended.status.success()) {
            eprintln!("left out: no namespace can be made here");
            return false;
        }
        let home = self.home.path();
        let names = [
            "pictures.example",
            "cdn.example",
            "private.example",
            "both.example",
            "127.0.0.1",
        ];
        let [authority, certificate, key] = edge::signed_for(&names);
        for (file, text) in [
            ("hosts", HOSTS),
            ("server.py", SERVER),
            ("authority.pem", &authority),
            ("certificate.pem", &certificate),
            ("key.pem", &key),
        ] {
            fs::write(home.join(file), text).expect("to write");
        }
        fs::write(home.join("picture.png"), picture()).expect("to write");
        fs::set_permissions(home, fs::Permissions::from_mode(0o755)).expect("a mode");
        true
    }

    async fn run_in_network(&self, words: &[&str]) -> Ended {
        let home = self.home.path();
        let mut command = clean_command("unshare", home);
        command.args(IN_A_NAMESPACE).args([SCRIPT, "sh"]);
        command
            .arg(env!("CARGO_BIN_EXE_porchlight"))
            .arg("blog")
            .args(words);
        command.arg("--data-dir").arg(self.data()).current_dir(home);
        command.env("SSL_CERT_FILE", home.join("authority.pem"));
        RunningProcess::spawn(command).ended().await
    }

    fn asked(&self) -> String {
        fs::read_to_string(self.home.path().join("asked")).expect("a file")
    }
}

#[tokio::test]
async fn pictures_of_named_hosts_come_over_https_and_those_of_others_stay() {
    let fixture = Fixture::new();
    if !fixture.with_network() {
        return;
    }
    let post = "![a](https://pictures.example/good.png \"t\")\n![b](//cdn.example/x/good.png?v=1)\n\
                ![c](https://pictures.example/moved.png)\n![d](https://other.example/good.png)\n\
                <img src=\"https://PICTURES.example/good.png?a=1&amp;b=2\">\n";
    fixture.put("a.md", post);
    let hosts = [
        "--foreign",
        "pictures.example",
        "--foreign",
        "CDN.example",
        "--foreign",
        "none.example",
    ];
    // The plan asks nobody.
    let plan = fixture
        .run_in_network(&[&["adopt", "blog"][..], &hosts].concat())
        .await;
    assert!(plan.status.success(), "{plan:?}");
    assert!(
        plan.stderr
            .contains("no post has a picture of none.example"),
        "{plan:?}"
    );
    assert_eq!(fixture.asked(), "");
    let ended = fixture
        .run_in_network(&[&["adopt", "blog", "--write"][..], &hosts].concat())
        .await;
    assert!(ended.status.success(), "{ended:?}");
    assert!(
        ended
            .stdout
            .contains("1 pictures uploaded, 3 already here; 4 addresses in 1 posts"),
        "{ended:?}"
    );
    assert_eq!(
        without_hashes(&fixture.read("a.md")),
        "![a](URL \"t\")\n![b](URL)\n![c](URL)\n![d](https://other.example/good.png)\n<img src=\"URL\">\n"
    );
    let asked = fixture.asked();
    assert_eq!(asked.lines().count(), 5, "{asked}");
    // Nobody learns where the picture is shown.
    assert!(asked.lines().all(|line| line.ends_with(' ')), "{asked}");
    let ended = fixture.run(&["undo"]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(fixture.read("a.md"), post);
}

#[tokio::test]
async fn what_is_private_plain_too_large_too_slow_or_gone_is_named_and_its_link_stays() {
    let fixture = Fixture::new();
    if !fixture.with_network() {
        return;
    }
    let large = "it is larger than 52428800 bytes";
    let private = "its address is in a private network";
    let cases = [
        ("https://pictures.example/gone.png", "it answers 404"),
        (
            "https://pictures.example/page.png",
            "it is not a picture that is read here",
        ),
        (
            "https://pictures.example/private.png",
            "it redirects to an address that is in a private network",
        ),
        ("https://pictures.example/private-name.png", private),
        (
            "https://pictures.example/plain.png",
            "it redirects from https:// to http://",
        ),
        (
            "https://pictures.example/round.png",
            "it redirects again and again",
        ),
        (
            "https://pictures.example/file.png",
            "it redirects to an address that is no web address",
        ),
        ("https://pictures.example/large.png", large),
        ("https://pictures.example/endless.png", large),
        (
            "https://pictures.example/slow.png",
            "it does not answer in time",
        ),
        (
            "http://pictures.example/good.png",
            "its address is not https://",
        ),
        ("https://private.example/secret.png", private),
        ("https://10.1.2.3/secret.png", private),
        ("https://[::1]/secret.png", private),
        ("https://127.0.0.1/secret.png", private),
    ];
    let post: String = cases
        .iter()
        .map(|(url, _)| format!("![]({url})\n"))
        .collect();
    fixture.put("a.md", &post);
    let hosts = [
        "pictures.example",
        "private.example",
        "10.1.2.3",
        "[::1]",
        "127.0.0.1",
    ];
    let hosts: Vec<&str> = hosts.iter().flat_map(|host| ["--foreign", host]).collect();
    let ended = fixture
        .run_in_network(&[&["adopt", "blog", "--write"][..], &hosts].concat())
        .await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    for (line, (url, why)) in cases.iter().enumerate() {
        let begin = format!("failed   a.md:{}  {url}: ", line + 1);
        let named = ended.stderr.lines().find(|line| line.starts_with(&begin));
        assert!(
            named.is_some_and(|named| named.contains(why)),
            "{url}, {why}: {}",
            ended.stderr
        );
    }
    assert_eq!(fixture.read("a.md"), post);
    assert_eq!(files::stored_hashes(&fixture.data()), Vec::<String>::new());
    // The server listens on the private addresses, too, and was never asked there.
    let asked = fixture.asked();
    assert!(
        asked
            .lines()
            .all(|line| line.starts_with("pictures.example /")),
        "{asked}"
    );
    let left = fs::read_dir(fixture.data().join("blog"));
    assert_eq!(left.map_or(0, Iterator::count), 0, "a download was left");
}

/// A name that has a public and a private address is asked at the public one alone, whatever DNS answers
/// between two look-ups: the address that was checked is the one that is asked.
#[tokio::test]
async fn a_name_with_a_private_address_beside_a_public_one_is_asked_at_the_public_one() {
    let fixture = Fixture::new();
    if !fixture.with_network() {
        return;
    }
    fixture.put("a.md", "![](https://both.example/good.png)");
    let words = ["adopt", "blog", "--write", "--foreign", "both.example"];
    let ended = fixture.run_in_network(&words).await;
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(without_hashes(&fixture.read("a.md")), "![](URL)");
}
