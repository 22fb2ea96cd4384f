//! What the list knows and hides.

use super::*;

fn window(name: &str, title: &str) -> Window {
    Window {
        names: vec![name.to_owned()],
        title: title.to_owned(),
        ..Window::default()
    }
}

#[test]
fn the_list_is_well_formed_and_each_name_is_in_it_once() {
    let written: BuiltInFile = toml::from_str(include_str!("../built_in.toml")).expect("a list");
    let mut known = std::collections::HashSet::new();
    for program in &written.program {
        assert!(
            written.kind.contains_key(&program.kind),
            "{}: {}",
            program.en,
            program.kind
        );
        for name in &program.is {
            assert_eq!(*name, name.to_lowercase(), "spelled like its key");
            assert!(known.insert(name.clone()), "{name} twice");
        }
    }
    let list = BuiltIn::of(written);
    assert!(list.programs.len() >= 150, "{}", list.programs.len());
    for name in &known {
        assert!(!list.hides(&window(name, "")), "{name} is named and hidden");
    }
}

#[test]
fn programs_are_named_in_both_languages() {
    let editor = list().find(&window("code.exe", "")).expect("known");
    assert_eq!(editor.name(Language::English), "Visual Studio Code");
    assert_eq!(editor.line(Language::English), "Writing code");
    assert_eq!(editor.line(Language::Chinese), "正在写代码");
    let chat = list().find(&window("WeChat", "")).expect("known");
    assert_eq!(chat.name(Language::Chinese), "微信");
    assert!(list().find(&window("unknown-program", "")).is_none());
}

#[test]
fn programs_of_windows_are_named() {
    for (file, name, line) in [
        ("explorer.exe", "File Explorer", "Tidying up files"),
        ("notepad.exe", "Notepad", "Writing"),
        ("Code.exe", "Visual Studio Code", "Writing code"),
        ("WINWORD.EXE", "Microsoft Word", "Writing"),
        ("EXCEL.EXE", "Microsoft Excel", "Working on a spreadsheet"),
        ("chrome.exe", "Google Chrome", "Browsing the web"),
        ("msedge.exe", "Microsoft Edge", "Browsing the web"),
        ("firefox.exe", "Firefox", "Browsing the web"),
        (
            "WindowsTerminal.exe",
            "Windows Terminal",
            "At the command line",
        ),
        (
            "SystemSettings.exe",
            "Settings",
            "Looking after the computer",
        ),
        ("CalculatorApp.exe", "Calculator", "Calculating"),
        ("SnippingTool.exe", "Snipping Tool", "Recording"),
    ] {
        let known = list().find(&window(file, "")).expect(file);
        assert_eq!(known.name(Language::English), name);
        assert_eq!(known.line(Language::English), line);
    }
}

#[test]
fn short_names_of_windows_are_other_programs_elsewhere() {
    for name in ["todo", "control", "visio", "everything"] {
        assert!(list().find(&window(name, "")).is_none(), "{name}");
        let of_windows = format!("{}.EXE", name.to_uppercase());
        assert!(list().find(&window(&of_windows, "")).is_some(), "{name}");
    }
    for name in ["tws", "ccbuild", "qw"] {
        assert!(!list().hides(&window(name, "")), "{name}");
        assert!(list().hides(&window(&format!("{name}.exe"), "")), "{name}");
    }
}

#[test]
fn secrets_are_hidden_by_program() {
    for name in [
        "KeePassXC",
        "org.keepassxc.KeePassXC",
        "1Password",
        "1password.exe",
        "Bitwarden",
        "Proton Pass",
        "proton-pass",
        "me.proton.Pass",
        "ProtonPass.exe",
        "seahorse",
        "polkit-gnome-authentication-agent-1",
        "pinentry-gtk-2",
        "Tor Browser",
        "i3lock",
        "xscreensaver-auth",
        "LockApp.exe",
        // Windows
        "KeePass.exe",
        "Bitwarden.exe",
        "Dashlane.exe",
        "consent.exe",
        "CredentialUIBroker.exe",
        "SecHealthUI.exe",
        "Exodus.exe",
        "electrum-4.5.8.exe",
        "Ledger Live.exe",
        "Ledger Wallet.exe",
        "Trezor Suite.exe",
        "bitcoin-qt.exe",
        "Quicken.exe",
        "hexin.exe",
        "招商银行专业版",
        "mstsc.exe",
        "Remote Desktop Connection",
        "远程桌面连接",
    ] {
        assert!(list().hides(&window(name, "")), "{name}");
    }
    for name in [
        "firefox",
        "XTerm",
        "keyboard",
        "Code",
        "explorer.exe",
        "WINWORD.EXE",
        "Windows PowerShell",
    ] {
        assert!(!list().hides(&window(name, "")), "{name}");
    }
}

/// As systems, packages and stores write a program.
fn written(name: &str) -> [String; 6] {
    [
        name.to_owned(),
        format!("x.y.{name}"),
        format!("{name}_{name}"),
        format!("{name}.exe"),
        format!("{name}-bin"),
        format!("{name} (1)"),
    ]
}

