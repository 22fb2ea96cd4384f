//! Access to the data folder on Windows. In a user's profile other users have none; elsewhere a new
//! folder is open to all who can log in, unless its access rights are its own.

#![allow(
    unsafe_code,
    reason = "no library among ours sets the access rights of a folder"
)]

use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr::{null, null_mut};

use windows_sys::Win32::Foundation::{ERROR_SUCCESS, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    BuildExplicitAccessWithNameW, ConvertSecurityDescriptorToStringSecurityDescriptorW,
    ConvertStringSecurityDescriptorToSecurityDescriptorW, EXPLICIT_ACCESS_W, GRANT_ACCESS,
    GetNamedSecurityInfoW, SDDL_REVISION_1, SE_FILE_OBJECT, SetEntriesInAclW,
    SetNamedSecurityInfoW,
};
use windows_sys::Win32::Security::{
    DACL_SECURITY_INFORMATION, GetSecurityDescriptorDacl, PROTECTED_DACL_SECURITY_INFORMATION,
    SUB_CONTAINERS_AND_OBJECTS_INHERIT,
};
use windows_sys::Win32::Storage::FileSystem::FILE_ALL_ACCESS;
use windows_sys::core::{PCWSTR, w};

use crate::files;

/// Full access for the system and the administrators, to what is in the folder, too.
const SYSTEM_AND_ADMINISTRATORS: PCWSTR = w!("D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)");

/// A folder with this file is a data folder, whatever else is in it.
const MARK: &str = "porchlight.db";

pub fn close_new_files() {}

pub fn former_mask() -> String {
    "0".to_owned()
}

pub fn set_mask(_: &str) {}

pub fn with_former_mask<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Closes a folder that Porchlight has just made, or found empty.
pub fn close_new_folder(folder: &Path) {
    if !is_in_the_profile(folder)
        && let Err(error) = close(folder)
    {
        tracing::warn!("other users can read {}: {error}", folder.display());
    }
}

/// Closes a data folder outside of the user's profile to other users of this machine, and reports in the
/// log whether they could read it and whether they still can. A folder that others use, too, is left as
/// it is.
pub fn close_data_folder(folder: &Path) {
    if is_in_the_profile(folder) || is_closed(folder).unwrap_or(false) {
        return;
    }
    let name = folder.display();
    if !folder.join(MARK).is_file() {
        tracing::warn!(
            "other users may have access to {name}: its permissions are not changed, since it is not \
             for Porchlight alone"
        );
        return;
    }
    match close(folder) {
        Ok(()) => tracing::warn!("other users could read {name}; it is closed to them now"),
        Err(error) => tracing::warn!("other users can read {name}: {error}"),
    }
}

fn is_in_the_profile(folder: &Path) -> bool {
    let profile = std::env::home_dir().and_then(|profile| files::full_path(profile).ok());
    let folder = files::full_path(folder).unwrap_or_else(|_| folder.to_owned());
    profile.is_some_and(|profile| folder.starts_with(profile))
}

/// Gives the folder, and what is in it, to this user, the system and the administrators alone.
fn close(folder: &Path) -> io::Result<()> {
    let path = wide(folder);
    let (mut others, mut rights) = (Local(null_mut()), Local(null_mut()));
    let (mut is_there, mut list, mut is_default) = (0, null_mut(), 0);
    let mut user = EXPLICIT_ACCESS_W::default();
    // SAFETY: the texts end with a null, what is written to is ours, and each list is used while what it
    // is in is kept.
    unsafe {
        succeeded(ConvertStringSecurityDescriptorToSecurityDescriptorW(
            SYSTEM_AND_ADMINISTRATORS,
            SDDL_REVISION_1,
            &raw mut others.0,
            null_mut(),
        ))?;
        succeeded(GetSecurityDescriptorDacl(
            others.0,
            &raw mut is_there,
            &raw mut list,
            &raw mut is_default,
        ))?;
        BuildExplicitAccessWithNameW(
            &raw mut user,
            w!("CURRENT_USER"),
            FILE_ALL_ACCESS,
            GRANT_ACCESS,
            SUB_CONTAINERS_AND_OBJECTS_INHERIT,
        );
        is_success(SetEntriesInAclW(
            1,
            &raw const user,
            list,
            (&raw mut rights.0).cast(),
        ))?;
        is_success(SetNamedSecurityInfoW(
            path.as_ptr(),
            SE_FILE_OBJECT,
            DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
            null_mut(),
            null_mut(),
            rights.0.cast(),
            null(),
        ))?;
    }
    if is_closed(folder)? {
        Ok(())
    } else {
        Err(io::Error::other("its file system keeps no permissions"))
    }
}

