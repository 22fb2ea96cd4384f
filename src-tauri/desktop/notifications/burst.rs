//! What came of a burst of uploads, in a title and a line or two.

use porchlight_service::images::window::AddressKind;
use porchlight_service::text::{LONGEST_NAME, one_line};
use porchlight_service::uploads::window::UploadState;

use super::Notice;
use crate::desktop::i18n::{Words, with};

/// All of it so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Burst {
    stored: usize,
    link: String,
    already_there: usize,
    copied: usize,
    kind: Option<AddressKind>,
    /// The names of files that did not become pictures.
    failed: Vec<String>,
}

impl Burst {
    pub(super) fn take(&mut self, notice: Notice) {
        match notice {
            Notice::Stored { count, link } => {
                self.stored += count;
                self.link = link;
            }
            Notice::SetAside(name) => self.failed(&name),
            Notice::Asked { ended, copied } => {
                self.kind = copied.or(self.kind);
                for upload in ended {
                    let good = matches!(
                        upload.progress,
                        UploadState::Done { .. } | UploadState::Duplicate { .. }
                    );
                    match upload.progress {
                        UploadState::Failed { .. } => self.failed(&upload.name),
                        UploadState::Duplicate { .. } => self.already_there += 1,
                        // A new picture is sent as [`Notice::Stored`].
                        _ => {}
                    }
                    self.copied += usize::from(good && copied.is_some());
                }
            }
            // Shown at once, never in a burst.
            Notice::Sentence(..) | Notice::Closed | Notice::NoTray => {}
        }
    }

    /// File names are untrusted.
    fn failed(&mut self, name: &str) {
        self.failed.push(one_line(name, LONGEST_NAME));
    }

    /// The title and the text below it.
    pub(super) fn text(&self, words: &Words) -> (String, String) {
        let failed = match self.failed.as_slice() {
            [] => None,
            [name] => Some(with(words.not_uploaded, name)),
            names => Some(with(words.not_uploaded_many, names.len())),
        };
        let title = match (self.stored, self.already_there) {
            (0, 0) => return (failed.unwrap_or_default(), String::new()),
            (0, _) => words.already_there.to_owned(),
            (1, _) => words.uploaded.to_owned(),
            (count, _) => with(words.uploaded_many, count),
        };
        let below = match (self.copied, self.stored) {
            (0, 1) => Some(self.link.clone()),
            (0, _) => None,
            (1, _) => Some(words.link_copied.to_owned()),
            _ => Some(words.links_copied.to_owned()),
        };
        let kind = self.kind.and_then(|kind| words.of_address(kind));
        let kind = kind.map(str::to_owned);
        let lines: Vec<String> = below.into_iter().chain(kind).chain(failed).collect();
        (title, lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use porchlight_service::uploads::window::{Upload, UploadTrouble};

    use super::*;
    use crate::desktop::i18n::words_in;
    use porchlight_service::settings::app::AppLanguage;

    fn stored(count: usize) -> Notice {
        Notice::Stored {
            count,
            link: "https://a.example/i/1".to_owned(),
        }
    }

    fn failed(name: &str) -> Notice {
        let upload = Upload {
            id: 1,
            name: name.to_owned(),
            size: 0,
            progress: UploadState::Failed {
                trouble: UploadTrouble::Broken,
            },
        };
        Notice::Asked {
            ended: vec![upload],
            copied: None,
        }
    }

    fn duplicate(kind: AddressKind) -> Notice {
        let upload = Upload {
            id: 1,
            name: "a.png".to_owned(),
            size: 0,
            progress: UploadState::Duplicate {
                hash: "11".repeat(16).parse().expect("a hash"),
                url: String::new(),
            },
        };
        Notice::Asked {
            ended: vec![upload],
            copied: Some(kind),
        }
    }

    fn text(notices: Vec<Notice>) -> (String, String) {
        let mut burst = Burst::default();
        notices.into_iter().for_each(|notice| burst.take(notice));
        burst.text(words_in(AppLanguage::English))
    }

    fn shown(title: &str, body: &str) -> (String, String) {
        (title.to_owned(), body.to_owned())
    }

    #[test]
    fn the_notification_of_one_picture_shows_its_link_and_of_many_their_number() {
        assert_eq!(
            text(vec![stored(1)]),
            shown("Picture uploaded", "https://a.example/i/1")
        );
        assert_eq!(
            text(vec![stored(1), stored(4)]),
            shown("5 pictures uploaded", "")
        );
    }

    #[test]
    fn a_link_that_does_not_last_is_copied_with_a_warning() {
        for (kind, body) in [
            (AddressKind::Permanent, "Link copied."),
            (
                AddressKind::Temporary,
                "Link copied.\nThis address changes when Porchlight restarts.",
            ),
            (
                AddressKind::Local,
                "Link copied.\nReaders can’t open this address.",
            ),
        ] {
            assert_eq!(text(vec![duplicate(kind)]), shown("Already uploaded", body));
        }
    }

    #[test]
    fn a_hostile_name_is_one_line_of_text() {
        let name = format!(
            "<img src=x>\u{202e}gpj\nhttps://evil.example\u{1b}{}",
            "\u{301}".repeat(10_000)
        );
        let expected = format!(
            "Couldn’t upload <img src=x>gpj https://evil.example{}",
            "\u{301}".repeat(8)
        );
        for notice in [failed(&name), Notice::SetAside(name.clone())] {
            assert_eq!(text(vec![notice]), (expected.clone(), String::new()));
        }
    }

    #[test]
    fn one_failed_file_is_named_and_several_are_counted() {
        assert_eq!(
            text(vec![failed("a.png")]),
            shown("Couldn’t upload a.png", "")
        );
        assert_eq!(
            text(vec![
                stored(2),
                failed("a.png"),
                Notice::SetAside("b.png".to_owned())
            ]),
            shown("2 pictures uploaded", "Couldn’t upload 2 files")
        );
    }
}
