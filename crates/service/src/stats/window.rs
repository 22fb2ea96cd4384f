//! The calls of readers, for the owner alone.

use serde::{Deserialize, Serialize};

use crate::images::window::{Picture, PictureSpace};

/// Calls by what they were answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Calls {
    /// 1xx and 2xx.
    #[cfg_attr(test, ts(type = "number"))]
    pub good: u64,
    /// 3xx.
    #[cfg_attr(test, ts(type = "number"))]
    pub redirected: u64,
    /// 4xx.
    #[cfg_attr(test, ts(type = "number"))]
    pub refused: u64,
    /// 5xx.
    #[cfg_attr(test, ts(type = "number"))]
    pub failed: u64,
    /// The client disconnected before a response.
    #[cfg_attr(test, ts(type = "number"))]
    pub hung_up: u64,
}

/// How many readers there were on a day: households that called from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ReaderCount {
    /// Distinct readers.
    #[cfg_attr(test, ts(type = "number"))]
    pub count: u64,
    /// Whether there were, or may have been, others; with a count of 0 their
    /// number is unknown.
    pub more: bool,
}

/// The readers of one day by the owner's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DayReaders {
    /// Its date, as days since that of the Unix epoch.
    #[cfg_attr(test, ts(type = "number"))]
    pub day: i64,
    /// Its readers.
    pub readers: ReaderCount,
}

/// Calls of one endpoint in a range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PathCalls {
    /// The endpoint, such as `/i/{hash}`.
    pub key: String,
    /// Its calls.
    pub calls: Calls,
    /// When the last one came, ever.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub last: Option<i64>,
}

/// An image that was viewed often in a range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TopPicture {
    /// The image.
    pub picture: Picture,
    /// Its views in that range.
    #[cfg_attr(test, ts(type = "number"))]
    pub views: u64,
}

/// What is saved as CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StatisticsTable {
    /// Calls by hour, path and class of status.
    Calls,
    /// Views by day and image.
    Views,
}

/// The calls between given times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Statistics {
    /// Calls from each of the given times to the next one.
    pub steps: Vec<Calls>,
    /// Calls by endpoint, most called first.
    pub paths: Vec<PathCalls>,
    /// The days between the first and the last of the given times, and as many
    /// before them, that had readers, in their order.
    pub readers: Vec<DayReaders>,
    /// The most viewed images on the days between the first and the last of the
    /// given times, at most six.
    pub top: Vec<TopPicture>,
    /// The bytes of images that were sent between the first and the last of the
    /// given times. What an object store or the Worker sent is not among them.
    #[cfg_attr(test, ts(type = "number"))]
    pub sent: u64,
    /// What all images take now.
    pub space: PictureSpace,
    /// When the first call was counted.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub first: Option<i64>,
}
