//! nginx, set up to be as fast as it can be without help that a server of
//! changing files cannot use: files sent by the kernel, no log.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Result;
use crate::child::{LOOK_EVERY, Running, output};

/// It listens within this time or never.
const READY_WITHIN: Duration = Duration::from_secs(10);

/// A running nginx.
pub(crate) struct Nginx {
    /// Where it is, without a trailing slash.
    pub(crate) url: String,
    _running: Running,
}

impl Nginx {
    /// Starts it in its own folder: `pictures` holds what it serves, and
    /// `/check` answers `reply`.
    ///
    /// # Errors
    /// When it does not listen within ten seconds.
    pub(crate) fn start(folder: &Path, reply: &str) -> Result<Self> {
        if reply.contains(['\'', '\\', '$']) {
            return Err(format!("nginx's settings cannot hold this reply: {reply}").into());
        }
        // Free at this moment; nginx does not report its port.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let file = folder.join("nginx.conf");
        fs::write(&file, settings(folder, port, reply)?)?;
        let mut running = Running::start(
            Command::new(program())
                .args(["-e", "stderr", "-p"])
                .arg(folder)
                .arg("-c")
                .arg(&file)
                .stdin(Stdio::null()),
        )?;
        let began = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            running.check()?;
            if began.elapsed() > READY_WITHIN {
                return Err("nginx does not listen".into());
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(Self {
            url: format!("http://127.0.0.1:{port}"),
            _running: running,
        })
    }
}

/// `nginx version: nginx/1.22.1` without its first words.
pub(crate) fn version() -> Result<String> {
    let printed = output(Command::new(program()).arg("-v"))?;
    Ok(printed
        .trim()
        .trim_start_matches("nginx version: ")
        .replace('/', " "))
}

/// Debian keeps it where only root's `PATH` goes.
fn program() -> PathBuf {
    let debian = Path::new("/usr/sbin/nginx");
    if debian.exists() {
        debian.to_owned()
    } else {
        PathBuf::from("nginx")
    }
}

fn settings(folder: &Path, port: u16, reply: &str) -> Result<String> {
    let folder_name = folder.display();
    let user = if belongs_to_root(folder)? {
        "user root;"
    } else {
        ""
    };
    Ok(format!(
        r#"{user}
daemon off;
worker_processes auto;
pid "{folder_name}/nginx.pid";
error_log stderr error;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_timeout 75s;
    keepalive_requests 1000000000;
    client_body_temp_path "{folder_name}/body";
    proxy_temp_path "{folder_name}/proxy";
    fastcgi_temp_path "{folder_name}/fastcgi";
    uwsgi_temp_path "{folder_name}/uwsgi";
    scgi_temp_path "{folder_name}/scgi";
    types {{ image/webp webp; }}
    server {{
        listen 127.0.0.1:{port};
        root "{folder_name}/pictures";
        location = /check {{
            default_type application/json;
            return 200 '{reply}';
        }}
    }}
}}
"#
    ))
}

/// Where root runs it, nginx would give its work to a user who cannot enter
/// this folder. The folder was made by who runs this.
#[cfg(unix)]
fn belongs_to_root(folder: &Path) -> Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(fs::metadata(folder)?.uid() == 0)
}

#[cfg(not(unix))]
fn belongs_to_root(_: &Path) -> Result<bool> {
    Ok(false)
}
