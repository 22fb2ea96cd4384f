//! The texts of the tray, of notifications and of dialogs, in the owner's language. The page has its
//! own catalog.

use porchlight_service::app::host::Host;
use porchlight_service::images::window::AddressKind;
use porchlight_service::settings::app::AppLanguage;

/// Declares the texts in both languages: `name: English, Chinese;`.
macro_rules! catalog {
    ($($name:ident: $english:literal, $chinese:literal;)*) => {
        /// The texts outside of the window. `{}` and `{name}` are placeholders.
        #[derive(Debug, PartialEq, Eq)]
        pub(super) struct Words {
            $(pub(super) $name: &'static str,)*
        }

        pub(super) const ENGLISH: Words = Words {
            $($name: $english,)*
        };

        pub(super) const CHINESE: Words = Words {
            $($name: $chinese,)*
        };

        #[cfg(test)]
        const PAIRS: &[(&str, &str, &str)] = &[$((stringify!($name), $english, $chinese),)*];
    };
}

catalog! {
    // The tray and notifications.
    readers_see: "Readers see: {}", "读者看到：{}";
    readers_see_away: "Readers see: away", "读者看到：离开";
    readers_see_somebody: "Readers see: online", "读者看到：在线";
    this_computer: "this computer", "这台电脑";
    status_is_not_shared: "Your status isn’t shared", "未分享你的状态";
    paused: "Sharing is paused", "分享已暂停";
    paused_until: "Sharing is paused until {}", "分享暂停至 {}";
    needs_you: "Action needed: {}", "需要处理：{}";
    service_off: "the service is not running", "服务未运行";
    data_on_network: "the data folder is on a network drive, which can damage it",
        "数据文件夹在网络驱动器上，数据库可能损坏";
    heartbeats_refused: "status updates aren’t getting through", "状态更新发送失败";
    devices_wait: "devices that wait for you: {}", "等待允许的设备：{}";
    tunnel_missing: "{} is not installed", "未安装 {}";
    tunnel_stopped: "the tunnel couldn’t start", "隧道无法启动";
    tunnel_waits: "the tunnel is disconnected", "隧道已断开";
    folder_missing: "watched folder not found: {}", "找不到监视的文件夹：{}";
    worker_fails: "the permanent address can’t be told what is new", "无法更新永久地址上的内容";
    worker_of_another: "the permanent address belongs to another Porchlight",
        "永久地址属于另一个 Porchlight";
    host_rewritten: "a proxy changes the header Host: proxy_set_header Host $host;",
        "代理改写了 Host 请求头：proxy_set_header Host $host;";
    clock_is_off: "this computer’s clock is wrong, so the Worker can’t reach it",
        "这台电脑的时钟不准，Worker 无法访问它";
    worker_outdated: "a newer Worker is ready to be deployed", "有新版 Worker 可以部署";
    ip_file: "the file of ip.mmdb can’t be used", "无法使用 ip.mmdb 指定的文件";
    plain_tunnel: "the Worker can’t use a tunnel without HTTPS", "Worker 无法使用没有 HTTPS 的隧道";
    images_on_disk: "pictures to move to the object storage: {}", "需要移到对象存储的图片：{}";
    worker_day_spent: "the Worker’s limit for today is reached, until {}",
        "Worker 今天的额度已用完，恢复时间：{}";
    worker_day_used: "the Worker has used 70% of its requests for today, until {}",
        "Worker 今天的请求数已用 70%，重置时间：{}";
    uploads_wait: "watched folders can’t upload", "监视的文件夹无法上传";
    editors_off: "editors can’t upload", "编辑器无法上传";
    uploads_failed: "failed uploads: {}", "上传失败：{}";
    settings_file: "settings file", "设置文件";
    settings_line: "settings file, line {}", "设置文件第 {} 行";
    set_aside: "not uploaded from watched folders: {}", "监视的文件夹中未能上传：{}";
    pause: "Pause", "暂停";
    for_half_an_hour: "For 30 minutes", "30 分钟";
    until_tomorrow: "Until tomorrow", "到明天";
    until_resumed: "Until I resume", "直到我继续";
    resume: "Resume sharing", "继续分享";
    start_sharing: "Start sharing", "开始分享";
    status: "Status", "状态";
    set_status: "Set a status…", "设置状态…";
    clear_status: "Clear status", "清除状态";
    upload_from_clipboard: "Upload from clipboard", "从剪贴板上传";
    copy_last_link: "Copy last link", "复制最近的链接";
    copy_address: "Copy address", "复制地址";
    recent_uploads: "Recent uploads", "最近上传";
    open: "Open Porchlight", "打开 Porchlight";
    quit: "Quit Porchlight", "退出 Porchlight";
    choose_pictures: "Choose pictures", "选择图片";
    choose_folder_of_pictures: "Choose a folder of pictures", "选择图片文件夹";
    choose_blog: "Choose the folder of your blog", "选择博客文件夹";
    save_calls: "Export requests", "导出请求数据";
    save_views: "Export views", "导出浏览数据";
    pictures: "Pictures", "图片";
    uploaded: "Picture uploaded", "图片已上传";
    uploaded_many: "{} pictures uploaded", "已上传 {} 张图片";
    already_there: "Already uploaded", "图片已存在";
    link_copied: "Link copied.", "链接已复制。";
    links_copied: "Links copied.", "链接已全部复制。";
    address_changes: "This address changes when Porchlight restarts.", "Porchlight 重启后，这个地址会改变。";
    address_is_local: "Readers can’t open this address.", "读者无法打开这个地址。";
    not_uploaded: "Couldn’t upload {}", "未能上传 {}";
    not_uploaded_many: "Couldn’t upload {} files", "{} 个文件未能上传";
    no_picture_copied: "No picture on the clipboard", "剪贴板中没有图片";
    more_files: "Files not added: {}", "未添加的文件：{}";
    not_copied: "Couldn’t copy. See the log for details.", "复制失败，详情见日志。";
    not_kept: "Couldn’t save this. It holds until Porchlight restarts. See the log for details.",
        "无法保存，重启后失效，详情见日志。";
    clipboard_unread: "Couldn’t read the clipboard. See the log for details.", "无法读取剪贴板，详情见日志。";
    handed_unread: "Couldn’t open some files. See the log for details.", "部分文件无法打开，详情见日志。";
    light_stays_on: "Sharing continues", "继续分享";
    goes_on: "Porchlight is still running", "Porchlight 仍在运行";
    goes_on_in_tray: "Porchlight is in the tray. To close it, choose Quit there.",
        "Porchlight 在托盘中运行，可从托盘菜单退出。";
    goes_on_without_tray: "To open the window again, start Porchlight again.",
        "再次启动 Porchlight 即可打开窗口。";
    no_tray: "Your desktop shows no tray icon. To open the window again, start Porchlight again.",
        "你的桌面没有显示托盘图标。再次启动 Porchlight 即可打开窗口。";
    // Above the reason of a start that failed.
    not_started_settings: "Porchlight couldn’t start: there’s a mistake in its settings. Fix it \
        and start Porchlight again.",
        "Porchlight 无法启动：设置中有错误。请修正后再次启动。";
    not_started_held: "Porchlight couldn’t start: another Porchlight, or `porchlight serve`, \
        is using this data folder. Stop that one first.",
        "Porchlight 无法启动：另一个 Porchlight 或 `porchlight serve` 正在使用这个数据文件夹。请先停止它。";
    not_started_newer: "Porchlight couldn’t start: its data comes from a newer version. Install \
        that version.",
        "Porchlight 无法启动：数据来自更新版本的 Porchlight。请安装那个版本。";
    not_started_other: "Porchlight couldn’t start.", "Porchlight 无法启动。";
    // Why no window comes, and where what it needs is.
    no_webview: "Porchlight can’t show its window: this computer has no WebView2 Runtime. \
        Sharing and uploads continue. Download it from Microsoft now? Install it, then open \
        Porchlight again.\n\n{}",
        "Porchlight 无法显示窗口：这台电脑没有 WebView2 运行时。分享和上传会继续。现在从微软下载吗？安装后请再次打开 \
        Porchlight。\n\n{}";
    download: "Download", "下载";
    not_now: "Not now", "以后再说";
    // Dialogs.
    // The answer that confirms.
    go_on: "Continue", "继续";
    // The answer that does not.
    leave_it: "Cancel", "取消";
    run: "Run this program now, and every time Porchlight starts?",
        "现在以及每次启动 Porchlight 时都运行这个程序吗？";
    elsewhere: "Send keys, tokens or pictures there?", "把密钥、令牌或图片发送到那里吗？";
    public: "Let others reach Porchlight through this? Anyone who knows its address can then see what your blog \
        shows.",
        "允许他人通过它访问 Porchlight 吗？之后任何知道地址的人都能看到博客显示的内容。";
    // Above the dialog for where a backup goes.
    save_backup: "Save backup", "保存备份";
    // Above the dialog for which backup is restored.
    open_backup: "Choose backup", "选择备份";
    // Above the dialog for where the file for ShareX goes.
    save_uploader: "Save ShareX uploader", "保存 ShareX 上传配置";
    // Above the dialog for a folder.
    choose_folder: "Choose folder", "选择文件夹";
    // Above the dialog for a file.
    choose_file: "Choose file", "选择文件";
    // Whether a backup takes the place of what is there; `{images}`, `{secrets}`.
    restore: "Restore this backup? It is complete. Pictures: {images}. Files with settings or \
        secrets: {secrets}.\n\nPictures, history, names and presence rules are restored. Restore \
        everything only if the backup is your own: its other settings, access tokens and devices \
        decide who may upload, where your data goes and which programs run.\n\nPorchlight \
        restarts. Your current data is kept in the data folder.",
        "恢复这个备份吗？备份完整，有 {images} 张图片，含设置或密钥的文件：{secrets}。\n\n会恢复图片、历史记录、名称和状态规则。只有备份是你自己的，才选“全部恢复”：备份中的其他设置、访问令牌和设备决定谁能上传、数据发往哪里、运行哪些程序。\n\nPorchlight 会重启。现有的数据会保留在数据文件夹里。";
    // Where a backup has no secrets.
    no_secrets: "none", "无";
    restore_all: "Mine: restore everything", "是我的：全部恢复";
    restore_content: "Keep my settings", "保留现有设置";
    cancel: "Cancel", "取消";
    // Whether all pictures of another server are imported; `{server}`.
    import: "Import all pictures of this server? Anyone with their links can open them \
        here.\n\n{server}",
        "要导入这个服务器上的所有图片吗？之后知道链接的人都能在这里打开它们。\n\n{server}";
    // Whether the Worker is deployed; `{url}`.
    set_up_edge: "Keep your pictures and your status at Cloudflare? Anyone can open them at this \
        address.\n\n{url}",
        "要把图片和状态保存到 Cloudflare 吗？任何人都能通过这个地址访问它们。\n\n{url}";
    // Whether the Worker is deleted; `{url}`.
    remove_edge: "Delete the Worker with everything that it stores: your status and the \
        list of pictures? Links to its address stop working. What is in a bucket of R2 stays.\n\n{url}",
        "要删除 Worker 及其保存的所有内容（你的状态和图片列表）吗？指向它的链接将失效。R2 存储桶中的内容会保留。\n\n{url}";
    // Whether so many files are uploaded.
    many_files: "Upload {} files? Anyone with the links can open the pictures.",
        "要上传 {} 个文件吗？之后知道链接的人都能打开这些图片。";
    // Whether to repair.
    repair: "Check and repair your pictures? Nothing that could be a picture is deleted. See the \
        log for details.",
        "检查并修复图片吗？可能是图片的文件都不会被删除。详情见日志。";
    // Whether missing pictures are lost; `{missing}`, `{of}`.
    missing: "{missing} of {of} pictures are missing. Are they really lost? A disk may not be \
        mounted, or another bucket may be set.\n\nIf you continue, Porchlight forgets them. It \
        keeps a copy of its database, so that a repair brings them back when their files are \
        back.",
        "{of} 张图片中有 {missing} 张不见了。它们真的丢失了吗？可能是磁盘没有挂载，或者设置了别的存储桶。\n\n如果继续，Porchlight 会忘记它们。\
        数据库会保留一份副本，文件找回后再修复一次就能恢复这些图片。";
}

impl Words {
    /// What to know of an address before it is pasted, where it does not last.
    pub(super) fn of_address(&self, kind: AddressKind) -> Option<&'static str> {
        match kind {
            AddressKind::Permanent => None,
            AddressKind::Temporary => Some(self.address_changes),
            AddressKind::Local => Some(self.address_is_local),
        }
    }
}

