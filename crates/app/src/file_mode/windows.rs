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
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW,
    GetNamedSecurityInfoW, SDDL_REVISION_1, SE_FILE_OBJECT, SetNamedSecurityInfoW,
};
use windows_sys::Win32::Security::{
    ACL, DACL_SECURITY_INFORMATION, GetSecurityDescriptorControl, GetSecurityDescriptorDacl,
    GetTokenInformation, PROTECTED_DACL_SECURITY_INFORMATION, SE_DACL_PROTECTED, TOKEN_QUERY,
    TOKEN_USER, TokenUser,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

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
/// it is, and so is one whose access rights are its own.
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
        Err(io::Error::other("its file system keeps no permissions"))
    }
}

/// Whether its access rights are its own, and not those of the folder above.
fn is_closed(folder: &Path) -> io::Result<bool> {
    let path = wide_path(folder);
    let mut described = Local(null_mut());
    let (mut control, mut revision) = (0, 0);
    // SAFETY: the path ends with a null, and what is written to is ours.
    unsafe {
        let read = GetNamedSecurityInfoW(
            path.as_ptr(),
            SE_FILE_OBJECT,
            DACL_SECURITY_INFORMATION,
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            &raw mut described.0,
        );
        if read != ERROR_SUCCESS {
            return Err(io::Error::from_raw_os_error(read.cast_signed()));
        }
        succeeded(GetSecurityDescriptorControl(
            described.0,
            &raw mut control,
            &raw mut revision,
        ))?;
    }
    Ok(control & SE_DACL_PROTECTED != 0)
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
        let letters = text.0.cast::<u16>();
        let length = (0..).take_while(|&at| *letters.add(at) != 0).count();
        let letters = std::slice::from_raw_parts(letters, length);
        Ok(String::from_utf16_lossy(letters))
    }
}

/// What the system has allocated for us.
struct Local(*mut core::ffi::c_void);

impl Drop for Local {
    fn drop(&mut self) {
        // SAFETY: it is from the system, and nobody else has it; null is allowed.
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

    #[test]
    fn a_closed_folder_no_longer_has_the_rights_of_the_one_above() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!is_closed(folder.path()).expect("rights"));
        close(folder.path()).expect("closed");
        assert!(is_closed(folder.path()).expect("rights"));
        // Its owner still has access.
        std::fs::write(folder.path().join("a.txt"), "text").expect("a file");
    }

    #[test]
    fn the_profile_is_closed_already() {
        let home = std::env::home_dir().expect("a profile");
        assert!(is_in_the_profile(&home.join("AppData")));
        assert!(!is_in_the_profile(Path::new(r"C:\Users")));
        assert!(this_user().expect("a user").starts_with("S-1-"));
    }
}
