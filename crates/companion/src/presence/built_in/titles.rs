//! Titles of windows of banks and payment services in many languages, and
//! titles that only look like them.

use super::list;
use crate::presence::front::Window;

fn hides(title: &str) -> bool {
    list().hides(&Window {
        names: vec!["firefox".to_owned()],
        title: title.to_owned(),
        ..Window::default()
    })
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
fn a_title_in_disguise_is_hidden() {
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