/// The words in the language that the owner has chosen, or else in that of the
/// system.
pub(super) fn words(host: &Host) -> &'static Words {
    words_in(host.settings().app.language)
}

pub(super) fn words_in(language: AppLanguage) -> &'static Words {
    match language {
        AppLanguage::English => &ENGLISH,
        AppLanguage::Chinese => &CHINESE,
        AppLanguage::System => words_of(&sys_locale::get_locale().unwrap_or_default()),
    }
}

/// A sentence with what it names.
pub(super) fn with(sentence: &str, named: impl std::fmt::Display) -> String {
    sentence.replace("{}", &named.to_string())
}

fn words_of(locale: &str) -> &'static Words {
    let language = locale.split(['-', '_', '.']).next().unwrap_or_default();
    if language.eq_ignore_ascii_case("zh") {
        &CHINESE
    } else {
        &ENGLISH
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_text_names_the_same_in_both_languages_and_none_is_left_untranslated() {
        let named = |text: &str| -> BTreeSet<String> {
            let rests = text.split('{').skip(1);
            let name = |rest: &str| rest.split('}').next().map(str::to_owned);
            rests.filter_map(name).collect()
        };
        let is_chinese = |sign: char| ('\u{4e00}'..='\u{9fff}').contains(&sign);
        let is_half_width = |sign| ",:;!?()".contains(sign);
        for (name, english, chinese) in PAIRS {
            assert_eq!(named(english), named(chinese), "{name}");
            assert!(!english.contains(is_chinese), "{name}: {english}");
            assert!(chinese.contains(is_chinese), "{name}: {chinese}");
            let signs: Vec<char> = chinese.chars().collect();
            for pair in signs.windows(2) {
                let after = is_chinese(pair[0]) && is_half_width(pair[1]);
                let before = is_half_width(pair[0]) && is_chinese(pair[1]);
                assert!(!after && !before, "{name}: {chinese}");
            }
        }
    }

    #[test]
    fn the_language_follows_the_locale_of_the_system() {
        for locale in ["zh-CN", "zh_CN.UTF-8", "ZH", "zh-Hans-CN"] {
            assert_eq!(words_of(locale), &CHINESE, "{locale}");
        }
        for locale in ["en-GB", "C", "", "de-DE", "zhx"] {
            assert_eq!(words_of(locale), &ENGLISH, "{locale}");
        }
    }

    #[test]
    fn the_setting_overrides_the_language_of_the_system() {
        assert_eq!(words_in(AppLanguage::English), &ENGLISH);
        assert_eq!(words_in(AppLanguage::Chinese), &CHINESE);
    }
}
