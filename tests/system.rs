//! `GET /sysinfo` of the real binary.

mod harness;

use harness::TestService;

async fn output(service: &TestService) -> String {
    let body = service.json("/sysinfo").await;
    assert_eq!(body["status"], "success");
    assert_eq!(body.as_object().expect("an object").len(), 2, "{body}");
    body["output"].as_str().expect("text").to_owned()
}

fn host_name() -> String {
    rustix::system::uname()
        .nodename()
        .to_str()
        .expect("text")
        .to_owned()
}

#[tokio::test]
async fn the_machine_is_told_as_html_with_its_colours_in_it() {
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
async fn who_and_where_is_told_only_where_the_settings_say_so() {
    let host = format!("Host</span>: {}", host_name());
    let silent = output(&TestService::start(&[]).await).await;
    for label in ["User<", "Host<", "Addresses<"] {
        assert!(!silent.contains(label), "{label} in {silent}");
    }
    let telling = output(&TestService::start(&["system.show_host=true"]).await).await;
    assert!(telling.contains(&host), "{host:?} in {telling}");
    assert!(!telling.contains("User<"), "{telling}");
}
