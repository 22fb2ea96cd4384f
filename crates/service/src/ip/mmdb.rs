//! Looking addresses up in a file on this machine, in the MaxMind DB format.
//!
//! Nothing leaves the machine: not even a DNS query for the address's name.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::net::IpAddr;
use std::path::Path;

use maxminddb::{MaxMindDbError, Reader};
use serde::Deserialize;

use super::IpOpenError;
use super::ipinfo::Record;
use crate::http::replies::IpInformation;
use crate::text::{LONGEST_NAME, one_line};

/// The maximum size of a file, in bytes: it is held in memory.
const LARGEST: u64 = 1 << 30;

/// An open file, held in memory.
pub(super) struct Mmdb {
    reader: Reader<Vec<u8>>,
    shape: Shape,
}

/// The shape of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Nested, with names by language: MaxMind's own files and DB-IP's.
    GeoIp,
    /// Flat, as ipinfo.io has it in its files.
    Ipinfo,
}

impl Shape {
    fn of(database_type: &str) -> Option<Self> {
        let kind = database_type.to_ascii_lowercase();
        if kind.contains("ipinfo") {
            return Some(Self::Ipinfo);
        }
        let known = ["geoip", "geolite", "dbip", "db-ip"];
        known
            .iter()
            .any(|known| kind.contains(known))
            .then_some(Self::GeoIp)
    }
}

/// A row of the nested shape, as far as it is used. Rows of ASN files have only
/// the last two fields.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct GeoIpRow {
    city: NamedPlace,
    subdivisions: Vec<NamedPlace>,
    country: NamedPlace,
    location: Location,
    postal: Postal,
    traits: Network,
    autonomous_system_number: Option<u32>,
    autonomous_system_organization: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NamedPlace {
    iso_code: String,
    names: Names,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Names {
    en: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Location {
    latitude: Option<f64>,
    longitude: Option<f64>,
    time_zone: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Postal {
    code: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Network {
    autonomous_system_number: Option<u32>,
    autonomous_system_organization: String,
}

/// `AS64500 Example`, or what of it is known.
fn org(number: Option<u32>, name: &str) -> String {
    let number = number
        .map(|number| format!("AS{number}"))
        .unwrap_or_default();
    [number.as_str(), name].join(" ").trim().to_owned()
}

impl From<GeoIpRow> for IpInformation {
    fn from(row: GeoIpRow) -> Self {
        let loc = match (row.location.latitude, row.location.longitude) {
            (Some(latitude), Some(longitude)) => format!("{latitude:.4},{longitude:.4}"),
            _ => String::new(),
        };
        let traits = row.traits;
        let orgs = [
            org(
                row.autonomous_system_number,
                &row.autonomous_system_organization,
            ),
            org(
                traits.autonomous_system_number,
                &traits.autonomous_system_organization,
            ),
        ];
        let line = |text: &str| one_line(text, LONGEST_NAME);
        let region = row.subdivisions.first();
        Self {
            city: line(&row.city.names.en),
            region: region.map_or_else(String::new, |region| line(&region.names.en)),
            country: line(&row.country.iso_code),
            loc,
            org: orgs
                .iter()
                .find(|org| !org.is_empty())
                .map_or_else(String::new, |org| line(org)),
            postal: line(&row.postal.code),
            timezone: line(&row.location.time_zone),
            ..Self::default()
        }
    }
}

impl Mmdb {
    /// Reads the file into memory; a city file takes some 70 MB.
    pub(super) fn open(file: &Path) -> Result<Self, IpOpenError> {
        let read = bytes_of(file).map_err(MaxMindDbError::from);
        let reader = read.and_then(Reader::from_source);
        let reader = reader.map_err(|error| IpOpenError::Unreadable {
            file: file.to_owned(),
            error,
        })?;
        let kind = &reader.metadata().database_type;
        let shape = Shape::of(kind).ok_or_else(|| IpOpenError::UnknownKind {
            file: file.to_owned(),
            kind: kind.clone(),
        })?;
        Ok(Self { reader, shape })
    }

    /// The file's record of the address; empty where there is none.
    pub(super) fn look_up(&self, ip: IpAddr) -> Result<IpInformation, MaxMindDbError> {
        // A file of IPv4 addresses alone answers any other with an error.
        if ip.is_ipv6() && self.reader.metadata().ip_version == 4 {
            return Ok(IpInformation::default());
        }
        let found = self.reader.lookup(ip)?;
        Ok(match self.shape {
            Shape::GeoIp => found.decode::<GeoIpRow>()?.map(IpInformation::from),
            Shape::Ipinfo => found.decode::<Record>()?.map(IpInformation::from),
        }
        .unwrap_or_default())
    }
}

/// The content of a regular file of at most [`LARGEST`] bytes.
fn bytes_of(file: &Path) -> io::Result<Vec<u8>> {
    // Before it is opened: to open a pipe waits for another process.
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    let read = File::open(file)?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)?;
    if read as u64 > LARGEST {
        return Err(io::Error::other("it has more than 1 GiB"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn the_type_of_a_file_determines_the_shape_of_its_rows() {
        for (kind, shape) in [
            ("GeoIP2-Enterprise", Shape::GeoIp),
            ("DBIP-Location-ISP (compat=Enterprise)", Shape::GeoIp),
            ("ipinfo generic_country_asn_free.mmdb", Shape::Ipinfo),
            ("ipinfo lite", Shape::Ipinfo),
        ] {
            assert_eq!(Shape::of(kind), Some(shape), "{kind}");
        }
    }
}
