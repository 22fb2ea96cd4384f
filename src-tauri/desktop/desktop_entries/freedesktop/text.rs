//! The text of an entry.

use std::fmt;

use super::super::UPLOAD;

/// The formats that are taken, by their registered names.
const FORMATS: [&str; 14] = [
    "image/jpeg",
    "image/png",
    "image/gif",
    "image/webp",
    "image/bmp",
    "image/tiff",
    "image/vnd.microsoft.icon",
    "image/x-icon",
    "image/heic",
    "image/heif",
    "image/avif",
    "image/jxl",
    "image/svg+xml",
    "image/qoi",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The menu of applications.
    Application,
    /// "Open with" of a file manager.
    Upload,
    /// The start of the session.
    Login,
}

/// An entry; displayed, it is the file.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) kind: Kind,
    pub(super) program: &'a str,
    pub(super) data_dir: Option<&'a str>,
    pub(super) icon: &'a str,
}

impl fmt::Display for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [name, chinese] = match self.kind {
            Kind::Application | Kind::Login => ["Porchlight"; 2],
            Kind::Upload => UPLOAD,
        };
        writeln!(f, "[Desktop Entry]\nType=Application\nVersion=1.0")?;
        writeln!(f, "Name={name}\nName[zh_CN]={chinese}")?;
        writeln!(f, "Comment=Your blog’s presence and pictures")?;
        writeln!(f, "Comment[zh_CN]=博客的在线状态与图床")?;
        writeln!(f, "Icon={}\nExec={}", self.icon, self.command())?;
        writeln!(f, "Terminal=false\nStartupNotify=false")?;
        match self.kind {
            Kind::Application => writeln!(
                f,
                "Categories=Network;\nKeywords=blog;images;upload;\n\
                 Keywords[zh_CN]=博客;图片;上传;\nStartupWMClass=porchlight"
            ),
            Kind::Upload => writeln!(f, "NoDisplay=true\nMimeType={};", FORMATS.join(";")),
            Kind::Login => Ok(()),
        }
    }
}

impl Entry<'_> {
    pub(super) fn command(&self) -> String {
        let mut words = vec![quoted(self.program)];
        if let Some(folder) = self.data_dir {
            words.extend(["--data-dir".to_owned(), quoted(folder)]);
        }
        match self.kind {
            Kind::Application => {}
            Kind::Upload => words.extend(["--upload".to_owned(), "%F".to_owned()]),
            Kind::Login => words.push("--hidden".to_owned()),
        }
        words.join(" ")
    }
}

/// A word of a command line: in quotes, where four signs are escaped; in a
/// value, where a backslash is doubled; and in `Exec`, where a percent sign is.
fn quoted(word: &str) -> String {
    let mut quoted = String::from('"');
    for sign in word.chars() {
        match sign {
            // Escaped for the quotes, and each backslash for the value.
            '\\' => quoted.push_str(r"\\\\"),
            '"' | '`' | '$' => {
                quoted.push_str(r"\\");
                quoted.push(sign);
            }
            '%' => quoted.push_str("%%"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
