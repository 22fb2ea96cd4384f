//! Access to the data folder on Windows. In a user's profile other users have none; elsewhere a new
//! folder is open to all who can log in, unless its list of access rights is its own.

#![allow(
    unsafe_code,
    reason = "no library among ours sets the access rights of a folder"
)]

use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::path::Path;
use std::ptr::{null, null_mut};

use porchlight_api::files;
use windows_sys::Win32::Foundation::{ERROR_SUCCESS, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertSecurityDescriptorToStringSecurityDescriptorW, ConvertSidToStringSidW,
    ConvertStringSecurityDescriptorToSecurityDescriptorW, GetNamedSecurityInfoW, SDDL_REVISION_1,
    SE_FILE_OBJECT, SetNamedSecurityInfoW,
};
use windows_sys::Win32::Security::{
    ACL, DACL_SECURITY_INFORMATION, GetSecurityDescriptorDacl, GetTokenInformation,
    OWNER_SECURITY_INFORMATION, PROTECTED_DACL_SECURITY_INFORMATION, TOKEN_QUERY, TOKEN_USER,
    TokenUser,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// In the form of the system: itself, the administrators and the first of them, and whoever owns or has
/// made a file.
const CLOSED_TO: [&str; 5] = ["SY", "BA", "LA", "OW", "CO"];

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
    let user = this_user()?;
    // Protected from the folder above; each in turn has full access, to what is in it, too.
    let rights = wide(&format!(
        "D:PAI(A;OICI;FA;;;{user})(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
    ));
    let path = wide_path(folder);
    let mut described = Local(null_mut());
    let (mut is_there, mut list, mut is_default) = (0, null_mut::<ACL>(), 0);
    // SAFETY: the texts end with a null, what is written to is ours, and the list is used while the
    // description that it is in is kept.
    unsafe {
        succeeded(ConvertStringSecurityDescriptorToSecurityDescriptorW(
            rights.as_ptr(),
            SDDL_REVISION_1,
            &raw mut described.0,
            null_mut(),
        ))?;
        succeeded(GetSecurityDescriptorDacl(
            described.0,
            &raw mut is_there,
            &raw mut list,
            &raw mut is_default,
        ))?;
        let set = SetNamedSecurityInfoW(
            path.as_ptr(),
            SE_FILE_OBJECT,
            DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
            null_mut(),
            null_mut(),
            list,
            null(),
        );
        if set != ERROR_SUCCESS {
            return Err(io::Error::from_raw_os_error(set.cast_signed()));
        }
    }
    if is_closed(folder)? {
        Ok(())
    } else {
        Err(io::Error::other(
            "another user owns it, or its file system keeps no permissions",
        ))
    }
}

/// Whether only this user, the system and the administrators have access, and none but these owns it: an
/// owner may change the access rights.
fn is_closed(folder: &Path) -> io::Result<bool> {
    let user = this_user()?;
    let rights = rights_of(folder)?;
    let mut all = those_with_access(&rights).chain([owner(&rights)]);
    Ok(all.all(|who| who == user || CLOSED_TO.contains(&who)))
}

/// Who is named by a list of access rights, in the form of the system: `D:(A;OICI;FA;;;SY)…`.
fn those_with_access(rights: &str) -> impl Iterator<Item = &str> {
    let entries = rights.split('(').skip(1);
    entries.filter_map(|entry| entry.trim_end_matches(')').rsplit(';').next())
}

/// The owner, before the list: `O:BAD:(…`. Empty where there is none.
fn owner(rights: &str) -> &str {
    let owner = rights
        .strip_prefix("O:")
        .and_then(|rights| rights.split_once("D:"));
    owner.map_or("", |(owner, _)| owner)
}

