//! Programs in C, compiled against the header and run with the library that was just built.

use floatgate::{FloatgateCode, FloatgateDrive, floatgate_error, floatgate_setup};
use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Returns the folder of this test program, which also holds the C interface's library that was built with it; `None`
/// if the library is not there.
fn built() -> Option<PathBuf> {
    let folder = std::env::current_exe().ok()?.parent()?.to_owned();
    folder.join("libfloatgate.so").is_file().then_some(folder)
}

/// Compiles the test program `source` (a path below the repository's root) with `compiler` and runs it; returns the
/// text that it prints, or the reason why it could not be compiled, such as no such compiler.
fn program(compiler: &str, source: &str, words: &[&Path]) -> Result<String, String> {
    let Some(library) = built() else { return Err("no libfloatgate.so beside this test".to_owned()) };
    if Command::new(compiler).arg("--version").output().is_err() {
        return Err(format!("no {compiler}"));
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (root, to) = (Path::new(ROOT), folder.path().join("program"));
    let standard = if compiler == "cc" { "-std=c11" } else { "-std=c++17" };
    let mut compile = Command::new(compiler);
    compile.args([standard, "-Wall", "-Wextra", "-Werror", "-O1"]).arg(root.join(source)).arg("-o").arg(&to);
    compile
        .arg("-I")
        .arg(root.join("crates/capi/include"))
        .arg("-I")
        .arg(root.join("crates/capi/tests/gem5"));
    compile.arg("-L").arg(&library).args(["-lfloatgate", "-Wl,-rpath"]).arg(&library);
    let done = compile.output().map_err(|error| error.to_string())?;
    assert!(done.status.success(), "{source}: {}", String::from_utf8_lossy(&done.stderr));
    let ran = Command::new(to).args(words).env("FLOATGATE_SHARE", ROOT).output();
    let ran = ran.map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{source}: {said}{}", String::from_utf8_lossy(&ran.stderr));
    Ok(said)
}

fn checked(found: Result<String, String>, check: impl FnOnce(&str)) {
    match found {
        Ok(said) => check(&said),
        Err(reason) => eprintln!("skipped: {reason}"),
    }
}

#[test]
fn the_example_steps_two_drives_as_its_sister_in_python_does() {
    let expected = include_str!("../mirror.txt");
    checked(program("cc", "examples/embed/mirror.c", &[]), |said| assert_eq!(said, expected));
}

#[test]
fn what_is_wrong_is_a_code_and_a_text() {
    let folder = tempfile::tempdir().unwrap();
    let said = program("cc", "crates/capi/tests/misuse.c", &[&folder.path().join("some.state")]);
    checked(said, |said| assert!(said.ends_with(": 0 wrong\n"), "{said}"));
}

#[test]
fn the_drive_of_gem5_goes_on_from_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let said = program("c++", "crates/capi/tests/gem5/main.cc", &[&folder.path().join("ssd")]);
    checked(said, |said| {
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines[0].starts_with("before: 50 answered, mean "), "{said}");
        // The drive that goes on from the checkpoint is where the restored one is.
        let of = |line: &str| line.split_once(':').map(|(_, rest)| rest.to_owned());
        assert_eq!(of(lines[1]), of(lines[2]), "{said}");
    });
}

#[test]
fn a_broken_invariant_is_a_code_and_does_not_unwind() {
    let name = CString::new("small-tlc").unwrap();
    let share = CString::new(ROOT).unwrap();
    let mut setup = floatgate_setup(name.as_ptr());
    setup.share = share.as_ptr();
    let mut drive: *mut FloatgateDrive = std::ptr::null_mut();
    #[allow(unsafe_code)]
    // SAFETY: the pointers are those of C strings, and of a drive that is open.
    unsafe {
        assert_eq!(floatgate::floatgate_open(&setup, &mut drive), FloatgateCode::Ok);
        assert_eq!(floatgate::break_for_test(drive), FloatgateCode::Broken);
        let told = CStr::from_ptr(floatgate_error()).to_str().unwrap();
        assert_eq!(told, "broken on purpose");
        assert_eq!(floatgate::floatgate_run_until(drive, 5), FloatgateCode::Broken);
        let told = CStr::from_ptr(floatgate_error()).to_str().unwrap();
        assert!(told.starts_with("the drive broke an invariant before"), "{told}");
        assert_eq!(floatgate::floatgate_now(drive), 0);
        floatgate::floatgate_close(drive);
    }
}

#[test]
fn numbers_stand_for_the_operations_that_their_names_say() {
    use host::Op;
    let pairs = [
        (floatgate::FLOATGATE_READ, Op::READ),
        (floatgate::FLOATGATE_WRITE, Op::WRITE),
        (floatgate::FLOATGATE_TRIM, Op::TRIM),
        (floatgate::FLOATGATE_FLUSH, Op::FLUSH),
        (floatgate::FLOATGATE_APPEND, Op::APPEND),
        (floatgate::FLOATGATE_ZONE_OPEN, Op::ZONE_OPEN),
        (floatgate::FLOATGATE_ZONE_CLOSE, Op::ZONE_CLOSE),
        (floatgate::FLOATGATE_ZONE_FINISH, Op::ZONE_FINISH),
        (floatgate::FLOATGATE_ZONE_RESET, Op::ZONE_RESET),
        (floatgate::FLOATGATE_HANDLE_UPDATE, Op::HANDLE_UPDATE),
    ];
    for (number, op) in pairs {
        assert_eq!(number, op.code(), "{op:?}");
    }
}

#[test]
fn the_header_is_what_cbindgen_makes() {
    let config = Path::new(ROOT).join("crates/capi");
    let made =
        Command::new("cbindgen").arg("--config").arg(config.join("cbindgen.toml")).arg(&config).output();
    match made {
        Err(_) => eprintln!("skipped: no cbindgen"),
        Ok(made) => {
            let header = std::fs::read_to_string(config.join("include/floatgate.h")).unwrap();
            assert_eq!(String::from_utf8_lossy(&made.stdout), header, "expected make capi-header");
        }
    }
}
