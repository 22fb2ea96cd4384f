//! What programs and sockets need on Windows.

#![allow(
    unsafe_code,
    reason = "no library among ours sets this option of a socket"
)]

use std::io;
use std::os::windows::io::{AsRawSocket as _, AsSocket};
use std::os::windows::process::CommandExt as _;
use std::process::Command;

use windows_sys::Win32::Networking::WinSock::{
    SO_EXCLUSIVEADDRUSE, SOCKET_ERROR, SOL_SOCKET, setsockopt,
};
use windows_sys::Win32::System::Threading::CREATE_NO_WINDOW;

/// Has the program run without a window of its own console, which would appear on the screen. Its
/// other creation flags are replaced.
pub fn without_console(command: &mut Command) -> &mut Command {
    command.creation_flags(CREATE_NO_WINDOW)
}

/// Reserves the address that a socket is bound to next: on Windows another program could otherwise
/// bind to the same address, and receive what was meant for this one.
///
/// # Errors
/// The error of the system.
pub fn bind_alone(socket: &impl AsSocket) -> io::Result<()> {
    let (yes, length) = (1_i32.to_ne_bytes(), size_of::<i32>() as i32);
    let socket = socket.as_socket();
    // SAFETY: the socket is open for as long as it is borrowed, and the value has this length.
    let done = unsafe {
        setsockopt(
            socket.as_raw_socket() as usize,
            SOL_SOCKET,
            SO_EXCLUSIVEADDRUSE,
            yes.as_ptr(),
            length,
        )
    };
    if done == SOCKET_ERROR {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
