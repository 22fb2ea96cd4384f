//! Removes from a process what a decoder does not need: files, the network, other programs and most
//! system calls. A compromised decoder can still write to its pipe and use up its limits.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    RulesetStatus, Scope, path_beneath_rules,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// Confines this process for the rest of its life. Landlock confines the calling thread alone, the
/// filter of system calls each thread. Files below `readable` can still be read, if Landlock keeps it to
/// these.
///
/// # Errors
/// Which of the two mechanisms is unavailable, and why; the other is still in force.
pub(super) fn confine(readable: &[PathBuf]) -> Result<(), String> {
    let files = take_away_files(readable);
    let reads = files.is_ok() && !readable.is_empty();
    let missing = [files, take_away_system_calls(reads)].into_iter();
    let missing: Vec<String> = missing.filter_map(Result::err).collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(missing.join("; "))
    }
}

/// Denies opening files, using ports and signalling other processes, as far as this kernel's
/// Landlock supports it. Open files stay open.
fn take_away_files(readable: &[PathBuf]) -> Result<(), String> {
    let no_landlock = |why: &dyn Display| format!("Landlock: {why}");
    // The crate skips rights that this kernel does not support.
    let abi = ABI::V6;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(abi)))
        .and_then(|rules| rules.scope(Scope::from_all(abi)))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.add_rules(path_beneath_rules(readable, AccessFs::from_read(abi))))
        .and_then(landlock::RulesetCreated::restrict_self)
        .map_err(|error| no_landlock(&error))?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(no_landlock(&"this kernel has none"));
    }
    Ok(())
}

/// Allows only reading and writing open files, memory management, and exiting. All other calls fail
/// with a permission error.
fn take_away_system_calls(reads: bool) -> Result<(), String> {
    apply(reads).map_err(|error| format!("seccomp: {error}"))
}

const ALLOWED: &[i64] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_close,
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // A library of the window starts a thread when it is loaded; where it cannot register itself, the C
    // library ends the process.
    libc::SYS_rseq,
    libc::SYS_set_robust_list,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Allowed as long as the memory cannot be executed; the protection is the third word of both.
const WITHOUT_EXECUTION: [i64; 2] = [libc::SYS_mmap, libc::SYS_mprotect];

/// What opening a file for reading takes.
const READING: &[i64] = &[libc::SYS_openat, libc::SYS_statx, libc::SYS_newfstatat];

fn apply(reads: bool) -> Result<(), Box<dyn std::error::Error>> {
    let executable = SeccompCmpOp::MaskedEq(libc::PROT_EXEC as u64);
    let is_data = SeccompCondition::new(2, SeccompCmpArgLen::Dword, executable, 0)?;
    let data_only = SeccompRule::new(vec![is_data])?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        ALLOWED.iter().map(|&call| (call, Vec::new())).collect();
    if reads {
        rules.extend(READING.iter().map(|&call| (call, Vec::new())));
    }
    rules.extend(WITHOUT_EXECUTION.map(|call| (call, vec![data_only.clone()])));
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Errno(libc::EPERM as u32),
        SeccompAction::Allow,
        std::env::consts::ARCH.try_into()?,
    )?;
    let program: BpfProgram = filter.try_into()?;
    seccompiler::apply_filter_all_threads(&program)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Error, Write as _};
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::unix::net::UnixStream;
    use std::process::Command;

    use super::*;

    /// Selects what a process of these tests tries.
    const PART: &str = "PORCHLIGHT_TEST_CONFINED";

    /// Runs `try_it` in a separate process, which runs this test again.
    fn in_another_process(test: &str, try_it: impl FnOnce()) {
        if std::env::var_os(PART).is_some() {
            try_it();
            return;
        }
        let ended = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "--nocapture"])
            .arg(format!("helper::confine::tests::{test}"))
            .env(PART, "")
            .output()
            .expect("it starts");
        let output = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(ended.status.success(), "{output}{ended:?}");
        assert!(output.contains("1 passed"), "{output}");
    }

    fn code<T>(result: Result<T, Error>) -> Option<i32> {
        result.err().and_then(|error| error.raw_os_error())
    }

    #[test]
    fn a_confined_process_reaches_no_file_no_network_and_no_program() {
        let test = "a_confined_process_reaches_no_file_no_network_and_no_program";
        in_another_process(test, || {
            let here = TcpListener::bind("127.0.0.1:0").expect("a port");
            let address = here.local_addr().expect("an address");
            let mut open = tempfile::tempfile().expect("a file");
            let folder = std::env::temp_dir();
            confine(&[]).expect("this system can");

            let no = Some(libc::EPERM);
            assert_eq!(code(File::open("/dev/null")), no);
            assert_eq!(code(File::create(folder.join("porchlight-never"))), no);
            assert_eq!(code(std::fs::read_dir(&folder)), no);
            assert_eq!(code(std::fs::remove_dir(&folder)), no);
            assert_eq!(code(TcpStream::connect(address)), no);
            assert_eq!(code(UdpSocket::bind("127.0.0.1:0")), no);
            assert_eq!(code(UnixStream::pair()), no);
            assert_eq!(code(Command::new("/bin/true").spawn()), no);
            assert_eq!(code(std::thread::Builder::new().spawn(|| {})), no);
            // What it has, it can use.
            open.write_all(&vec![1; 1 << 20]).expect("a write");
        });
    }

    #[test]
    fn below_a_readable_folder_and_nowhere_else_files_can_be_read() {
        let test = "below_a_readable_folder_and_nowhere_else_files_can_be_read";
        in_another_process(test, || {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join("font");
            std::fs::write(&file, "a font").expect("a file");
            confine(&[folder.path().to_owned()]).expect("this system can");
            assert_eq!(std::fs::read(&file).expect("readable"), b"a font");
            assert_eq!(code(File::create(&file)), Some(libc::EACCES));
            assert_eq!(code(File::open("/etc/passwd")), Some(libc::EACCES));
            assert_eq!(code(TcpStream::connect("127.0.0.1:9")), Some(libc::EPERM));
        });
    }

    #[test]
    fn without_seccomp_there_are_still_no_files() {
        in_another_process("without_seccomp_there_are_still_no_files", || {
            take_away_files(&[]).expect("this kernel can");
            assert_eq!(code(File::open("/dev/null")), Some(libc::EACCES));
            assert_eq!(code(Command::new("/bin/true").spawn()), Some(libc::EACCES));
        });
    }

    #[test]
    fn without_landlock_the_rest_is_in_force_and_the_reason_is_given() {
        let test = "without_landlock_the_rest_is_in_force_and_the_reason_is_given";
        in_another_process(test, || {
            // Like a kernel without this system call.
            let filter = SeccompFilter::new(
                BTreeMap::from([(libc::SYS_landlock_create_ruleset, Vec::new())]),
                SeccompAction::Allow,
                SeccompAction::Errno(libc::ENOSYS as u32),
                std::env::consts::ARCH
                    .try_into()
                    .expect("a known processor"),
            );
            let program: BpfProgram = filter.expect("a filter").try_into().expect("a program");
            seccompiler::apply_filter_all_threads(&program).expect("it is applied");
            assert_eq!(
                confine(&[]),
                Err("Landlock: this kernel has none".to_owned())
            );
            assert_eq!(code(File::open("/dev/null")), Some(libc::EPERM));
        });
    }
}
