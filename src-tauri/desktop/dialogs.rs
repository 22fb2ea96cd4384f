//! What the owner is asked in dialogs of the system: where a file goes, and
//! whether something may be done that the page may not decide. In the language
//! of the app.

use std::path::PathBuf;

use porchlight_app::host::Host;
use porchlight_app::settings::app::AppLanguage;
use porchlight_app::settings::approval::Approval;
use tauri::{AppHandle, Manager as _, WebviewWindow, Wry};
use tauri_plugin_dialog::{
    DialogExt as _, FileDialogBuilder, MessageDialogButtons, MessageDialogKind,
};
use tokio::sync::oneshot;

use super::i18n::with;

mod restore;

pub(super) use restore::{Restore, whether_to_restore};

/// What the dialogs say.
#[derive(Debug)]
pub(super) struct Phrases {
    /// The answer that confirms.
    pub(super) go_on: &'static str,
    /// The answer that does not.
    pub(super) leave_it: &'static str,
    run: &'static str,
    pattern: &'static str,
    elsewhere: &'static str,
    way_in: &'static str,
    listen: &'static str,
    caller: &'static str,
    proxies: &'static str,
    folders: &'static str,
    after: &'static str,
    readers: &'static str,
    quick_tunnel: &'static str,
    editors: &'static str,
    no_secret: &'static str,
    updates: &'static str,
    /// Above the dialog for where a backup goes.
    pub(super) save_backup: &'static str,
    /// Above the dialog for which backup is restored.
    pub(super) open_backup: &'static str,
    /// Above the dialog for where the file for ShareX goes.
    pub(super) save_uploader: &'static str,
    /// Above the dialog for a folder.
    pub(super) choose_folder: &'static str,
    /// Above the dialog for a file.
    pub(super) choose_file: &'static str,
    /// Whether a backup takes the place of what is there; `{images}`, `{secrets}`.
    pub(super) restore: &'static str,
    /// Where a backup has no secrets.
    pub(super) no_secrets: &'static str,
    restore_settings: &'static str,
    restore_tokens: &'static str,
    more: &'static str,
    restore_all: &'static str,
    restore_without: &'static str,
    cancel: &'static str,
    /// Whether to restart for a repair.
    pub(super) repair: &'static str,
    /// Whether missing pictures are lost; `{missing}`, `{of}`.
    pub(super) missing: &'static str,
    /// Whether all pictures of another server are imported; `{server}`.
    pub(super) import: &'static str,
    /// Whether so many files are uploaded.
    pub(super) many_files: &'static str,
    repaired: &'static str,
}

const ENGLISH: Phrases = Phrases {
    go_on: "Continue",
    leave_it: "Cancel",
    run: "Run this program now, and every time Porchlight starts?",
    pattern: "Use this pattern to find Porchlight’s public address?",
    elsewhere: "Send keys, tokens or pictures to this address?",
    way_in: "Make Porchlight reachable from the internet with this tunnel?",
    listen: "Let other computers reach Porchlight at this address?",
    caller: "Trust this header for visitors’ addresses? Anyone can fake it, unless your own proxy \
             is in front of Porchlight.",
    proxies: "Trust the visitor addresses that these proxies report? Add only your own proxies.",
    folders: "Publish every picture in this folder?",
    after: "Move files out of watched folders after they’re uploaded?",
    readers: "Redirect your readers to this address for pictures?",
    quick_tunnel: "Put Porchlight on the internet with a Cloudflare quick tunnel? Anyone who knows \
                   the address can then see what your blog shows.",
    editors: "Let editors on this computer upload pictures through Porchlight if they have the \
              secret?",
    no_secret: "Let every program and every user on this computer upload through Porchlight \
                without a secret? They can then publish any picture you can open, and your \
                clipboard.",
    updates: "Use this to check for updates? Take it from the publisher of your copy of Porchlight: \
              whoever controls both settings can announce a new version to you.",
    save_backup: "Save backup",
    open_backup: "Choose backup",
    save_uploader: "Save ShareX uploader",
    choose_folder: "Choose folder",
    choose_file: "Choose file",
    restore: "Restore this backup? It is complete. Pictures: {images}. Also included: \
              {secrets}.\n\nPorchlight restarts with it. Your current data is kept in the data \
              folder.",
    no_secrets: "no settings, no tokens",
    restore_settings: "These settings in the backup run a program, send data elsewhere, let others connect or show something about you:",
    restore_tokens: "These access tokens are not valid now, but will be after restoring:",
    more: "and {count} more",
    restore_all: "Restore everything",
    restore_without: "Restore without these",
    cancel: "Cancel",
    import: "Import all pictures of this server? Anyone with their links can open them here.\n\n\
             {server}",
    many_files: "Upload {} files? Anyone with the links can open the pictures.",
    repair: "Check and repair your pictures? Porchlight restarts, and readers wait until it’s done. \
             Nothing that could be a picture is deleted. See the log for details.",
    missing: "{missing} of {of} pictures are missing. Are they really lost? A disk may not be mounted, \
              or another bucket may be set.\n\nIf you continue, Porchlight forgets them. It keeps a \
              copy of its database, so that a repair brings them back when their files are back.",
    repaired: "Repair finished. Pictures OK: {good}. Fixed: {mended}. Still damaged: {wrong}. See the \
               log for details.",
};