/// The owner and the access rights of a folder, in the form of the system.
fn rights_of(folder: &Path) -> io::Result<String> {
    let path = wide_path(folder);
    let (mut described, mut text) = (Local(null_mut()), Local(null_mut()));
    // SAFETY: the path ends with a null, and what is written to is ours.
    unsafe {
        let read = GetNamedSecurityInfoW(
            path.as_ptr(),
            SE_FILE_OBJECT,
            OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            &raw mut described.0,
        );
        if read != ERROR_SUCCESS {
            return Err(io::Error::from_raw_os_error(read.cast_signed()));
        }
        succeeded(ConvertSecurityDescriptorToStringSecurityDescriptorW(
            described.0,
            SDDL_REVISION_1,
            OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
            (&raw mut text.0).cast(),
            null_mut(),
        ))?;
        Ok(text.to_text())
    }
}

/// The user that this process runs as, in the form of the system.
fn this_user() -> io::Result<String> {
    let mut token = null_mut();
    // A token's user takes no more; in words, since it begins with a pointer.
    let mut about = [0_u64; 32];
    #[allow(clippy::cast_possible_truncation, reason = "it is 256")]
    let room = size_of_val(&about) as u32;
    let (mut length, mut text) = (0, Local(null_mut()));
    // SAFETY: what is written to is ours and as long as said, the token is open while it is used, and
    // the text ends with a null.
    unsafe {
        succeeded(OpenProcessToken(
            GetCurrentProcess(),
            TOKEN_QUERY,
            &raw mut token,
        ))?;
        let token = OwnedHandle::from_raw_handle(token);
        succeeded(GetTokenInformation(
            token.as_raw_handle(),
            TokenUser,
            about.as_mut_ptr().cast(),
            room,
            &raw mut length,
        ))?;
        let user = about.as_ptr().cast::<TOKEN_USER>();
        succeeded(ConvertSidToStringSidW(
            (*user).User.Sid,
            (&raw mut text.0).cast(),
        ))?;
        Ok(text.to_text())
    }
}

/// What the system has allocated for us.
struct Local(*mut core::ffi::c_void);

impl Local {
    /// # Safety
    /// It must be a text that ends with a null.
    unsafe fn to_text(&self) -> String {
        let letters = self.0.cast::<u16>();
        // SAFETY: the caller says so.
        let letters = unsafe {
            let length = (0..).take_while(|&at| *letters.add(at) != 0).count();
            std::slice::from_raw_parts(letters, length)
        };
        String::from_utf16_lossy(letters)
    }
}

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

fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

fn wide_path(path: &Path) -> Vec<u16> {
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
        let rights = rights_of(folder.path()).expect("rights");
        let user = this_user().expect("a user");
        assert!(
            those_with_access(&rights).any(|who| who == user),
            "{rights}"
        );
        // Administrators' files may belong to all of them.
        let owner = owner(&rights);
        assert!(owner == user || owner == "BA", "{rights}");
        std::fs::write(folder.path().join("a.txt"), "text").expect("a file");
    }

    #[test]
    fn those_who_have_access_are_found() {
        let rights = "D:PAI(A;OICI;FA;;;S-1-5-21-1-2-3-1001)(A;OICI;FA;;;SY)(A;;0x1200a9;;;BU)";
        let all: Vec<_> = those_with_access(rights).collect();
        assert_eq!(all, ["S-1-5-21-1-2-3-1001", "SY", "BU"]);
        assert!(!CLOSED_TO.contains(&"BU"), "all users of the machine");
        assert_eq!(owner(rights), "");
        let owned = |who: &str| owner(&format!("O:{who}{rights}")) == who;
        assert!(owned("S-1-5-21-1-2-3-1002") && owned("BA") && owned("DD"));
    }

    #[test]
    fn the_profile_is_closed_already() {
        let home = std::env::home_dir().expect("a profile");
        assert!(is_in_the_profile(&home.join("AppData")));
        assert!(!is_in_the_profile(Path::new(r"C:\Users")));
        assert!(this_user().expect("a user").starts_with("S-1-"));
    }
}
