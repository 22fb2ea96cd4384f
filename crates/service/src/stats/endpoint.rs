//! The endpoints whose calls are counted.

/// One path of the interface. Two methods on one path are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "PATHS says what they are")]
pub enum Endpoint {
    Root,
    SysInfo,
    Heartbeat,
    Check,
    RandomImage,
    Image,
    ShortImage,
    AddImage,
    ListImages,
    CountImages,
    GameStatus,
    IpCheck,
    ApiStats,
    ApiStat,
    Devices,
}

/// All of them with the keys that they are listed under, in the order of [`Endpoint`]: that of the
/// interface, and then what it does not have.
const PATHS: [(Endpoint, &str); 15] = [
    (Endpoint::Root, "/"),
    (Endpoint::SysInfo, "/sysinfo"),
    (Endpoint::Heartbeat, "/heartbeat"),
    (Endpoint::Check, "/check"),
    (Endpoint::RandomImage, "/random_image"),
    (Endpoint::Image, "/images/{hash}"),
    (Endpoint::ShortImage, "/i/{hash}"),
    (Endpoint::AddImage, "/images/add"),
    (Endpoint::ListImages, "/images/list"),
    (Endpoint::CountImages, "/images/count"),
    (Endpoint::GameStatus, "/game_status"),
    (Endpoint::IpCheck, "/ipcheck"),
    (Endpoint::ApiStats, "/api_stats"),
    (Endpoint::ApiStat, "/api_stats/{key}"),
    (Endpoint::Devices, "/devices"),
];

impl Endpoint {
    /// How many there are.
    pub(super) const COUNT: usize = PATHS.len();

    /// All of them, in the order of the interface, and then what it does not have.
    pub fn all() -> impl Iterator<Item = Self> {
        PATHS.into_iter().map(|(endpoint, _)| endpoint)
    }

    /// The key it is listed under.
    #[must_use]
    pub fn path(self) -> &'static str {
        PATHS[self as usize].1
    }

    /// The endpoint that is listed under `path`.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        Self::all().find(|endpoint| endpoint.path() == path)
    }
}