const CHINESE: Phrases = Phrases {
    go_on: "继续",
    leave_it: "取消",
    run: "现在以及每次启动 Porchlight 时都运行这个程序吗？",
    pattern: "用这个表达式查找 Porchlight 的公开地址吗？",
    elsewhere: "把密钥、令牌或图片发送到这个地址吗？",
    way_in: "允许外网通过这条隧道访问 Porchlight 吗？",
    listen: "允许其他电脑通过这个地址访问 Porchlight 吗？",
    caller: "信任这个请求头中的访客地址吗？如果前面没有你自己的代理，任何人都可以伪造它。",
    proxies: "信任这些代理提供的访客地址吗？请只填写你自己的代理。",
    folders: "公开这个文件夹里的所有图片吗？",
    after: "上传后把文件移出监视的文件夹吗？",
    readers: "把读者重定向到这个地址获取图片吗？",
    quick_tunnel: "通过 Cloudflare 快速隧道让外网能访问 Porchlight 吗？\
                   之后任何知道地址的人都能看到博客显示的内容。",
    editors: "允许这台电脑上持有密钥的编辑器通过 Porchlight 上传图片吗？",
    no_secret: "允许这台电脑上的所有程序和用户不用密钥就通过 Porchlight 上传吗？\
                他们将可以公开你能打开的任何图片，以及你的剪贴板内容。",
    updates: "用它来检查更新吗？请使用你这份 Porchlight 的发布者提供的值：\
              谁控制了这两项设置，谁就能向你宣布新版本。",
    save_backup: "保存备份",
    open_backup: "选择备份",
    save_uploader: "保存 ShareX 上传配置",
    choose_folder: "选择文件夹",
    choose_file: "选择文件",
    restore: "恢复这个备份吗？备份完整，有 {images} 张图片，另外包含：{secrets}。\n\n\
              Porchlight 会重启。现有的数据会保留在数据文件夹里。",
    no_secrets: "无设置，无令牌",
    restore_settings: "备份中的这些设置会运行程序、把数据发送到别处、允许他人连接或公开与你有关的内容：",
    restore_tokens: "这些访问令牌现在无效，恢复后会变为有效：",
    more: "还有 {count} 个",
    restore_all: "全部恢复",
    restore_without: "恢复但不含这些",
    cancel: "取消",
    import: "要导入这个服务器上的所有图片吗？之后知道链接的人都能在这里打开它们。\n\n{server}",
    many_files: "要上传 {} 个文件吗？之后知道链接的人都能打开这些图片。",
    repair: "检查并修复图片吗？Porchlight 会重启，期间读者需要等待。\
             可能是图片的文件都不会被删除。详情见日志。",
    missing: "{of} 张图片中有 {missing} 张不见了。它们真的丢失了吗？可能是磁盘没有挂载，\
              或者设置了别的存储桶。\n\n如果继续，Porchlight 会忘记它们。数据库会保留一份副本，\
              文件找回后再修复一次就能恢复这些图片。",
    repaired: "修复完成。完好的图片：{good}。已修复：{mended}。仍有损坏：{wrong}。详情见日志。",
};

