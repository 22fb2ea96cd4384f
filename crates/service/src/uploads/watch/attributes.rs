//! Files that the system marks: hidden ones, and those whose bytes are in a cloud alone.

use std::fs::Metadata;

/// Whether a file is hidden, or only a placeholder: reading it would fetch it from a cloud.
#[cfg(windows)]
pub(super) fn is_left_alone(about: &Metadata) -> bool {
    of_windows(std::os::windows::fs::MetadataExt::file_attributes(about))
}

/// Whether a file is only a placeholder: reading it would fetch it from a cloud.
#[cfg(target_os = "macos")]
pub(super) fn is_left_alone(about: &Metadata) -> bool {
    of_macos(std::os::macos::fs::MetadataExt::st_flags(about))
}

/// Other systems mark no files.
#[cfg(not(any(windows, target_os = "macos")))]
pub(super) fn is_left_alone(_: &Metadata) -> bool {
    false
}

/// By the attributes of `winnt.h`.
#[cfg(any(windows, test))]
fn of_windows(attributes: u32) -> bool {
    const HIDDEN: u32 = 0x2;
    const OFFLINE: u32 = 0x1000;
    const RECALL_ON_OPEN: u32 = 0x4_0000;
    const RECALL_ON_DATA_ACCESS: u32 = 0x40_0000;
    attributes & (HIDDEN | OFFLINE | RECALL_ON_OPEN | RECALL_ON_DATA_ACCESS) != 0
}

/// By the flags of `sys/stat.h`.
#[cfg(any(target_os = "macos", test))]
fn of_macos(flags: u32) -> bool {
    const SF_DATALESS: u32 = 0x4000_0000;
    flags & SF_DATALESS != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_of_a_cloud_are_left_alone_and_files_that_are_there_are_not() {
        for (attributes, is_left) in [
            // Archive; normal; pinned ("always keep on this device"), as a reparse point, on the disk.
            (0x20, false),
            (0x80, false),
            (0x8_0420, false),
            // Free space: unpinned, and on the disk until the system needs the space.
            (0x10_0420, false),
            // OneDrive's and iCloud's placeholders, one of a tape library, one that is fetched when opened.
            (0x50_1620, true),
            (0x40_0420, true),
            (0x1020, true),
            (0x4_0020, true),
            (0x22, true),
        ] {
            assert_eq!(of_windows(attributes), is_left, "{attributes:x}");
        }
        // Compressed, hidden in Finder, dataless.
        for (flags, is_left) in [
            (0, false),
            (0x20, false),
            (0x8000, false),
            (0x4000_0060, true),
        ] {
            assert_eq!(of_macos(flags), is_left, "{flags:x}");
        }
    }
}
