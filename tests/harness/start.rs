//! How a service is to be started: settings, environment, folders, and what it
//! is wrapped in.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::process::{self, Ended, RunningProcess};
use super::{TestService, http, program, random_token};

/// How a service is to be started. Made by [`TestService::builder`].
pub struct Builder {
    pub settings: Vec<String>,
    environment: Vec<(String, String)>,
    data_dir: Option<PathBuf>,
    listen: String,
    with_tokens: bool,
    wrapper: Vec<String>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            settings: Vec::new(),
            environment: Vec::new(),
            data_dir: None,
            listen: "127.0.0.1:0".to_owned(),
            with_tokens: true,
            wrapper: Vec::new(),
        }
    }

    /// `--set KEY=VALUE`.
    pub fn set(mut self, setting: impl Into<String>) -> Self {
        self.settings.push(setting.into());
        self
    }

    /// Several of [`Builder::set`].
    pub fn sets<S: AsRef<str>>(mut self, settings: &[S]) -> Self {
        self.settings
            .extend(settings.iter().map(|setting| setting.as_ref().to_owned()));
        self
    }

    /// An environment variable, beside the few that are always there.
    pub fn env(mut self, key: &str, value: impl Into<String>) -> Self {
        self.environment.push((key.to_owned(), value.into()));
        self
    }

    /// Starts without the two tokens in the environment.
    pub fn without_tokens(mut self) -> Self {
        self.with_tokens = false;
        self
    }

    /// A data folder that is the caller's, instead of a new one.
    pub fn data_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.data_dir = Some(folder.into());
        self
    }

    /// The address to listen on, instead of a free loopback port.
    pub fn listen(mut self, address: impl Into<String>) -> Self {
        self.listen = address.into();
        self
    }

    /// A program, with its arguments, that is given the service's command line
    /// as its last arguments and replaces itself with it.
    pub fn wrapped_in<S: AsRef<str>>(mut self, words: &[S]) -> Self {
        self.wrapper = words.iter().map(|word| word.as_ref().to_owned()).collect();
        self
    }

    /// Starts the service and waits until it listens.
    ///
    /// # Panics
    /// When it ends instead, with what it printed.
    pub async fn start(self) -> TestService {
        match self.try_start().await {
            Ok(service) => service,
            Err(ended) => panic!("the service did not start: {ended:?}"),
        }
    }

    /// Starts the service and waits until it listens, or until it has ended.
    pub async fn try_start(self) -> Result<TestService, Ended> {
        let home = tempfile::tempdir().expect("a temporary folder");
        let data_dir = self
            .data_dir
            .clone()
            .unwrap_or_else(|| home.path().join("data"));
        let admin_token = random_token();
        let heartbeat_token = random_token();
        let process = self.spawn(home.path(), &data_dir, &admin_token, &heartbeat_token);
        let (process, address) = listening(process).await?;
        Ok(TestService {
            admin_token,
            heartbeat_token,
            http: http(),
            how: self,
            process,
            address,
            data_dir,
            home,
        })
    }

    /// Starts the service with settings that it should refuse, and waits until
    /// it ends.
    ///
    /// # Panics
    /// When it starts anyway.
    pub async fn refused(self) -> Ended {
        match self.try_start().await {
            Ok(service) => panic!("the service started: {}", service.stderr()),
            Err(ended) => ended,
        }
    }

    pub fn spawn(
        &self,
        home: &Path,
        data_dir: &Path,
        admin: &str,
        heartbeat: &str,
    ) -> RunningProcess {
        let mut words = self.wrapper.clone();
        words.push(program());
        words.extend(["serve", "--data-dir"].map(str::to_owned));
        words.push(data_dir.to_str().expect("a UTF-8 path").to_owned());
        words.extend(["--listen".to_owned(), self.listen.clone()]);
        for setting in &self.settings {
            words.extend(["--set".to_owned(), setting.clone()]);
        }
        let mut command = process::clean_command(&words[0], home);
        command.args(&words[1..]);
        if self.with_tokens {
            command.env("PORCHLIGHT_ADMIN_TOKEN", admin);
            command.env("PORCHLIGHT_HEARTBEAT_TOKEN", heartbeat);
        }
        command.envs(self.environment.iter().map(|(key, value)| (key, value)));
        RunningProcess::spawn(command)
    }
}

/// Waits for the line with the service's address, or until it ends.
pub(crate) async fn listening(
    mut process: RunningProcess,
) -> Result<(RunningProcess, SocketAddr), Ended> {
    let Some(line) = process.line_with("listening on http://").await else {
        return Err(process.ended().await);
    };
    let address = line
        .trim()
        .strip_prefix("listening on http://")
        .expect("the line alone");
    Ok((process, address.parse().expect("an address with a port")))
}
