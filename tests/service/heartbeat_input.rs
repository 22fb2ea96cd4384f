//! The parameters of a heartbeat: every encoding that real clients send, and
//! the rules that each value has to keep.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::harness::{RequestBuilder, TestService, answer, assert_error, form};

fn beat(service: &TestService, path: &str) -> RequestBuilder {
    service
        .request(Method::POST, path)
        .bearer_auth(&service.heartbeat_token)
}

/// The six fields of `/check`, without the two times.
async fn shown(service: &TestService) -> Value {
    let mut check = service.json("/check").await;
    let fields = check.as_object_mut().expect("an object");
    fields.remove("alive");
    fields.remove("last_heartbeat");
    check
}

fn lamp() -> Value {
    json!({
        "application": "Lamp & 灯", "introduce": "a+b = c", "rgba": "255,128,0,0.75",
        "applicationOnline": true,
    })
}

#[tokio::test]
async fn parameters_come_as_json_form_multipart_or_query() {
    let service = TestService::start(&["heartbeat.fields=true"]).await;
    let pairs = [
        ("application", "Lamp & 灯"),
        ("introduce", "a+b = c"),
        ("rgba", "255,128,0,0.75"),
        ("applicationOnline", "true"),
    ];
    let parts = pairs.map(|(name, value)| form::text_part(name, value.as_bytes()));
    let (multipart, body) = form::form(&parts);
    let requests = [
        ("JSON", beat(&service, "/heartbeat").json(&lamp())),
        ("form", beat(&service, "/heartbeat").form(&pairs)),
        (
            "multipart",
            beat(&service, "/heartbeat")
                .header(CONTENT_TYPE, multipart)
                .body(body),
        ),
        ("query", beat(&service, "/heartbeat").query(&pairs)),
    ];
    for (encoding, request) in requests {
        // An empty heartbeat between them, so that no case lives off the last.
        beat(&service, "/heartbeat")
            .send()
            .await
            .expect("an answer");
        let (status, mut echo) = answer(request.send().await.expect("an answer")).await;
        assert_eq!(status, 200, "{encoding}: {echo}");
        let message = echo.as_object_mut().expect("an object").remove("message");
        assert_eq!(message, Some(json!("Heartbeat received")), "{encoding}");
        assert_eq!(echo, lamp(), "{encoding}");
        assert_eq!(shown(&service).await, lamp(), "{encoding}");
    }
}

#[tokio::test]
async fn a_missing_parameter_is_recorded_as_empty_or_false() {
    let service = TestService::start(&["heartbeat.fields=true"]).await;
    let nothing =
        json!({ "application": "", "introduce": "", "rgba": "", "applicationOnline": false });
    service.heartbeat(&lamp()).await;
    let requests = [
        ("no body", beat(&service, "/heartbeat")),
        ("empty JSON", beat(&service, "/heartbeat").json(&json!({}))),
        (
            "empty form",
            beat(&service, "/heartbeat").form(&[("application", "")]),
        ),
    ];
    for (case, request) in requests {
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status(), 200, "{case}");
        assert_eq!(shown(&service).await, nothing, "{case}");
    }

    let response = service.heartbeat(&json!({ "application": "Lamp" })).await;
    let expected = json!({
        "message": "Heartbeat received",
        "application": "Lamp", "introduce": "", "rgba": "", "applicationOnline": false,
    });
    assert_eq!(answer(response).await, (200, expected));
}

/// In JSON 71.0 is the number 71.
#[tokio::test]
async fn a_whole_number_may_have_a_fraction() {
    let service = TestService::start(&[]).await;
    for fields in [
        json!({ "applicationOnline": 1.0 }),
        json!({ "applicationOnline": -0.0 }),
    ] {
        let (status, body) = answer(service.heartbeat(&fields).await).await;
        assert_eq!(status, 200, "{fields}: {body}");
    }
    let token = service.device(&["Phone"]).await;
    let battery = json!({ "battery": 71.0 });
    let beaten = service.heartbeat_by(&token, &battery).await;
    assert_eq!(beaten.status(), 200);
}

#[tokio::test]
async fn a_large_number_keeps_its_plus_in_a_text_and_loses_it_in_the_id_of_a_device() {
    let service = TestService::start(&[]).await;
    let token = service.device(&["1e20"]).await;
    let number = json!({ "device": 1e20 });
    let beaten = service.heartbeat_by(&token, &number).await;
    assert_eq!(beaten.status(), 200, "an id has no plus");
    for (number, text) in [(json!(1e20), "1e+20"), (json!(1.5), "1.5"), (json!(7), "7")] {
        let response = service.heartbeat(&json!({ "application": number })).await;
        assert_eq!(answer(response).await.1["application"], text);
    }
    let plus = service
        .heartbeat_by(&token, &json!({ "device": "1e+20" }))
        .await;
    assert_error(plus, 400, "Invalid device").await;
}