/// The phrases in the language of the app.
pub(super) fn phrases(app: &AppHandle) -> &'static Phrases {
    let language = app.state::<Host>().settings().app.language;
    in_language(language, &sys_locale::get_locale().unwrap_or_default())
}

fn in_language(language: AppLanguage, locale: &str) -> &'static Phrases {
    let of_the_system = locale.split(['-', '_', '.']).next().unwrap_or_default();
    match language {
        AppLanguage::Chinese => &CHINESE,
        AppLanguage::System if of_the_system.eq_ignore_ascii_case("zh") => &CHINESE,
        AppLanguage::System | AppLanguage::English => &ENGLISH,
    }
}

/// Asks a question that is answered by yes or no; closing it is a no.
pub(super) async fn confirmed(window: &WebviewWindow, text: String) -> bool {
    let phrases = phrases(window.app_handle());
    let (send, answer) = oneshot::channel();
    window
        .dialog()
        .message(text)
        .title("Porchlight")
        .kind(MessageDialogKind::Warning)
        .buttons(MessageDialogButtons::OkCancelCustom(
            phrases.go_on.to_owned(),
            phrases.leave_it.to_owned(),
        ))
        .parent(window)
        .show(move |yes| {
            // The window may have been closed meanwhile.
            let _ = send.send(yes);
        });
    answer.await.unwrap_or(false)
}

/// Asks whether this many files are to be uploaded; whether the answer was a yes.
pub(super) async fn many_meant(window: WebviewWindow, count: usize) -> bool {
    let text = phrases(window.app_handle()).many_files;
    confirmed(&window, with(text, count)).await
}

/// Asks what the page may not decide, all of it in one dialog; whether the
/// answer was a yes.
pub(super) async fn all_confirmed(window: &WebviewWindow, questions: &[Approval]) -> bool {
    let phrases = phrases(window.app_handle());
    questions.is_empty() || confirmed(window, asked(phrases, questions)).await
}

/// Each question with what it is about; the same question is said once.
fn asked(phrases: &Phrases, questions: &[Approval]) -> String {
    let mut parts: Vec<(&str, Vec<String>)> = Vec::new();
    for question in questions {
        let (asks, fact) = fact(phrases, question);
        match parts.iter_mut().find(|(said, _)| *said == asks) {
            Some((_, facts)) => facts.push(fact),
            None => parts.push((asks, vec![fact])),
        }
    }
    let part = |(asks, facts): (&str, Vec<String>)| format!("{asks}\n\n{}", facts.join("\n"));
    let parts: Vec<String> = parts.into_iter().map(part).collect();
    parts.join("\n\n")
}

fn fact(phrases: &Phrases, question: &Approval) -> (&'static str, String) {
    match question {
        // Each word as it is: one with a space in it is one word all the same.
        Approval::Program(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
            (phrases.run, words.join(" "))
        }
        Approval::Pattern(pattern) => (phrases.pattern, format!("{pattern:?}")),
        Approval::Elsewhere { key, address } => {
            (phrases.elsewhere, of_key(key, address.as_deref()))
        }
        Approval::PublicAccess { key, value } => (phrases.way_in, of_key(key, value.as_deref())),
        Approval::Listen(address) => (phrases.listen, of_key("server.listen", Some(address))),
        Approval::Caller(header) => (phrases.caller, of_key("server.client_ip", Some(header))),
        Approval::Proxies(addresses) => {
            let addresses = addresses.join(", ");
            (
                phrases.proxies,
                of_key("server.trusted_proxies", Some(&addresses)),
            )
        }
        Approval::Folder(folder) => (phrases.folders, format!("{folder:?}")),
        Approval::After(after) => (phrases.after, of_key("watch.after", Some(after))),
        Approval::Readers(address) => (
            phrases.readers,
            of_key("storage.storage_url", Some(address)),
        ),
        Approval::QuickTunnel => (
            phrases.quick_tunnel,
            of_key("tunnel.kind", Some("cloudflared")),
        ),
        Approval::Editors => (phrases.editors, "picgo.enabled".to_owned()),
        Approval::Updates { key, value } => (phrases.updates, of_key(key, Some(value))),
        Approval::NoSecret => (phrases.no_secret, of_key("picgo.secret", Some(""))),
    }
}

