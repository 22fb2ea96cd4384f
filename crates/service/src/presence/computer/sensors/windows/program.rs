//! A process's program: its file, its readable name and its icon.

#![allow(unsafe_code, reason = "Windows has no safe interface for these")]

use std::ffi::OsString;
use std::os::windows::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::{mem, ptr};

use windows::Win32::Foundation::HWND;
use windows::Win32::Graphics::Gdi::{
    BITMAP, BITMAPINFO, BITMAPINFOHEADER, CreateCompatibleDC, DIB_RGB_COLORS, DeleteDC, GetDIBits,
    GetObjectW, HBITMAP,
};
use windows::Win32::Storage::FileSystem::{
    GetFileVersionInfoSizeW, GetFileVersionInfoW, VerQueryValueW,
};
use windows::Win32::System::Threading::{
    OpenProcess, PROCESS_NAME_WIN32, PROCESS_QUERY_LIMITED_INFORMATION, QueryFullProcessImageNameW,
};
use windows::Win32::UI::Shell::ExtractIconExW;
use windows::Win32::UI::WindowsAndMessaging::{
    GCLP_HICON, GetClassLongPtrW, GetIconInfo, HICON, ICONINFO,
};
use windows::core::{HSTRING, Owned, PWSTR};

use super::readings;
use crate::presence::computer::foreground::Icon;

/// The longest path of Windows, in UTF-16 units.
const LONGEST_PATH: u32 = 32_768;

/// The largest side of an icon that is read, in pixels.
const LARGEST_SIDE: i32 = 256;

/// The file that a process was started from, also of an elevated one.
pub(super) fn file_of(process: u32) -> Option<PathBuf> {
    let mut path = vec![0; LONGEST_PATH as usize];
    let mut length = LONGEST_PATH;
    // SAFETY: the handle is closed by its owner; `length` is that of `path`.
    unsafe {
        let process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, false, process).ok()?;
        let process = Owned::new(process);
        let text = PWSTR(path.as_mut_ptr());
        QueryFullProcessImageNameW(*process, PROCESS_NAME_WIN32, text, &mut length).ok()?;
    }
    let path = path.get(..length as usize)?;
    Some(PathBuf::from(OsString::from_wide(path)))
}

/// What the program calls itself in its version resource.
pub(super) fn name_in(file: &Path) -> Option<String> {
    let file = HSTRING::from(file);
    // SAFETY: `resource` has the size that is handed over.
    let resource = unsafe {
        let size = GetFileVersionInfoSizeW(&file, None);
        let mut resource = vec![0_u8; size as usize];
        GetFileVersionInfoW(&file, None, size, resource.as_mut_ptr().cast()).ok()?;
        resource
    };
    let translations = value(&resource, "\\VarFileInfo\\Translation").unwrap_or_default();
    ["FileDescription", "ProductName"]
        .into_iter()
        .flat_map(|key| readings::version_texts(translations, key))
        .filter_map(|place| {
            let (units, _) = value(&resource, &place)?.as_chunks::<2>();
            let units: Vec<u16> = units.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
            Some(readings::text_of(&units))
        })
        .find(|name| !name.trim().is_empty())
}

/// A value of a version resource: the bytes from its start; of a text up to the end of the resource.
fn value<'a>(resource: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut start = ptr::null_mut();
    let mut length = 0;
    let name = HSTRING::from(name);
    // SAFETY: the resource is read, and nothing is kept of it: `start` serves as a number.
    let found = unsafe { VerQueryValueW(resource.as_ptr().cast(), &name, &mut start, &mut length) };
    if !found.as_bool() || length == 0 {
        return None;
    }
    let offset = (start as usize).checked_sub(resource.as_ptr() as usize)?;
    let rest = resource.get(offset..)?;
    match name.to_string_lossy().starts_with("\\Var") {
        true => rest.get(..length as usize),
        false => Some(rest),
    }
}

/// The icon of the file, or else of the window's class. No window is asked: it may not answer.
pub(super) fn icon_of(file: &Path, window: HWND) -> Option<Icon> {
    let mut large = HICON::default();
    // SAFETY: there is room for one icon, which is destroyed by its owner.
    let of_file = unsafe {
        ExtractIconExW(&HSTRING::from(file), 0, Some(&mut large), None, 1);
        Owned::new(large)
    };
    // SAFETY: the class's icon stays its own.
    let of_class = || HICON(unsafe { GetClassLongPtrW(window, GCLP_HICON) } as *mut _);
    pixels(*of_file).or_else(|| pixels(of_class()))
}

fn pixels(icon: HICON) -> Option<Icon> {
    if icon.is_invalid() {
        return None;
    }
    let mut parts = ICONINFO::default();
    let mut size = BITMAP::default();
    // SAFETY: both bitmaps are ours now, and are deleted by their owners; `size` has the size that is
    // handed over.
    let (colour, mask) = unsafe {
        GetIconInfo(icon, &mut parts).ok()?;
        let bitmaps = (Owned::new(parts.hbmColor), Owned::new(parts.hbmMask));
        let length = i32::try_from(mem::size_of::<BITMAP>()).ok()?;
        GetObjectW((*bitmaps.0).into(), length, Some((&raw mut size).cast()));
        bitmaps
    };
    let sides = 1..=LARGEST_SIDE;
    if !sides.contains(&size.bmWidth) || !sides.contains(&size.bmHeight) {
        return None;
    }
    let colour = bgra(*colour, size.bmWidth, size.bmHeight)?;
    let mask = bgra(*mask, size.bmWidth, size.bmHeight).unwrap_or_default();
    Some(Icon {
        rgba: readings::rgba_of(&colour, &mask),
    })
}

/// A bitmap's pixels, from the top, in 32 bits each.
fn bgra(bitmap: HBITMAP, width: i32, height: i32) -> Option<Vec<u8>> {
    let (columns, rows) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    let mut pixels = vec![0; columns as usize * rows as usize * 4];
    let mut form = BITMAPINFO {
        bmiHeader: BITMAPINFOHEADER {
            biSize: u32::try_from(mem::size_of::<BITMAPINFOHEADER>()).ok()?,
            biWidth: width,
            // Negative: from the top.
            biHeight: -height,
            biPlanes: 1,
            biBitCount: 32,
            ..BITMAPINFOHEADER::default()
        },
        ..BITMAPINFO::default()
    };
    // SAFETY: `pixels` has room for all rows of this form, which has no colour table.
    let copied = unsafe {
        let context = CreateCompatibleDC(None);
        let into = Some(pixels.as_mut_ptr().cast());
        let copied = GetDIBits(context, bitmap, 0, rows, into, &mut form, DIB_RGB_COLORS);
        let _ = DeleteDC(context);
        copied
    };
    (copied == height).then_some(pixels)
}
