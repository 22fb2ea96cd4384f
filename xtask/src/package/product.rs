//! The two packages: their names, what they say of themselves, and what else they need.

use std::path::PathBuf;
use std::process::Command;

use toml::Table;

use crate::build::Kind;
use crate::shell::{Failure, Result, answer, checkout, command};

/// The glibc of Debian 11 and Ubuntu 20.04.
pub(super) const OLD_GLIBC: (u32, u32) = (2, 31);

/// What is the same for every package of one run.
pub(super) struct Release {
    pub(super) version: String,
    /// When the commit was made, in seconds since 1970: the date of everything in a package, so
    /// that the same commit gives the same bytes.
    pub(super) epoch: String,
    pub(super) maintainer: String,
    pub(super) homepage: Option<String>,
    /// Where the packages are made.
    pub(super) folder: PathBuf,
}

impl Release {
    /// That of the checkout, for this folder.
    pub(super) fn of_checkout(version: &str, folder: PathBuf) -> Result<Self> {
        let place = checkout().join("packaging/identity.toml");
        let failed =
            |why: &dyn std::fmt::Display| Failure::new(format!("{}: {why}.", place.display()));
        let text = std::fs::read_to_string(&place).map_err(|error| failed(&error))?;
        let identity: Table = text.parse().map_err(|error| failed(&error))?;
        let text = |key: &str| {
            let text = identity.get(key).and_then(|value| value.as_str());
            text.map(str::to_owned)
                .ok_or_else(|| failed(&format!("`{key}` is not a text")))
        };
        let date = answer(command("git").args(["log", "-1", "--format=%ct"]));
        let date = date.ok_or_else(|| {
            Failure::new("Packages have the date of a commit, and git gave none.")
        })?;
        Ok(Self {
            version: version.to_owned(),
            epoch: date.trim().to_owned(),
            maintainer: text("maintainer")?,
            homepage: Some(text("homepage")?).filter(|page| !page.is_empty()),
            folder,
        })
    }

    /// A program that takes dates from the commit.
    pub(super) fn tool(&self, program: &str) -> Command {
        let mut tool = command(program);
        tool.env("SOURCE_DATE_EPOCH", &self.epoch)
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC");
        tool
    }
}

/// One of the two, built.
pub(super) struct Product {
    pub(super) kind: Kind,
    /// The release build.
    pub(super) program: PathBuf,
}

impl Product {
    /// The name of the package.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Desktop => "porchlight",
            Kind::Headless => "porchlight-headless",
        }
    }

    /// The other one, which has the same program and so cannot be installed beside it.
    pub(super) fn other(&self) -> &'static str {
        match self.kind {
            Kind::Desktop => "porchlight-headless",
            Kind::Headless => "porchlight",
        }
    }

    pub(super) fn summary(&self) -> &'static str {
        match self.kind {
            Kind::Desktop => "live data and images for your own blog",
            Kind::Headless => "live data and images for your own blog, without a window",
        }
    }

    /// In lines of at most 78 letters.
    pub(super) fn description(&self) -> Vec<&'static str> {
        let mut lines = vec![
            "Porchlight adds live data to a blog: whether its owner is online, which app",
            "or game is in use, and images, as WebP. The blog reads it over HTTP.",
        ];
        lines.push(match self.kind {
            Kind::Desktop => "This package has the tray app with its window.",
            Kind::Headless => "This package has the service for a server, with units for systemd.",
        });
        lines
    }

    /// The newest glibc that it may ask for: of the app that of Debian 12.
    pub(super) fn newest_glibc(&self) -> (u32, u32) {
        match self.kind {
            Kind::Desktop => (2, 36),
            Kind::Headless => OLD_GLIBC,
        }
    }

    /// The packages that a system should have beside it, by the names that they have everywhere:
    /// certificates, and what tells file managers of "Upload with Porchlight".
    pub(super) fn recommends(&self) -> &'static str {
        match self.kind {
            Kind::Desktop => "ca-certificates, desktop-file-utils",
            Kind::Headless => "ca-certificates",
        }
    }

    /// The scripts that a package runs, by Debian's names.
    pub(super) fn scripts(&self) -> &'static [(&'static str, &'static str)] {
        match self.kind {
            Kind::Desktop => &[("postrm", "app.postrm")],
            Kind::Headless => &[
                ("postinst", "headless.postinst"),
                ("prerm", "headless.prerm"),
                ("postrm", "headless.postrm"),
            ],
        }
    }
}
