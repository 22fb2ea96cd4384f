//! A real object store, Garage, with one bucket that readers may see.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::process::{RunningProcess, clean_command};
use crate::{TIMEOUT, eventually, free_port, http, tool};

const BUCKET: &str = "pictures";
const WEB_DOMAIN: &str = "web.garage.test";
/// What requests are signed for.
pub const REGION: &str = "garage";

/// A running Garage. Dropping it kills it and removes its folder.
pub struct Garage {
    access_key: String,
    secret_key: String,
    process: RunningProcess,
    ports: Ports,
    program: PathBuf,
    // The last field: the folder goes when the process is gone.
    folder: TempDir,
}

#[derive(Clone, Copy)]
struct Ports {
    rpc: u16,
    s3: u16,
    web: u16,
    admin: u16,
}

impl Garage {
    /// Starts one with an empty bucket.
    pub async fn start() -> Self {
        let program = tool::path("garage");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let access_key = format!("GK{}", hex::encode(rand::random::<[u8; 12]>()));
        let secret_key = hex::encode(rand::random::<[u8; 32]>());
        let ports = Ports {
            rpc: free_port(),
            s3: free_port(),
            web: free_port(),
            admin: free_port(),
        };
        fs::write(
            folder.path().join("garage.toml"),
            configuration(folder.path(), ports),
        )
        .expect("a new file");
        let process = serve(&program, folder.path(), &access_key, &secret_key);
        let garage = Self {
            access_key,
            secret_key,
            process,
            ports,
            program,
            folder,
        };
        garage.ready().await;
        garage.run(&["bucket", "website", "--allow", BUCKET]).await;
        garage
    }

    /// The settings that make a service keep its images here.
    pub fn settings(&self) -> Vec<String> {
        vec![
            "storage.kind=s3".to_owned(),
            format!("storage.endpoint={}", self.endpoint()),
            format!("storage.region={REGION}"),
            format!("storage.bucket={BUCKET}"),
            format!("storage.access_key={}", self.access_key),
            format!("storage.secret_key={}", self.secret_key),
            format!("storage.storage_url={}", self.storage_url()),
        ]
    }

