//! `docs/quickstart.md`, followed by somebody who does what it says: its commands run and its files are
//! written in its order, and what it says that one sees is compared. In place of what is elsewhere:
//!
//! | on the page | here |
//! |---|---|
//! | npm's registry | `npm install` takes what `cargo xtask test` installed from `package-lock.json` |
//! | Git that knows a name, GitHub | a `.gitconfig`; a repository in a folder; Hexo's starter is the copy in `hexo-cli` |
//! | GitHub Pages | a web server on that folder |
//! | Cloudflare's API, with its token | a stand-in for it, with its token in the environment |
//! | Cloudflare | workerd, with what was deployed |
//! | the internet | a proxy with a certificate that leads both names to them |
//! | `127.0.0.1:4780` | a free port |
//! | `~/photo.jpg` | `docs/sample.jpg` |
//! | `…` in a file | as the command before printed it |
#![cfg(target_os = "linux")]

mod page;
mod reader;

use std::path::{Path, PathBuf};
use std::time::Duration;

use harness::cloudflare::{FakeCloudflare, TOKEN};
use harness::desktop::Desktop;
use harness::edge::Edge;
use harness::process::RunningProcess;
use harness::tray::PYTHON;
use harness::{eventually, files, free_port, program, tool};
use page::Block;
use porchlight_test_harness as harness;
use reader::Reader;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// What `cargo xtask test` installed.
const PACKAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/quickstart/node_modules");
const WORKER: &str = "light.alice.workers.dev";
const BLOG: &str = "alice.github.io";
/// `npm install`, without a registry.
const NPM: &str = r#"set -e
test "$1" = install
shift
for name; do
  case $name in
    -*) ;;
    *) node -p "require('$PACKAGES/$name/package.json').version" >/dev/null
       "$NPM" pkg set "dependencies.$name=*" ;;
  esac
done
ln -sfn "$PACKAGES" node_modules
"#;

/// Somebody at a desktop, who follows the page.
struct Follower {
    /// Where the last command ended.
    folder: PathBuf,
    /// The link of the picture, once there is one.
    link: String,
    /// The command that sends a heartbeat.
    heartbeat: String,
    service: Option<RunningProcess>,
    worker: Option<RunningProcess>,
    _pages: RunningProcess,
    port: u16,
    cloud: FakeCloudflare,
    edge: Edge,
    desktop: Desktop,
}

impl Follower {
    async fn start() -> Self {
        assert!(Path::new(PACKAGES).exists(), "{PACKAGES} is not installed");
        let mut desktop = Desktop::start_without_tray(&[]).await;
        // Hexo and a browser on a busy machine.
        desktop.extend_deadline(Duration::from_secs(120));
        let cloud = FakeCloudflare::start().await;
        cloud.change(|cloud| cloud.subdomain = Some("alice".to_owned()));
        let edge = Edge::of(WORKER).await;
        edge.connect(WORKER, cloud.port());

        let home = desktop.home();
        std::fs::write(home.join("authority.pem"), &edge.authority).expect("a file");
        let photo = Path::new(ROOT).join("docs/sample.jpg");
        std::fs::copy(photo, home.join("photo.jpg")).expect("a picture");
        std::os::unix::fs::symlink(PACKAGES, home.join("node_modules")).expect("a link");
        std::fs::create_dir(home.join("bin")).expect("a folder");
        files::script(&home.join("bin/npm"), NPM);
        // Where there is a yarn of version 1, Hexo takes that.
        files::script(&home.join("bin/yarn"), "echo 0\n");
        // The files in it are those of the last push.
        let repository = home.join(format!("github/alice/{BLOG}.git"));
        let config = format!(
            "[user]\nname = Alice\nemail = alice@example.org\n[receive]\ndenyCurrentBranch = updateInstead\n\
             [init]\ndefaultBranch = main\n[url \"{}/github/\"]\ninsteadOf = https://github.com/\n",
            home.display()
        );
        std::fs::write(home.join(".gitconfig"), config).expect("a file");
        let repository = repository.to_str().expect("UTF-8");
        let made = desktop.run("git", &["init", repository]).await;
        assert!(made.status.success(), "{made:?}");

        let port = free_port();
        edge.connect(BLOG, port);
        let mut pages = desktop.command(PYTHON);
        pages.args(["-m", "http.server", "--bind", "127.0.0.1", "--directory"]);
        pages.arg(repository).arg(port.to_string());
        let pages = RunningProcess::spawn(pages);
        answers(port).await;
        Self {
            folder: home.to_owned(),
            link: String::new(),
            heartbeat: String::new(),
            service: None,
            worker: None,
            _pages: pages,
            port: free_port(),
            cloud,
            edge,
            desktop,
        }
    }

