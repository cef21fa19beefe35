//! Which placement identifier each write of a fio job carries, as `dataplacement.c` of fio 3.42 gives it.

use host::fio::{FioWorkload, Variables, parse_text};
use host::{Completion, HostSpace, Poll, Workload};
use units::SimTime;

const DRIVE: u64 = 1 << 20;

fn workload(text: &str, handles: u16) -> Result<FioWorkload, String> {
    let none = |name: &str| panic!("{name} is not included");
    let file = parse_text("jobs.fio", text, &Variables::new(), &none).map_err(|error| error.to_string())?;
    let space = HostSpace { handles, ..HostSpace::from(DRIVE) };
    FioWorkload::new(file, space, 1).map_err(|error| error.to_string())
}

/// Test helper: plays a fio job with `options` on a drive with `handles` placement handles, and returns the placement
/// identifiers of its first 12 writes (or other requests that carry one); `None` for a write without one.
fn identifiers(options: &str, handles: u16) -> Vec<Option<u16>> {
    let text = format!("[j]\nioengine=io_uring_cmd\nfilename=/dev/ng0n1\nbs=4k\n{options}\n");
    let mut workload = workload(&text, handles).unwrap_or_else(|error| panic!("{error}"));
    let mut all = Vec::new();
    while all.len() < 12 {
        match workload.poll(SimTime::ZERO).expect("a sound job") {
            Poll::Ready(request) => {
                if request.op == host::Op::WRITE || request.placement.is_some() {
                    all.push(request.placement);
                }
                workload.complete(&request, &Completion::success(SimTime::ZERO));
            }
            _ => break,
        }
    }
    all
}

fn of(numbers: [u16; 12]) -> Vec<Option<u16>> {
    numbers.into_iter().map(Some).collect()
}

#[test]
fn identifiers_come_in_turn_from_the_list_or_from_all_handles() {
    let job = |more: &str| format!("rw=write\n{more}");
    assert_eq!(identifiers(&job("dataplacement=fdp"), 4), of([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]));
    assert_eq!(identifiers(&job("fdp=1\nfdp_pli=3,0-1"), 4), of([0, 1, 3, 0, 1, 3, 0, 1, 3, 0, 1, 3]));
    // The identifiers of streams need not be there: the drive says what becomes of them.
    let streams = job("dataplacement=streams\nplids=1,9\nplid_select=roundrobin");
    assert_eq!(identifiers(&streams, 4), of([1, 9, 1, 9, 1, 9, 1, 9, 1, 9, 1, 9]));
    for off in ["dataplacement=none\nplids=1", "fdp=0", "plids=2", "write_hint=none"] {
        assert_eq!(identifiers(&job(off), 0), vec![None; 12], "{off}");
    }
}

#[test]
fn reads_carry_none() {
    let drawn = identifiers("rw=randrw\nfdp=1\nplid_select=random\nnorandommap", 4);
    assert!(drawn.iter().all(|named| named.is_some_and(|named| named < 4)), "{drawn:?}");
    assert!(drawn.iter().any(|named| *named != drawn[0]), "{drawn:?}");
    assert!(identifiers("rw=randread\nfdp=1\nio_size=64k", 4).is_empty());
}

#[test]
fn hints_are_the_streams_that_linux_made_of_them() {
    for (life, stream) in [("short", 1), ("medium", 2), ("long", 3), ("extreme", 4)] {
        // Without `dataplacement` there is nothing to choose from.
        for choice in
            ["", "plid_select=random", "plid_select=scheme", "plid_select=scheme\ndp_scheme=/no/such"]
        {
            let hinted = identifiers(&format!("rw=write\nwrite_hint={life}\n{choice}"), 8);
            assert_eq!(hinted, of([stream; 12]), "{life} {choice}");
        }
    }
}

#[test]
fn a_scheme_says_what_offsets_of_the_file_carry() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("scheme");
    let by_scheme = |scheme: &str, more: &str| {
        std::fs::write(&path, scheme).expect("written");
        let job = format!("dataplacement=fdp\nplid_select=scheme\ndp_scheme={}\n{more}", path.display());
        (format!("[j]\nioengine=xnvme\nfilename=/dev/ng0n1\n{job}\n"), job)
    };
    // Lines are looked at in order; the end is not part of them; what stands in none is of handle 0.
    let (_, job) = by_scheme("0, 8192, 2\n4096,16384,1\n\n20480,24576,3\n", "rw=write");
    assert_eq!(identifiers(&job, 4), of([2, 2, 1, 1, 0, 3, 0, 0, 0, 0, 0, 0]));
    for (scheme, expected) in
        [("0,4096\n", "scheme:1"), ("0,4096,x\n", "first offset"), (&"0,1,0\n".repeat(33), "32 lines")]
    {
        let (text, _) = by_scheme(scheme, "rw=write");
        let error = workload(&text, 4).expect_err("refused");
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
    let missing =
        workload("[j]\nrw=write\nioengine=xnvme\nfdp=1\nplid_select=scheme\ndp_scheme=/no/such\n", 4);
    assert!(missing.expect_err("refused").contains("/no/such"));
}

#[test]
fn what_fio_refuses_and_what_the_drive_lacks_is_said() {
    for (job, handles, expected) in [
        ("dataplacement=fdp\nioengine=io_uring_cmd", 0, "a drive with placement handles"),
        ("write_hint=short", 0, "a drive with placement handles"),
        ("dataplacement=fdp\nioengine=libaio", 4, "ioengine=io_uring_cmd or xnvme"),
        ("dataplacement=fdp", 4, "ioengine=io_uring_cmd or xnvme"),
        ("fdp=1\ndataplacement=none\nioengine=xnvme", 4, "one of them, as in fio"),
        ("fdp=1\nplids=1,4\nioengine=xnvme", 4, "plids has 4"),
        ("dataplacement=streams\nioengine=xnvme", 4, "plids="),
        ("fdp=1\nplid_select=scheme\nioengine=xnvme", 4, "dp_scheme="),
        ("fdp=1\nwrite_hint=long\nioengine=xnvme", 4, "one of them"),
        ("plids=3-1", 4, "numbers and ranges"),
        ("plids=0-128", 4, "at most 128"),
        ("plids=70000", 4, "up to 65535"),
        ("dataplacement=zns", 4, "none, fdp or streams"),
    ] {
        let error = workload(&format!("[j]\nrw=write\n{job}\n"), handles).expect_err(job);
        assert!(error.contains(expected) && !error.contains('\n'), "{job}: {error}");
    }
    // A job that writes nothing carries nothing.
    workload("[j]\nrw=read\ndataplacement=fdp\n", 0).expect("it only reads");
}