    /// Where it takes requests.
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports.s3)
    }

    /// The key of its buckets, and the secret of that.
    pub fn keys(&self) -> (&str, &str) {
        (&self.access_key, &self.secret_key)
    }

    /// Makes another bucket, which readers cannot see.
    pub async fn make_private(&self, bucket: &str) {
        self.run(&["bucket", "create", bucket]).await;
        let allow = ["bucket", "allow", "--read", "--write", bucket, "--key"];
        self.run(&[&allow[..], &[&self.access_key]].concat()).await;
    }

    /// The public address of the bucket.
    pub fn storage_url(&self) -> String {
        format!("http://{BUCKET}.{WEB_DOMAIN}:{}", self.ports.web)
    }

    /// The public address under the one name that every machine resolves. From
    /// then on the bucket goes by that name too.
    pub async fn on_localhost(&self) -> String {
        // A second time it has the name already.
        self.run(&["bucket", "alias", BUCKET, "localhost"]).await;
        format!("http://localhost:{}", self.ports.web)
    }

    /// Lets pages of all sites read the bucket, by the call that its owner makes.
    pub async fn let_other_sites_read(&self) {
        let rule = "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin>\
                    <AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>";
        let mut command = clean_command("curl", self.folder.path());
        command
            .args(["--silent", "--show-error", "--fail-with-body", "-X", "PUT"])
            .args(["--aws-sigv4", "aws:amz:garage:s3", "--user"])
            .arg(format!("{}:{}", self.access_key, self.secret_key))
            .args([
                "-H",
                "x-amz-content-sha256: UNSIGNED-PAYLOAD",
                "--data",
                rule,
            ])
            .arg(format!("http://127.0.0.1:{}/{BUCKET}?cors=", self.ports.s3));
        let ended = RunningProcess::spawn(command).ended().await;
        assert!(ended.status.success(), "{ended:?}");
    }

    /// A reader, who knows where the public address leads.
    pub fn reader(&self) -> reqwest::Client {
        let web = SocketAddr::from(([127, 0, 0, 1], self.ports.web));
        porchlight_service::http::client_tls::http_client()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .timeout(TIMEOUT)
            .resolve(&format!("{BUCKET}.{WEB_DOMAIN}"), web)
            .build()
            .expect("a client")
    }

    /// How many objects the bucket holds.
    pub async fn objects(&self) -> u64 {
        let output = self.run(&["bucket", "info", BUCKET]).await;
        let line = output
            .lines()
            .find(|line| line.trim_start().starts_with("Objects:"));
        let line = line.unwrap_or_else(|| panic!("no count of objects: {output}"));
        let number = line.split(':').nth(1).expect("a number");
        number.trim().parse().expect("a number")
    }

    /// Ends it as a power cut would.
    pub async fn kill(&mut self) {
        self.process.kill();
        self.process.wait().await;
    }

    /// Starts it again on the same ports, with all it had.
    pub async fn restart(&mut self) {
        self.process = serve(
            &self.program,
            self.folder.path(),
            &self.access_key,
            &self.secret_key,
        );
        self.ready().await;
    }

    async fn ready(&self) {
        let health = format!("http://127.0.0.1:{}/health", self.ports.admin);
        let client = http();
        eventually("Garage is healthy", async || {
            assert!(self.process.pid().is_some(), "{}", self.process.stderr());
            let request = client.get(&health).timeout(Duration::from_secs(2));
            let response = request.send().await.ok()?;
            // It is healthy also without the port of its S3 API.
            let log = self.process.stderr();
            assert!(!log.contains("S3 API server exited with error"), "{log}");
            response.status().is_success().then_some(())
        })
        .await;
    }

    async fn run(&self, words: &[&str]) -> String {
        let mut command = clean_command(self.program.to_str().expect("UTF-8"), self.folder.path());
        command
            .arg("-c")
            .arg(self.folder.path().join("garage.toml"))
            .args(words);
        let ended = RunningProcess::spawn(command).ended().await;
        assert!(ended.status.success(), "{words:?}: {ended:?}");
        ended.stdout
    }
}

fn serve(program: &Path, folder: &Path, access_key: &str, secret_key: &str) -> RunningProcess {
    let mut command = clean_command(program.to_str().expect("UTF-8"), folder);
    command.arg("-c").arg(folder.join("garage.toml"));
    command.args(["server", "--single-node", "--default-bucket"]);
    command.env("GARAGE_DEFAULT_ACCESS_KEY", access_key);
    command.env("GARAGE_DEFAULT_SECRET_KEY", secret_key);
    command.env("GARAGE_DEFAULT_BUCKET", BUCKET);
    RunningProcess::spawn(command)
}

fn configuration(folder: &Path, ports: Ports) -> String {
    let Ports {
        rpc,
        s3,
        web,
        admin,
    } = ports;
    let meta = folder.join("meta");
    let data = folder.join("data");
    let secret = hex::encode(rand::random::<[u8; 32]>());
    format!(
        "metadata_dir = {meta:?}\n\
         data_dir = {data:?}\n\
         db_engine = \"sqlite\"\n\
         replication_factor = 1\n\
         rpc_bind_addr = \"127.0.0.1:{rpc}\"\n\
         rpc_public_addr = \"127.0.0.1:{rpc}\"\n\
         rpc_secret = \"{secret}\"\n\
         [s3_api]\n\
         s3_region = \"{REGION}\"\n\
         api_bind_addr = \"127.0.0.1:{s3}\"\n\
         root_domain = \".s3.garage.test\"\n\
         [s3_web]\n\
         bind_addr = \"127.0.0.1:{web}\"\n\
         root_domain = \".{WEB_DOMAIN}\"\n\
         [admin]\n\
         api_bind_addr = \"127.0.0.1:{admin}\"\n"
    )
}