/// Whether other users have no access to the folder.
fn is_closed(folder: &Path) -> io::Result<bool> {
    let path = wide(folder);
    let (mut rights, mut text, mut length) = (Local(null_mut()), null_mut(), 0);
    // SAFETY: the path ends with a null, what is written to is ours, and the text has so many characters.
    let (text, _text) = unsafe {
        is_success(GetNamedSecurityInfoW(
            path.as_ptr(),
            SE_FILE_OBJECT,
            DACL_SECURITY_INFORMATION,
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            &raw mut rights.0,
        ))?;
        succeeded(ConvertSecurityDescriptorToStringSecurityDescriptorW(
            rights.0,
            SDDL_REVISION_1,
            DACL_SECURITY_INFORMATION,
            &raw mut text,
            &raw mut length,
        ))?;
        let units = std::slice::from_raw_parts(text, length as usize);
        (String::from_utf16_lossy(units), Local(text.cast()))
    };
    Ok(is_closed_by(&text))
}

/// Whether these rights, in the security descriptor definition language, are inherited from no folder and
/// those of the system, the administrators and one user alone.
fn is_closed_by(rights: &str) -> bool {
    let Some(entries) = rights.strip_prefix("D:P") else {
        return false;
    };
    let trustees = entries.split('(').skip(1).map(|entry| {
        let trustee = entry.rsplit(';').next().unwrap_or_default();
        trustee.trim_end_matches('\0').trim_end_matches(')')
    });
    let users: Vec<&str> = trustees
        .filter(|trustee| !["SY", "BA"].contains(trustee))
        .collect();
    let is_user = |trustee: &&str| *trustee == "LA" || trustee.starts_with("S-1-5-21-");
    users.iter().all(is_user) && users.iter().all(|user| *user == users[0])
}

/// What the system has allocated for us.
struct Local(*mut core::ffi::c_void);

impl Drop for Local {
    fn drop(&mut self) {
        // SAFETY: it is from the system, and has no other owner; null is allowed.
        unsafe { LocalFree(self.0) };
    }
}

fn succeeded(done: i32) -> io::Result<()> {
    match done {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn is_success(code: u32) -> io::Result<()> {
    match code {
        ERROR_SUCCESS => Ok(()),
        _ => Err(io::Error::from_raw_os_error(code.cast_signed())),
    }
}

fn wide(path: &Path) -> Vec<u16> {
    path.as_os_str().encode_wide().chain([0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wine adds the rights of the folder above to those that are set, protected or not, so that only
    /// Windows itself shows the first branch.
    #[test]
    fn a_folder_is_closed_to_other_users_and_its_owner_still_writes_to_it() {
        let folder = tempfile::tempdir().expect("a folder");
        match close(folder.path()) {
            Ok(()) => assert!(is_closed(folder.path()).expect("rights")),
            Err(error) => assert_eq!(error.raw_os_error(), None, "the system refused: {error}"),
        }
        std::fs::write(folder.path().join("a.txt"), "text").expect("a file");
    }

    #[test]
    fn a_folder_is_closed_whose_rights_are_those_of_one_user_beside_the_systems() {
        let (system, user) = (
            "(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)",
            "(A;OICI;FA;;;S-1-5-21-1-2-3-1001)",
        );
        for (rights, is_closed) in [
            (format!("D:P{system}{user}"), true),
            (format!("D:PAI{system}{user}\0"), true),
            (format!("D:P{system}(A;OICI;FA;;;LA)"), true),
            (format!("D:AI{system}{user}"), false),
            (format!("D:P{system}{user}(A;OICI;0x1200a9;;;BU)"), false),
            (
                format!("D:P{system}{user}(A;OICI;FA;;;S-1-5-21-1-2-3-1002)"),
                false,
            ),
            ("D:NO_ACCESS_CONTROL".to_owned(), false),
        ] {
            assert_eq!(is_closed_by(&rights), is_closed, "{rights}");
        }
    }

    #[test]
    fn the_profile_is_closed_already() {
        let home = std::env::home_dir().expect("a profile");
        assert!(is_in_the_profile(&home.join("AppData")));
        assert!(!is_in_the_profile(Path::new(r"C:\Users")));
    }
}
