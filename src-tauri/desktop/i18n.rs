//! The few words that the system shows for the app, in the owner's language.
//! The window has its own.

use porchlight_api::window::AddressKind;
use porchlight_app::host::Host;
use porchlight_app::settings::app::AppLanguage;

/// The texts outside of the window. `{}` is a placeholder.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) readers_see: &'static str,
    pub(super) readers_see_away: &'static str,
    pub(super) readers_see_somebody: &'static str,
    pub(super) status_is_not_shared: &'static str,
    pub(super) paused: &'static str,
    pub(super) paused_until: &'static str,
    pub(super) needs_you: &'static str,
    pub(super) service_off: &'static str,
    pub(super) heartbeats_refused: &'static str,
    pub(super) tunnel_missing: &'static str,
    pub(super) tunnel_stopped: &'static str,
    pub(super) tunnel_waits: &'static str,
    pub(super) folder_missing: &'static str,
    pub(super) snapshot_waits: &'static str,
    pub(super) snapshot_of_another: &'static str,
    pub(super) host_rewritten: &'static str,
    pub(super) clock_is_off: &'static str,
    pub(super) plain_tunnel: &'static str,
    pub(super) images_on_disk: &'static str,
    pub(super) uploads_wait: &'static str,
    pub(super) editors_off: &'static str,
    pub(super) uploads_failed: &'static str,
    pub(super) settings_file: &'static str,
    pub(super) settings_line: &'static str,
    pub(super) set_aside: &'static str,
    pub(super) was_restarted: &'static str,
    pub(super) restart_waits: &'static str,
    pub(super) pause: &'static str,
    pub(super) for_half_an_hour: &'static str,
    pub(super) until_tomorrow: &'static str,
    pub(super) until_resumed: &'static str,
    pub(super) resume: &'static str,
    pub(super) start_sharing: &'static str,
    pub(super) status: &'static str,
    pub(super) set_status: &'static str,
    pub(super) clear_status: &'static str,
    pub(super) upload_from_clipboard: &'static str,
    pub(super) copy_last_link: &'static str,
    pub(super) copy_address: &'static str,
    pub(super) recent_uploads: &'static str,
    pub(super) open: &'static str,
    pub(super) quit: &'static str,
    pub(super) choose_pictures: &'static str,
    pub(super) choose_folder_of_pictures: &'static str,
    pub(super) save_calls: &'static str,
    pub(super) save_views: &'static str,
    pub(super) pictures: &'static str,
    pub(super) uploaded: &'static str,
    pub(super) uploaded_many: &'static str,
    pub(super) already_there: &'static str,
    pub(super) link_copied: &'static str,
    pub(super) links_copied: &'static str,
    pub(super) address_changes: &'static str,
    pub(super) address_is_local: &'static str,
    pub(super) not_uploaded: &'static str,
    pub(super) not_uploaded_many: &'static str,
    pub(super) no_picture_copied: &'static str,
    pub(super) not_deleted: &'static str,
    pub(super) not_copied: &'static str,
    pub(super) not_kept: &'static str,
    pub(super) clipboard_unread: &'static str,
    pub(super) handed_unread: &'static str,
    pub(super) more_files: &'static str,
    pub(super) light_stays_on: &'static str,
    pub(super) goes_on: &'static str,
    pub(super) goes_on_in_tray: &'static str,
    pub(super) goes_on_without_tray: &'static str,
    pub(super) no_tray: &'static str,
    pub(super) not_started: Leads,
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

/// What is said above the reason of a start that failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Leads {
    pub(super) settings: &'static str,
    pub(super) held: &'static str,
    pub(super) newer: &'static str,
    pub(super) other: &'static str,
}

const NOT_STARTED_ENGLISH: Leads = Leads {
    settings: "Porchlight couldn’t start: there’s a mistake in its settings. Fix it and start \
               Porchlight again.",
    held: "Porchlight couldn’t start: another Porchlight is already using this data folder. Quit that \
           one first.",
    newer: "Porchlight couldn’t start: its data comes from a newer version. Install that version.",
    other: "Porchlight couldn’t start.",
};

const NOT_STARTED_CHINESE: Leads = Leads {
    settings: "Porchlight 无法启动：设置中有错误。请修正后再次启动。",
    held: "Porchlight 无法启动：另一个 Porchlight 正在使用这个数据文件夹。请先退出它。",
    newer: "Porchlight 无法启动：数据来自更新版本的 Porchlight。请安装那个版本。",
    other: "Porchlight 无法启动。",
};

