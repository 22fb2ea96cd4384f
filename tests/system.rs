//! `GET /sysinfo` of the real binary.

use harness::TestService;
use porchlight_test_harness as harness;

async fn output(service: &TestService) -> String {
    let body = service.json("/sysinfo").await;
    assert_eq!(body["status"], "success");
    assert_eq!(body.as_object().expect("an object").len(), 2, "{body}");
    body["output"].as_str().expect("text").to_owned()
}

#[cfg(windows)]
fn host_name() -> String {
    std::env::var("COMPUTERNAME").expect("a name")
}

#[cfg(unix)]
fn host_name() -> String {
    rustix::system::uname()
        .nodename()
        .to_str()
        .expect("text")
        .to_owned()
}

#[tokio::test]
async fn the_facts_are_html_with_inline_colours() {
    let service = TestService::start(&[]).await;
    let html = output(&service).await;
    for label in ["OS", "Kernel", "Uptime", "CPU", "Memory"] {
        assert!(
            html.contains(&format!(">{label}</span>: ")),
            "{label} in {html}"
        );
    }
    assert!(html.contains("style=\"color:#"), "{html}");
    assert!(
        !html.contains("<style") && !html.contains("class="),
        "{html}"
    );
}

#[tokio::test]
async fn user_host_and_addresses_are_shown_only_where_enabled() {
    // Windows has the name in capitals, too.
    let host = format!("host</span>: {}", host_name().to_lowercase());
    let silent = output(&TestService::start(&[]).await).await;
    for label in ["User<", "Host<", "Addresses<"] {
        assert!(!silent.contains(label), "{label} in {silent}");
    }
    let with_host = output(&TestService::start(&["system.show_host=true"]).await).await;
    let lower = with_host.to_lowercase();
    assert!(lower.contains(&host), "{host:?} in {with_host}");
    assert!(!with_host.contains("User<"), "{with_host}");
}
