//! The few words that the system shows for the app, in the owner's language.
//! The window has its own.

/// What is said outside of the window.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) open: &'static str,
    pub(super) copy_address: &'static str,
    pub(super) pause: &'static str,
    pub(super) pause_for_half_an_hour: &'static str,
    pub(super) pause_until_tomorrow: &'static str,
    pub(super) resume: &'static str,
    pub(super) quit: &'static str,
    pub(super) choose_pictures: &'static str,
    pub(super) choose_folder_of_pictures: &'static str,
    pub(super) save_calls: &'static str,
    pub(super) pictures: &'static str,
}

const ENGLISH: Words = Words {
    open: "Open Porchlight",
    copy_address: "Copy address",
    pause: "Pause heartbeats",
    pause_for_half_an_hour: "Pause for 30 minutes",
    pause_until_tomorrow: "Pause until tomorrow",
    resume: "Resume heartbeats",
    quit: "Quit Porchlight",
    choose_pictures: "Choose pictures",
    choose_folder_of_pictures: "Choose a folder of pictures",
    save_calls: "Save the calls",
    pictures: "Pictures",
};

const CHINESE: Words = Words {
    open: "打开 Porchlight",
    copy_address: "复制地址",
    pause: "暂停心跳",
    pause_for_half_an_hour: "暂停 30 分钟",
    pause_until_tomorrow: "暂停到明天",
    resume: "恢复心跳",
    quit: "退出 Porchlight",
    choose_pictures: "选择图片",
    choose_folder_of_pictures: "选择图片文件夹",
    save_calls: "保存访问统计",
    pictures: "图片",
};

/// The words in the language of the system.
pub(super) fn words() -> &'static Words {
    words_in(&sys_locale::get_locale().unwrap_or_default())
}

fn words_in(locale: &str) -> &'static Words {
    let language = locale.split(['-', '_', '.']).next().unwrap_or_default();
    if language.eq_ignore_ascii_case("zh") {
        &CHINESE
    } else {
        &ENGLISH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_is_spoken_to_those_whose_system_does() {
        for locale in ["zh-CN", "zh_CN.UTF-8", "ZH", "zh-Hans-CN"] {
            assert_eq!(words_in(locale), &CHINESE, "{locale}");
        }
        for locale in ["en-GB", "C", "", "de-DE", "zhx"] {
            assert_eq!(words_in(locale), &ENGLISH, "{locale}");
        }
    }
}