#[test]
fn each_listed_program_is_hidden_however_it_is_written() {
    let file: BuiltInFile = toml::from_str(include_str!("../built_in.toml")).expect("a list");
    let groups = file.hidden.groups();
    let listed = groups
        .iter()
        .flat_map(|(_, group)| group.programs.iter().chain(&group.words));
    let mut names: Vec<String> = listed.map(|name| name.replace('*', "")).collect();
    assert!(names.len() >= 150, "{}", names.len());
    let joined = |separator| {
        let spaced = names.iter().filter(|name| name.contains(' '));
        spaced.map(move |name| name.replace(' ', separator))
    };
    let others: Vec<String> = ["", "-", "_", "."].into_iter().flat_map(joined).collect();
    names.extend(others);
    for name in names.iter().flat_map(|name| written(name)) {
        for name in [name.to_lowercase(), name.to_uppercase(), name] {
            assert!(list().hides(&window(&name, "")), "{name}");
        }
    }
}

#[test]
fn secrets_are_hidden_by_ids_of_all_kinds() {
    for name in [
        "org.cryptomator.Cryptomator",
        "net.mullvad.MullvadBrowser",
        "com.github.paolostivanin.OTPClient",
        "proton_pass",
        "Aegis",
        "com.beemdevelopment.aegis",
        "Keeper",
        "com.wise.android",
        "com.itau",
        "de.traderepublic.app",
        "com.nu.production",
        "in.org.npci.upiapp",
        "io.ente.auth",
        "Ente Auth",
        "keepass2",
        "Kee Pass",
        "1 Password 8",
        "2FAS Auth",
        "2fasauth",
        "2FAS",
        "com.twofasapp",
        "org.kde.keysmith",
        "org.kde.kleopatra",
        "Strongbox",
        "AuthPass",
        "Padloc",
        "com.passbolt.mobile.android",
        "SafeInCloud",
        "Zoho Vault",
        "org.nickvision.money.Denaro",
        "org.nickvision.denaro",
        "Money Manager Ex",
        "org.moneymanagerex.MMEX",
        "info.portfolio_performance.PortfolioPerformance",
        "Rabby Desktop",
        "Phantom",
        "app.phantom",
        "IBKR Desktop",
        "Nubank",
        "bitwarden_bitwarden",
        "com.bitwarden.desktop",
    ] {
        assert!(list().hides(&window(name, "")), "{name}");
    }
}

#[test]
fn words_in_the_names_of_other_programs_hide_nothing() {
    for name in [
        "Metro Exodus.exe",
        "metro_exodus",
        "Dungeon Keeper",
        "org.example.bookkeeper",
        "The Secret of Monkey Island",
        "org.aegisub.Aegisub",
        "MGSV The Phantom Pain.exe",
        "GitKraken",
        "wisecare365.exe",
        "consent-manager",
        "com.example.sparrow-mail.App",
        "feather-icons",
        "Banksy World",
        "passage",
        "com.github.pass-through.Router",
        "compass",
        "org.gnome.Maps",
        "passenger_wsgi",
        "Authentic Player",
        "enterprise-architect",
        "ledger-printer",
        "monitor",
        "steam_app_620",
        "jetbrains-idea",
        "org.telegram.desktop",
        "upi-viewer",
        // Parts that are a listed name only together with the beginning of the next.
        "En Passant",
        "en-passant",
        "org.encroissant.en_passant",
        "Keep Assets",
        "2fast",
        "2 Fast Racing",
        "Auth Yellow",
        "Go Passport",
    ] {
        assert!(!list().hides(&window(name, "")), "{name}");
    }
}

#[test]
fn programs_listed_as_private_are_never_shared() {
    for group in list().private() {
        assert!(!group.names.is_empty(), "{:?}", group.kind);
        for name in &group.names {
            let hidden = list().hides(&window(name, "")) || hides(name);
            assert!(hidden, "{:?}: {name}", group.kind);
        }
    }
}

#[test]
fn private_windows_and_banks_are_hidden_by_title() {
    for title in [
        "New Tab - Google Chrome (Incognito)",
        "新标签页 - Google Chrome（无痕模式）",
        "New tab - [InPrivate] - Microsoft Edge",
        "新建标签页 - [InPrivate] - Microsoft\u{200b} Edge",
        "新建 InPrivate 标签页 - 个人 - Microsoft Edge",
        "示例 - Google Chrome (无痕模式)",
        "新增分頁 - Google Chrome (無痕模式)",
        "Windows Security",
        "Windows 安全中心",
        "凭据管理器",
        "Online Banking | My Savings",
        "Chase Bank - Sign in",
        "PayPal: Log in",
        "支付宝 - 网上支付",
        "招商银行个人网上银行",
        "Sparkasse: Kontostand",
        "My vault - Bitwarden Web",
        "Reset your password - Example",
    ] {
        assert!(list().hides(&window("opera", title)), "{title}");
    }
    for title in [
        "How to incubate eggs",
        "private.rs - porchlight",
        "Banksy in Bristol - Wikipedia",
        "Embankment walks",
        "What Windows Security can do - Wikipedia",
    ] {
        assert!(!hides(title), "{title}");
    }
}

