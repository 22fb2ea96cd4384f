//! Database files: each shape, and nothing that leaves the machine.

use std::path::Path;

use porchlight_service::http::replies::IpInformation;
use porchlight_service::ip::IpLookup;
use porchlight_service::settings::sections::IpSettings;
use serde_json::{Value, json};

use crate::{alone, hand, http, ip, mmdb};

fn city_row() -> Value {
    json!({
        "city": { "geoname_id": 2_643_743, "names": { "en": "London", "de": "London" } },
        "continent": { "code": "EU" },
        "country": { "iso_code": "GB", "names": { "en": "United Kingdom" } },
        "location": {
            "accuracy_radius": 100, "latitude": 51.5142, "longitude": -0.0931,
            "time_zone": "Europe/London",
        },
        "postal": { "code": "EC2V" },
        "subdivisions": [
            { "iso_code": "ENG", "names": { "en": "England" } },
            { "iso_code": "LND", "names": { "en": "City of London" } },
        ],
        "traits": { "is_anycast": true },
    })
}

/// A look-up in a file, at which nothing answers to ipinfo's name.
fn in_file(file: &Path) -> IpLookup {
    let settings = IpSettings {
        mmdb: Some(file.to_owned()),
        ipinfo_url: "http://127.0.0.1:1".parse().expect("an address"),
        ..IpSettings::default()
    };
    let lookup = IpLookup::open_with_dns(&settings, http(), hand().clock(), |ip| {
        panic!("the name of {ip} was requested")
    });
    assert!(lookup.trouble().is_none());
    lookup
}

#[tokio::test]
async fn a_city_file_answers_without_a_call() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in ["GeoLite2-City", "DBIP-City-Lite"] {
        let file = folder.path().join("city.mmdb");
        let rows = [("8.8.0.0/16", city_row()), ("2606:4700::/32", city_row())];
        mmdb::write(&file, kind, 128, &rows);
        let lookup = in_file(&file);
        for written in ["8.8.8.8", "::ffff:8.8.8.8", "2606:4700::1"] {
            let found = lookup.look_up(ip(written)).await.expect("found");
            assert_eq!(
                found,
                IpInformation {
                    ip: ip(written).to_canonical().to_string(),
                    hostname: String::new(),
                    city: "London".to_owned(),
                    region: "England".to_owned(),
                    country: "GB".to_owned(),
                    loc: "51.5142,-0.0931".to_owned(),
                    org: String::new(),
                    postal: "EC2V".to_owned(),
                    timezone: "Europe/London".to_owned(),
                }
            );
        }
        assert_eq!(lookup.look_up(ip("1.1.1.1")).await, Ok(alone("1.1.1.1")));
        assert_eq!(lookup.look_up(ip("10.0.0.1")).await, Ok(alone("10.0.0.1")));
    }
}

#[tokio::test]
async fn a_file_of_networks_returns_the_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("asn.mmdb");
    let row = json!({
        "autonomous_system_number": 15_169, "autonomous_system_organization": "GOOGLE",
    });
    mmdb::write(&file, "GeoLite2-ASN", 128, &[("8.8.8.0/24", row)]);
    let found = in_file(&file).look_up(ip("8.8.8.8")).await.expect("found");
    assert_eq!(found.org, "AS15169 GOOGLE");
}

#[tokio::test]
async fn a_lite_file_of_ipinfo_returns_country_and_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lite.mmdb");
    let row = json!({
        "country": "United States", "country_code": "US", "continent": "North America",
        "continent_code": "NA", "asn": "AS15169", "as_name": "Google LLC",
        "as_domain": "google.com",
    });
    mmdb::write(
        &file,
        "ipinfo generic_lite_sample.mmdb",
        128,
        &[("8.8.8.0/24", row)],
    );
    let found = in_file(&file).look_up(ip("8.8.8.8")).await.expect("found");
    assert_eq!(found.country, "US");
    assert_eq!(found.org, "AS15169 Google LLC");
}

#[tokio::test]
async fn a_file_of_ipv4_knows_nothing_of_ipv6() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("four.mmdb");
    mmdb::write(&file, "GeoLite2-City", 32, &[("8.8.8.0/24", city_row())]);
    let lookup = in_file(&file);
    assert_eq!(
        lookup.look_up(ip("8.8.8.8")).await.expect("found").city,
        "London"
    );
    assert_eq!(
        lookup.look_up(ip("2606:4700::1")).await,
        Ok(alone("2606:4700::1"))
    );
}