const ENGLISH: Words = Words {
    readers_see: "Readers see: {}",
    readers_see_away: "Readers see: away",
    readers_see_somebody: "Readers see: online",
    status_is_not_shared: "Your status isn’t shared",
    paused: "Sharing is paused",
    paused_until: "Sharing is paused until {}",
    needs_you: "Action needed: {}",
    service_off: "the service is not running",
    heartbeats_refused: "status updates aren’t getting through",
    tunnel_missing: "{} is not installed",
    tunnel_stopped: "the tunnel couldn’t start",
    tunnel_waits: "the tunnel is disconnected",
    folder_missing: "watched folder not found: {}",
    snapshot_waits: "the snapshot can’t be saved to the object storage",
    snapshot_of_another: "another Porchlight publishes to this object storage",
    host_rewritten: "a proxy changes the header Host: proxy_set_header Host $host;",
    clock_is_off: "this computer’s clock is wrong, so the Worker can’t reach it",
    plain_tunnel: "the Worker can’t use a tunnel without HTTPS",
    images_on_disk: "pictures to move to the object storage: {}",
    uploads_wait: "watched folders can’t upload",
    editors_off: "editors can’t upload",
    uploads_failed: "failed uploads: {}",
    settings_file: "settings file",
    settings_line: "settings file, line {}",
    set_aside: "not uploaded from watched folders: {}",
    was_restarted: "Porchlight stopped responding and was restarted",
    restart_waits: "restart to apply your changes",
    pause: "Pause",
    for_half_an_hour: "For 30 minutes",
    until_tomorrow: "Until tomorrow",
    until_resumed: "Until I resume",
    resume: "Resume sharing",
    start_sharing: "Start sharing",
    status: "Status",
    set_status: "Set a status…",
    clear_status: "Clear status",
    upload_from_clipboard: "Upload from clipboard",
    copy_last_link: "Copy last link",
    copy_address: "Copy address",
    recent_uploads: "Recent uploads",
    open: "Open Porchlight",
    quit: "Quit Porchlight",
    choose_pictures: "Choose pictures",
    choose_folder_of_pictures: "Choose a folder of pictures",
    save_calls: "Export requests",
    save_views: "Export views",
    pictures: "Pictures",
    uploaded: "Picture uploaded",
    uploaded_many: "{} pictures uploaded",
    already_there: "Already uploaded",
    link_copied: "Link copied.",
    links_copied: "Links copied.",
    address_changes: "This address changes when Porchlight restarts.",
    address_is_local: "Readers can’t open this address.",
    not_uploaded: "Couldn’t upload {}",
    not_uploaded_many: "Couldn’t upload {} files",
    no_picture_copied: "No picture on the clipboard",
    not_deleted: "Couldn’t delete some pictures: {}. See the log for details.",
    more_files: "Files not added: {}",
    not_copied: "Couldn’t copy. See the log for details.",
    not_kept: "Couldn’t save this. It holds until Porchlight restarts. See the log for details.",
    clipboard_unread: "Couldn’t read the clipboard. See the log for details.",
    handed_unread: "Couldn’t open some files. See the log for details.",
    light_stays_on: "Sharing continues",
    goes_on: "Porchlight is still running",
    goes_on_in_tray: "Porchlight is in the tray. To close it, choose Quit there.",
    goes_on_without_tray: "To open the window again, start Porchlight again.",
    no_tray: "Your desktop has no tray. To open the window again, start Porchlight again.",
    not_started: NOT_STARTED_ENGLISH,
};

