//! The endpoints whose calls are counted.

/// One path of the interface. Two methods on one path are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// `/`
    Root,
    /// `/sysinfo`
    SysInfo,
    /// `/heartbeat`
    Heartbeat,
    /// `/check`
    Check,
    /// `/random_image`
    RandomImage,
    /// `/images/{hash}`
    Image,
    /// `/i/{hash}`
    ShortImage,
    /// `/images/add`
    AddImage,
    /// `/images/list`
    ListImages,
    /// `/images/count`
    CountImages,
    /// `/game_status`
    GameStatus,
    /// `/ipcheck`
    IpCheck,
    /// `/api_stats`
    ApiStats,
    /// `/api_stats/{key}`
    ApiStat,
    /// `/devices`
    Devices,
}

impl Endpoint {
    /// All of them, in the order of the interface, and then what it does not have.
    pub const ALL: [Self; 15] = [
        Self::Root,
        Self::SysInfo,
        Self::Heartbeat,
        Self::Check,
        Self::RandomImage,
        Self::Image,
        Self::ShortImage,
        Self::AddImage,
        Self::ListImages,
        Self::CountImages,
        Self::GameStatus,
        Self::IpCheck,
        Self::ApiStats,
        Self::ApiStat,
        Self::Devices,
    ];

    /// The key it is listed under.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Root => "/",
            Self::SysInfo => "/sysinfo",
            Self::Heartbeat => "/heartbeat",
            Self::Check => "/check",
            Self::RandomImage => "/random_image",
            Self::Image => "/images/{hash}",
            Self::ShortImage => "/i/{hash}",
            Self::AddImage => "/images/add",
            Self::ListImages => "/images/list",
            Self::CountImages => "/images/count",
            Self::GameStatus => "/game_status",
            Self::IpCheck => "/ipcheck",
            Self::ApiStats => "/api_stats",
            Self::ApiStat => "/api_stats/{key}",
            Self::Devices => "/devices",
        }
    }

    /// The endpoint that is listed under `path`.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|endpoint| endpoint.path() == path)
    }
}