#[test]
fn a_browser_on_the_list_marks_its_private_windows_or_its_titles_are_withheld() {
    const MARKING: [&str; 6] = [
        "Firefox",
        "Floorp",
        "LibreWolf",
        "Microsoft Edge",
        "Waterfox",
        "Zen",
    ];
    let written: BuiltInFile = toml::from_str(include_str!("../built_in.toml")).expect("a list");
    let browsers = written
        .program
        .iter()
        .filter(|program| program.kind == "browser");
    for program in browsers {
        for name in &program.is {
            let withheld = list().keeps_titles_of(&window(name, ""));
            assert_eq!(withheld, !MARKING.contains(&program.en.as_str()), "{name}");
        }
    }
}

#[test]
fn lock_screens_are_known_as_such() {
    assert!(list().locks(&window("LockApp.exe", "")));
    assert!(list().locks(&window("loginwindow", "")));
    assert!(!list().locks(&window("keepassxc", "")));
}

fn hides(title: &str) -> bool {
    list().hides(&window("firefox", &format!("{title} — Mozilla Firefox")))
}

#[test]
fn banks_and_payments_are_hidden_in_many_languages() {
    for title in [
        // China, Hong Kong, Taiwan
        "招商银行网上银行 — Mozilla Firefox",
        "支付宝 - 我的账户",
        "中国工商银行个人网银登录",
        "个人网银 - 登录",
        "建行龙支付",
        "云闪付 - 首页",
        "微信支付商户平台",
        "京东支付收银台",
        "银联在线",
        "华泰证券 - 交易",
        "轉帳成功 - 玉山網路銀行",
        "街口支付",
        "HSBC 滙豐網上理財",
        "信用卡账单查询",
        "ICBC - Personal Internet Services",
        "Alipay - My account",
        // Japan
        "三菱UFJダイレクト",
        "三井住友カード Vpass",
        "みずほ銀行:みずほダイレクト",
        "ゆうちょダイレクト",
        "PayPay残高 - 履歴",
        "楽天ペイ アプリ",
        "楽天証券 | ログイン",
        "お支払い方法の選択",
        "国税庁 確定申告書等作成コーナー",
        "SMBC Direct",
        // Korea
        "KB국민은행 인터넷뱅킹",
        "카카오뱅크",
        "카카오페이 - 결제",
        "네이버페이 주문/결제",
        "토스증권",
        "신한카드 - 이용내역",
        "계좌이체 결과",
        // France
        "Crédit Agricole - Mon espace",
        "BNP Paribas : mes comptes",
        "Société Générale - Espace client",
        "Caisse d'Épargne Île-de-France",
        "BoursoBank : accès client",
        "La Banque Postale",
        "Effectuer un virement",
        "Paiement par carte bancaire",
        // Spain and Latin America
        "CaixaBankNow - Particulares",
        "BBVA - Posición global",
        "Banco Sabadell",
        "Bankinter: tus cuentas",
        "Enviar dinero con Bizum",
        "Transferencia bancaria realizada",
        "Mercado Pago",
        // Italy, Portugal, Brazil
        "Intesa Sanpaolo - Area clienti",
        "Bonifico eseguito",
        "Nubank",
        "Itaú | Acesse sua conta",
        "MB WAY",
        // Russia and others
        "Сбербанк Онлайн",
        "ВТБ Онлайн",
        "Т-Банк: личный кабинет",
        "Überweisung – Konto",
        "Rabobank Online",
        "mBank - logowanie",
        "Ziraat Bankası",
        "Ngân hàng số",
        "Paytm Wallet",
        "Apple Pay - Set up",
        "MetaMask",
    ] {
        assert!(hides(title), "{title}");
    }
}

#[test]
fn a_title_with_invisible_characters_is_hidden() {
    for written in [
        "Pay\u{200b}Pal",
        "招商\u{2060}银行",
        "\u{202e}B\u{1}ank\u{7}",
    ] {
        assert!(hides(&Window::title_of(written)), "{written:?}");
    }
}

#[test]
fn everyday_titles_are_not_hidden() {
    for title in [
        "Banksy exhibition in Bristol - Wikipedia",
        "Embankment walks along the Thames",
        "Bankruptcy of a power plant - News",
        "Burbank, California",
        "How to incubate eggs",
        "Le Comte de Monte-Cristo - chapitre 3",
        "La banquise fond - Le Monde",
        "Un banquete de bodas",
        "Il bancone del bar",
        "银河系漫游指南 - 豆瓣",
        "自行车行业新闻",
        "支持作者 - 我的博客",
        "招聘启事 - 前端工程师",
        "付出就有回报",
        "宝可梦 - 维基百科",
        "銀座の喫茶店",
        "口笛の吹き方",
        "카드 게임 규칙",
        "토스트 만들기",
        "은하수 사진",
        "Сборник рассказов - читать онлайн",
        "Spring cleaning - things to do",
        "Payload of a rocket - YouTube",
        "Wise words of my grandmother",
        "Cicadas of Spain",
        "rust - main.rs - Visual Studio Code",
    ] {
        assert!(!hides(title), "{title}");
    }
}