    /// Bash with this script, in this person's terminal.
    fn bash(&self, script: &str) -> Command {
        let home = self.desktop.home();
        let npm = which::which("npm").expect("npm");
        let path = std::env::var("PATH").expect("a path");
        let programs = PathBuf::from(program());
        let programs = programs.parent().expect("a folder").display();
        let api = self.cloud.setting();
        let (_, api) = api.split_once('=').expect("a setting");
        let mut command = self.desktop.command("bash");
        command
            .args(["-e", "-o", "pipefail", "-c", script])
            .current_dir(&self.folder)
            .env("PATH", format!("{}/bin:{programs}:{path}", home.display()))
            .env("NPM", npm)
            .env("PACKAGES", PACKAGES)
            .env("npm_config_offline", "true")
            // Hexo prints in colour where `CI` is set.
            .env("NO_COLOR", "1")
            .env("CLOUDFLARE_API_TOKEN", TOKEN)
            .env("PORCHLIGHT_EDGE_CLOUDFLARE_URL", api)
            .env("PORCHLIGHT_SERVER_LISTEN", self.here())
            .env("HTTPS_PROXY", self.edge.proxy())
            .env("NO_PROXY", "127.0.0.1")
            .env("SSL_CERT_FILE", home.join("authority.pem"));
        command
    }

    /// Where the service listens.
    fn here(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Runs commands, which succeed, and gives what they print.
    async fn run(&mut self, commands: &str) -> String {
        let place = self.desktop.home().join("place");
        let script = format!("{commands}\npwd >'{}'", place.display());
        let ended = RunningProcess::spawn(self.bash(&script)).ended().await;
        let log = self.service.as_ref().map(RunningProcess::stderr);
        assert!(ended.status.success(), "{commands}{ended:?} {log:?}");
        let place = std::fs::read_to_string(place).expect("a file");
        self.folder = PathBuf::from(place.trim_end());
        ended.stdout + &ended.stderr
    }

    /// Does what a block of the page says.
    async fn follow(&mut self, block: Block) {
        let commands = match block {
            Block::Shell(commands) => commands.replace("127.0.0.1:4780", &self.here()),
            Block::File(name, text) => {
                let placeholder = format!("https://{WORKER}/i/….webp");
                let text = text.replace(&placeholder, &self.link);
                return page::write(&self.folder.join(name), &text);
            }
        };
        let output = if commands.starts_with("porchlight serve") {
            let service = RunningProcess::spawn(self.bash(&format!("exec {commands}")));
            let service = self.service.insert(service);
            service.line_with("").await.expect("a line")
        } else {
            self.run(&commands).await
        };
        page::prints(&commands, &output);
        if let Some(at) = commands.find("curl ") {
            self.heartbeat = commands[at..].to_owned();
        } else if commands.contains("edge deploy") {
            self.worker = Some(self.deployed().await);
        } else if commands.contains("upload") {
            self.link = output.trim().to_owned();
        }
    }

    /// What Cloudflare does with what was deployed.
    async fn deployed(&self) -> RunningProcess {
        let folder = self.desktop.home().join("cloudflare");
        std::fs::create_dir(&folder).expect("a folder");
        self.cloud.read(|cloud| cloud.write_worker(&folder));
        let port = free_port();
        let mut worker = self.desktop.command(&tool::workerd());
        let socket = format!("--socket-addr=http=127.0.0.1:{port}");
        worker.args(["serve", "workerd.capnp", &socket]);
        worker.current_dir(folder);
        let worker = RunningProcess::spawn(worker);
        answers(port).await;
        self.edge.connect(WORKER, port);
        worker
    }

    async fn reader(&self) -> Reader {
        let url = format!("https://{BLOG}/");
        Reader::open(&self.desktop, &self.edge.proxy(), &url).await
    }
}

async fn answers(port: u16) {
    eventually("a server", async || {
        TcpStream::connect(("127.0.0.1", port)).await.ok()
    })
    .await;
}

#[tokio::test]
async fn the_quick_start_leads_to_a_light_and_a_picture_that_stay() {
    let (followed, others) = page::read();
    let mut follower = Follower::start().await;
    for block in followed {
        follower.follow(block).await;
    }
    let pictures = json!([[follower.link, 1200]]);
    let online = |name: &str, colour: &str| {
        json!({ "state": "online", "isOnTop": true, "name": name, "text": "writing", "colour": colour,
            "pictures": pictures })
    };
    let reader = follower.reader().await;
    reader.sees(&online("Editor", "rgb(80, 160, 240)")).await;
    let another = follower.heartbeat.replace("Editor", "Terminal");
    let another = another.replace("80,160,240", "240,160,80");
    follower.run(&another).await;
    reader.sees(&online("Terminal", "rgb(240, 160, 80)")).await;

    // Ctrl+C.
    let service = follower.service.take().expect("a service");
    service.interrupt();
    assert!(service.ended().await.status.success());
    let offline = json!({ "state": "offline", "name": "Offline", "pictures": pictures });
    reader.sees(&offline).await;
    reader.leaves().await;
    let reader = follower.reader().await;
    reader.sees(&offline).await;
    reader.leaves().await;

    let lines = [
        format!("src=\"https://{WORKER}/widget.js\"></script>"),
        format!("<porch-light src=\"https://{WORKER}\"></porch-light>"),
    ];
    assert_eq!(others.len(), 2);
    for block in others {
        let Block::File(name, text) = block else {
            panic!("no file");
        };
        assert!(lines.iter().all(|line| text.contains(line)), "{name}");
    }
}
