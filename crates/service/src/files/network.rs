//! Whether a folder is on another machine. This system does not report what changes there, and SQLite's
//! write-ahead log is not safe there: <https://sqlite.org/wal.html>.

use std::path::Path;

/// File systems that others may change, by their magic numbers in
/// `linux/magic.h` and the kernel's sources: AFS, Ceph, SMB, Coda, FUSE (sshfs,
/// rclone), NCP, NFS, 9P.
#[cfg(target_os = "linux")]
const SHARED: [u32; 10] = [
    0x5346_414f,
    0x00c3_6400,
    0x0000_517b,
    0xff53_4d42,
    0xfe53_4d42,
    0x7375_7245,
    0x6573_5546,
    0x0000_564c,
    0x0000_6969,
    0x0102_1997,
];

/// Whether the folder is on another machine; where that is unknown, it counts as local. Blocks.
#[cfg(target_os = "linux")]
#[must_use]
pub fn is_shared(folder: &Path) -> bool {
    // The type is a signed word on some architectures; its low 32 bits count.
    rustix::fs::statfs(folder).is_ok_and(|about| is_a_shared_type(about.f_type as u64))
}

#[cfg(target_os = "linux")]
fn is_a_shared_type(number: u64) -> bool {
    SHARED
        .iter()
        .any(|shared| u64::from(*shared) == number & 0xffff_ffff)
}

/// Whether the folder is on another machine; where that is unknown, it counts as local. Blocks.
#[cfg(target_os = "macos")]
#[must_use]
pub fn is_shared(folder: &Path) -> bool {
    /// `MNT_LOCAL`, of macOS's `sys/mount.h`.
    const LOCAL: u32 = 0x1000;
    rustix::fs::statfs(folder).is_ok_and(|about| about.f_flags & LOCAL == 0)
}

/// Whether the folder is on another machine; where that is unknown, it counts as local. A path that
/// starts with `\\` names another machine, and a drive may lead to one. Blocks.
#[cfg(windows)]
#[must_use]
pub fn is_shared(folder: &Path) -> bool {
    let full = crate::files::full_path(folder);
    let path = full.as_deref().unwrap_or(folder).as_os_str();
    let path = path.as_encoded_bytes();
    path.starts_with(br"\\?\UNC\") || path.starts_with(br"\\") && !path.starts_with(br"\\?\")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn disks_and_memory_are_of_this_machine_and_network_types_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!is_shared(folder.path()));
        assert!(!is_shared(Path::new("/proc")));
        assert!(!is_shared(Path::new("/not/there")));
        // NFS, SMB2 as a negative word, FUSE.
        for number in [0x6969, 0xffff_ffff_fe53_4d42, 0x6573_5546] {
            assert!(is_a_shared_type(number), "{number:x}");
        }
        // ext4, tmpfs.
        for number in [0xef53, 0x0102_1994] {
            assert!(!is_a_shared_type(number), "{number:x}");
        }
    }
}