#[tokio::test]
async fn application_online_is_true_false_1_or_0() {
    let service = TestService::start(&["heartbeat.fields=true"]).await;
    let as_json = [
        (json!(true), true),
        (json!(false), false),
        (json!(1), true),
        (json!(0), false),
    ];
    for (value, expected) in as_json {
        let response = service
            .heartbeat(&json!({ "applicationOnline": value }))
            .await;
        let (status, echo) = answer(response).await;
        assert_eq!(
            (status, &echo["applicationOnline"]),
            (200, &json!(expected)),
            "{value}"
        );
    }
    for (value, expected) in [("true", true), ("false", false), ("1", true), ("0", false)] {
        let request = beat(&service, "/heartbeat").form(&[("applicationOnline", value)]);
        let (status, echo) = answer(request.send().await.expect("an answer")).await;
        assert_eq!(
            (status, &echo["applicationOnline"]),
            (200, &json!(expected)),
            "{value}"
        );
    }
    for value in ["yes", "on", "2", "-1", "truely"] {
        let request = beat(&service, "/heartbeat").form(&[("applicationOnline", value)]);
        let response = request.send().await.expect("an answer");
        assert_error(response, 400, "Invalid applicationOnline").await;
    }
    for value in [json!(2), json!("yes"), json!([true])] {
        let response = service
            .heartbeat(&json!({ "applicationOnline": value }))
            .await;
        assert_eq!(response.status(), 400, "{value}");
    }
}

#[tokio::test]
async fn a_colour_is_three_bytes_and_an_alpha() {
    let service = TestService::start(&["heartbeat.fields=true"]).await;
    for (given, kept) in [
        ("0,0,0,0", "0,0,0,0"),
        ("255,255,255,1", "255,255,255,1"),
        ("12,34,56,0.5", "12,34,56,0.5"),
        (" 12, 34 ,56 , 0.5 ", "12,34,56,0.5"),
        ("", ""),
    ] {
        let (status, echo) = answer(service.heartbeat(&json!({ "rgba": given })).await).await;
        assert_eq!((status, &echo["rgba"]), (200, &json!(kept)), "{given:?}");
    }
    service.heartbeat(&lamp()).await;
    for wrong in [
        "256,0,0,1",
        "-1,0,0,1",
        "1.5,0,0,1",
        "1,2,3",
        "1,2,3,1,1",
        "1,2,3,1.01",
        "1,2,3,-0.1",
        "1,2,3,NaN",
        "1,2,3,inf",
        "a,b,c,d",
        "1,2,,1",
        "rgba(1,2,3,1)",
        "#ff8800",
        "99999999999,0,0,1",
    ] {
        let response = service.heartbeat(&json!({ "rgba": wrong })).await;
        assert_error(response, 400, "Invalid rgba").await;
        assert_eq!(shown(&service).await, lamp(), "{wrong}");
    }
}

#[tokio::test]
async fn texts_are_limited_in_characters_not_bytes() {
    let service = TestService::start(&["heartbeat.fields=true"]).await;
    for (field, most) in [("application", 200), ("introduce", 2_000)] {
        let longest = "灯".repeat(most);
        let response = service.heartbeat(&json!({ field: longest })).await;
        assert_eq!(response.status(), 200, "{field}");
        assert_eq!(shown(&service).await[field], longest);

        let before = service.json("/check").await;
        for wrong in ["x".repeat(most + 1), "灯".repeat(most + 1)] {
            let response = service.heartbeat(&json!({ field: wrong })).await;
            assert_error(response, 400, &format!("Invalid {field}")).await;
        }
        for wrong in ["a\u{0}b", "a\nb", "a\tb", "\u{1b}[31m", "a\u{7f}"] {
            let response = service.heartbeat(&json!({ field: wrong })).await;
            assert_error(response, 400, &format!("Invalid {field}")).await;
        }
        assert_eq!(service.json("/check").await, before, "{field}");
    }
}

#[tokio::test]
async fn a_bad_heartbeat_is_no_heartbeat() {
    let service = TestService::start(&["heartbeat.fields=true"]).await;
    let half_good = json!({ "application": "Lamp", "rgba": "1,2,3", "applicationOnline": true });
    assert_error(service.heartbeat(&half_good).await, 400, "Invalid rgba").await;
    let check = service.json("/check").await;
    assert_eq!(
        (&check["alive"], &check["last_heartbeat"]),
        (&json!(false), &json!(0))
    );
    assert_eq!(check["application"], "");
}

#[tokio::test]
async fn a_body_that_is_no_json_object_is_refused() {
    let service = TestService::start(&["heartbeat.fields=true"]).await;
    service.heartbeat(&lamp()).await;
    let before = service.json("/check").await;
    for body in [
        "{",
        "[1,2]",
        "\"text\"",
        "{\"application\":\"Lamp\"",
        "not json",
    ] {
        let request = beat(&service, "/heartbeat").header(CONTENT_TYPE, "application/json");
        let response = request.body(body).send().await.expect("an answer");
        assert_error(response, 400, "Invalid request body").await;
    }
    assert_eq!(service.json("/check").await, before);
}
