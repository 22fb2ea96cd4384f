//! Looking addresses up in a file on this machine, in the MaxMind DB format.
//!
//! Nothing leaves the machine: not even a DNS query for the address's name.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::net::IpAddr;
use std::path::Path;

use maxminddb::{LookupResult, MaxMindDbError, PathElement, Reader, path};

use super::ipinfo::Record;
use crate::error::message::Message;
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

/// A row of the nested shape. Rows of ASN files have only a network.
fn geo_ip(row: &LookupResult<'_, Vec<u8>>) -> Result<IpInformation, MaxMindDbError> {
    let line = |path: &[PathElement<'_>]| {
        let text: Option<&str> = row.decode_path(path)?;
        Ok::<_, MaxMindDbError>(one_line(text.unwrap_or_default(), LONGEST_NAME))
    };
    let degrees = |path: &[PathElement<'_>]| row.decode_path::<f64>(path);
    let latitude = degrees(&path!["location", "latitude"])?;
    let longitude = degrees(&path!["location", "longitude"])?;
    let loc = latitude.zip(longitude);
    let number = match row.decode_path::<u32>(&path!["autonomous_system_number"])? {
        None => row.decode_path(&path!["traits", "autonomous_system_number"])?,
        number => number,
    };
    let number = number
        .map(|number: u32| format!("AS{number}"))
        .unwrap_or_default();
    let name = match line(&path!["autonomous_system_organization"])? {
        name if name.is_empty() => line(&path!["traits", "autonomous_system_organization"])?,
        name => name,
    };
    Ok(IpInformation {
        city: line(&path!["city", "names", "en"])?,
        region: line(&path!["subdivisions", 0, "names", "en"])?,
        country: line(&path!["country", "iso_code"])?,
        loc: loc.map_or_else(String::new, |(latitude, longitude)| {
            format!("{latitude:.4},{longitude:.4}")
        }),
        org: format!("{number} {name}").trim().to_owned(),
        postal: line(&path!["postal", "code"])?,
        timezone: line(&path!["location", "time_zone"])?,
        ..IpInformation::default()
    })
}

impl Mmdb {
    /// Reads the file into memory; a city file takes some 70 MB.
    pub(super) fn open(file: &Path) -> Result<Self, Message> {
        let read = bytes_of(file).map_err(MaxMindDbError::from);
        let reader = read.and_then(Reader::from_source);
        let reader = reader.map_err(|error| {
            crate::detail!("ip.mmdb: {} cannot be read: {error}", file.display())
        })?;
        let kind = &reader.metadata().database_type;
        let shape = Shape::of(kind).ok_or_else(|| crate::detail!("ip.mmdb: {} holds {kind:?}, whose rows are not known: use a file of MaxMind, DB-IP or ipinfo", file.display()))?;
        Ok(Self { reader, shape })
    }

    /// The file's record of the address; empty where there is none.
    pub(super) fn look_up(&self, ip: IpAddr) -> Result<IpInformation, MaxMindDbError> {
        // A file of IPv4 addresses alone answers any other with an error.
        if ip.is_ipv6() && self.reader.metadata().ip_version == 4 {
            return Ok(IpInformation::default());
        }
        let found = self.reader.lookup(ip)?;
        match self.shape {
            Shape::GeoIp => geo_ip(&found),
            Shape::Ipinfo => Ok(found.decode::<Record>()?.unwrap_or_default().into()),
        }
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