/// A setting, and its value where that may be shown.
fn of_key(key: &str, value: Option<&str>) -> String {
    value.map_or_else(|| key.to_owned(), |value| format!("{key}\n{value:?}"))
}

/// Says what came of the repair that this start began with, if it did.
pub(super) fn tell_of_repair(app: &AppHandle) {
    let host = app.state::<Host>();
    let Some(report) = host.repaired() else {
        return;
    };
    let text = phrases(app)
        .repaired
        .replace("{good}", &report.good.to_string())
        .replace("{mended}", &report.mended.to_string())
        .replace("{wrong}", &report.wrong.len().to_string());
    app.dialog().message(text).title("Porchlight").show(|_| {});
}

/// A dialog above the window.
pub(super) fn files(window: &WebviewWindow, title: &str) -> FileDialogBuilder<Wry> {
    window.dialog().file().set_parent(window).set_title(title)
}

/// Where the owner wants a file; `None` when they do not.
pub(super) async fn where_to(dialog: FileDialogBuilder<Wry>) -> Option<PathBuf> {
    let (send, chosen) = oneshot::channel();
    dialog.save_file(move |file| {
        let _ = send.send(file);
    });
    chosen.await.ok().flatten()?.into_path().ok()
}

/// The file that the owner chooses.
pub(super) async fn which_file(dialog: FileDialogBuilder<Wry>) -> Option<PathBuf> {
    let (send, chosen) = oneshot::channel();
    dialog.pick_file(move |file| {
        let _ = send.send(file);
    });
    chosen.await.ok().flatten()?.into_path().ok()
}

/// The folder that the owner chooses.
pub(super) async fn which_folder(dialog: FileDialogBuilder<Wry>) -> Option<PathBuf> {
    let (send, chosen) = oneshot::channel();
    dialog.pick_folder(move |folder| {
        let _ = send.send(folder);
    });
    chosen.await.ok().flatten()?.into_path().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_app_asks_in_its_own_language_else_in_that_of_the_system() {
        for (language, locale, expected) in [
            (AppLanguage::Chinese, "en-GB", &CHINESE),
            (AppLanguage::English, "zh-CN", &ENGLISH),
            (AppLanguage::System, "zh_CN.UTF-8", &CHINESE),
            (AppLanguage::System, "C", &ENGLISH),
        ] {
            let phrases = in_language(language, locale);
            assert_eq!(phrases.go_on, expected.go_on, "{language:?} {locale}");
        }
    }

    #[test]
    fn both_languages_ask_the_same() {
        crate::desktop::i18n::tests::speak_alike(&ENGLISH, &CHINESE);
    }

    #[test]
    fn one_dialog_asks_all_and_each_question_once() {
        let folders = ["/a", "/b"].map(|folder| Approval::Folder(folder.to_owned()));
        let [one, two] = folders;
        let after = Approval::After("trash".to_owned());
        assert_eq!(
            asked(&ENGLISH, &[one, after, two]),
            format!(
                "{}\n\n\"/a\"\n\"/b\"\n\n{}\n\nwatch.after\n\"trash\"",
                ENGLISH.folders, ENGLISH.after
            )
        );
    }

    #[test]
    fn a_token_is_not_shown_and_what_is_asked_of_the_listener_is() {
        let way = |value| Approval::PublicAccess {
            key: "tunnel.cloudflared_token".to_owned(),
            value,
        };
        for phrases in [&ENGLISH, &CHINESE] {
            let text = asked(phrases, &[way(None)]);
            assert_eq!(
                text,
                format!("{}\n\ntunnel.cloudflared_token", phrases.way_in)
            );
            let listen = Approval::Listen("0.0.0.0:80".to_owned());
            let caller = Approval::Caller("x-forwarded-for".to_owned());
            let text = asked(phrases, &[listen, caller]);
            assert!(text.contains("server.listen\n\"0.0.0.0:80\""), "{text}");
            assert!(
                text.ends_with("server.client_ip\n\"x-forwarded-for\""),
                "{text}"
            );
        }
    }

    #[test]
    fn a_question_shows_the_whole_command() {
        let words = ["bore", "two words", "a\nb"].map(str::to_owned).to_vec();
        let text = asked(&ENGLISH, &[Approval::Program(words)]);
        assert!(text.ends_with(r#""bore" "two words" "a\nb""#), "{text}");
    }
}