const CHINESE: Words = Words {
    readers_see: "读者看到：{}",
    readers_see_away: "读者看到：离开",
    readers_see_somebody: "读者看到：在线",
    status_is_not_shared: "未分享你的状态",
    paused: "分享已暂停",
    paused_until: "分享暂停至 {}",
    needs_you: "需要处理：{}",
    service_off: "服务未运行",
    heartbeats_refused: "状态更新发送失败",
    tunnel_missing: "未安装 {}",
    tunnel_stopped: "隧道无法启动",
    tunnel_waits: "隧道已断开",
    folder_missing: "找不到监视的文件夹：{}",
    snapshot_waits: "快照无法保存到对象存储",
    snapshot_of_another: "另一个 Porchlight 正在使用这个对象存储发布",
    host_rewritten: "代理改写了 Host 请求头：proxy_set_header Host $host;",
    clock_is_off: "这台电脑的时钟不准，Worker 无法访问它",
    plain_tunnel: "Worker 无法使用没有 HTTPS 的隧道",
    images_on_disk: "需要移到对象存储的图片：{}",
    uploads_wait: "监视的文件夹无法上传",
    editors_off: "编辑器无法上传",
    uploads_failed: "上传失败：{}",
    settings_file: "设置文件",
    settings_line: "设置文件第 {} 行",
    set_aside: "监视的文件夹中未能上传：{}",
    was_restarted: "Porchlight 曾停止响应，已自动重启",
    restart_waits: "重启后应用更改",
    pause: "暂停",
    for_half_an_hour: "30 分钟",
    until_tomorrow: "到明天",
    until_resumed: "直到我继续",
    resume: "继续分享",
    start_sharing: "开始分享",
    status: "状态",
    set_status: "设置状态…",
    clear_status: "清除状态",
    upload_from_clipboard: "从剪贴板上传",
    copy_last_link: "复制最近的链接",
    copy_address: "复制地址",
    recent_uploads: "最近上传",
    open: "打开 Porchlight",
    quit: "退出 Porchlight",
    choose_pictures: "选择图片",
    choose_folder_of_pictures: "选择图片文件夹",
    save_calls: "导出请求数据",
    save_views: "导出浏览数据",
    pictures: "图片",
    uploaded: "图片已上传",
    uploaded_many: "已上传 {} 张图片",
    already_there: "图片已存在",
    link_copied: "链接已复制。",
    links_copied: "链接已全部复制。",
    address_changes: "Porchlight 重启后，这个地址会改变。",
    address_is_local: "读者无法打开这个地址。",
    not_uploaded: "未能上传 {}",
    not_uploaded_many: "{} 个文件未能上传",
    no_picture_copied: "剪贴板中没有图片",
    not_deleted: "{} 张图片未能删除，详情见日志。",
    more_files: "未添加的文件：{}",
    not_copied: "复制失败，详情见日志。",
    not_kept: "无法保存，重启后失效，详情见日志。",
    clipboard_unread: "无法读取剪贴板，详情见日志。",
    handed_unread: "部分文件无法打开，详情见日志。",
    light_stays_on: "继续分享",
    goes_on: "Porchlight 仍在运行",
    goes_on_in_tray: "Porchlight 在托盘中运行，可从托盘菜单退出。",
    goes_on_without_tray: "再次启动 Porchlight 即可打开窗口。",
    no_tray: "你的桌面没有托盘。再次启动 Porchlight 即可打开窗口。",
    not_started: NOT_STARTED_CHINESE,
};

/// The words in the language that the owner has chosen, or else in that of the
/// system.
pub(super) fn words(host: &Host) -> &'static Words {
    words_in(host.settings().app.language)
}

/// The words in this language.
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
pub(super) mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Holds two languages against each other: the same texts by the same names,
    /// as many things named in each, and none that was left as it is or has
    /// signs of the other language.
    pub(in crate::desktop) fn speak_alike<T: std::fmt::Debug>(english: &T, chinese: &T) {
        let texts = |words: &T| -> Vec<(String, String)> {
            format!("{words:#?}")
                .lines()
                .filter_map(|line| line.trim().split_once(": "))
                // What begins a part of its own is no text.
                .filter(|(_, text)| !text.ends_with('{'))
                .map(|(name, text)| (name.to_owned(), text.trim_end_matches(',').to_owned()))
                .collect()
        };
        let (english, chinese) = (texts(english), texts(chinese));
        assert_eq!(english.len(), chinese.len());
        let named = |text: &str| -> BTreeSet<String> {
            let rests = text.split('{').skip(1);
            let name = |rest: &str| rest.split('}').next().map(str::to_owned);
            rests.filter_map(name).collect()
        };
        let is_chinese = |sign: char| ('\u{4e00}'..='\u{9fff}').contains(&sign);
        for ((name, english), (other, chinese)) in english.iter().zip(&chinese) {
            assert_eq!(name, other);
            assert_eq!(named(english), named(chinese), "{name}");
            assert!(!english.contains(is_chinese), "{name}: {english}");
            assert!(chinese.contains(is_chinese), "{name}: {chinese}");
            let signs: Vec<char> = chinese.chars().collect();
            for pair in signs.windows(2) {
                let half = |sign| ",:;!?()".contains(sign);
                let wrong = is_chinese(pair[0]) && half(pair[1]);
                assert!(!wrong, "{name}: {chinese}");
                assert!(!(half(pair[0]) && is_chinese(pair[1])), "{name}: {chinese}");
            }
        }
    }

    #[test]
    fn both_languages_say_the_same() {
        speak_alike(&ENGLISH, &CHINESE);
    }

    #[test]
    fn chinese_is_spoken_to_those_whose_system_does() {
        for locale in ["zh-CN", "zh_CN.UTF-8", "ZH", "zh-Hans-CN"] {
            assert_eq!(words_of(locale), &CHINESE, "{locale}");
        }
        for locale in ["en-GB", "C", "", "de-DE", "zhx"] {
            assert_eq!(words_of(locale), &ENGLISH, "{locale}");
        }
    }

    #[test]
    fn what_the_owner_has_chosen_counts_for_more_than_the_system() {
        assert_eq!(words_in(AppLanguage::English), &ENGLISH);
        assert_eq!(words_in(AppLanguage::Chinese), &CHINESE);
    }
}
