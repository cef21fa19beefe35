//! fio's engines: how many requests a job keeps outstanding with each, and which do no block I/O.

/// Kind of fio I/O engine (`ioengine`) as the simulation treats it: synchronous, asynchronous, or not usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Case of engine: synchronous, so that a fio job clone has one request at a time in flight and `iodepth` has no
    /// effect, unless other threads submit its requests (`io_submit_mode=offload`).
    Sync,
    /// Case of engine: asynchronous, so that a fio job clone has up to `iodepth` requests in flight.
    Async,
    /// Case of engine: not usable here, since it does no block I/O to a local drive; the text says what the fio engine
    /// does.
    Other(&'static str),
}

/// Constant: name of the I/O engine of a fio job that names none: `psync`, as in fio on Linux, BSD and macOS.
pub const DEFAULT: &str = "psync";

const SYNC: &[&str] = &[
    "sync",
    "psync",
    "vsync",
    "pvsync",
    "pvsync2",
    "mmap",
    "splice",
    "sg",
    "libzbc",
    "libcufile",
    "libhipfile",
];

const ASYNC: &[&str] = &[
    "libaio",
    "io_uring",
    "io_uring_cmd",
    "posixaio",
    "windowsaio",
    "solarisaio",
    "libblkio",
    "xnvme",
    "spdk",
    "spdk_bdev",
    "null",
    "cpp_null",
];

/// Constant list of the names of the engines that discard requests in fio; in the simulation, their requests go to the
/// drive like any other.
pub const NULL: &[&str] = &["null", "cpp_null"];

const NETWORK: &str = "sends over a network and touches no drive";
const REMOTE: &str = "talks to storage on another machine";
const FILES: &str = "creates, looks up or deletes files and transfers no data";
const NO_IO: &str = "does no I/O at all";
const MEMORY: &str = "copies to memory that is mapped, which no block request reaches";

const OTHERS: &[(&str, &str)] = &[
    ("cpuio", NO_IO),
    ("exec", "runs another program and does no I/O itself"),
    ("net", NETWORK),
    ("netsplice", NETWORK),
    ("rdma", NETWORK),
    ("rbd", REMOTE),
    ("rados", REMOTE),
    ("gfapi", REMOTE),
    ("gfapi_async", REMOTE),
    ("http", REMOTE),
    ("nfs", REMOTE),
    ("nbd", REMOTE),
    ("libiscsi", REMOTE),
    ("libhdfs", REMOTE),
    ("dfs", REMOTE),
    ("ime_psync", REMOTE),
    ("ime_psyncv", REMOTE),
    ("ime_aio", REMOTE),
    ("libpmem", MEMORY),
    ("pmemblk", MEMORY),
    ("dev-dax", MEMORY),
    ("page_fault", MEMORY),
    ("mtd", "drives raw flash without a controller; floatgate characterize tests chips"),
    ("falloc", "allocates and frees space of a file system and transfers no data"),
    ("ftruncate", "changes the length of files and transfers no data"),
    ("e4defrag", "moves extents within ext4 and transfers no data of its own"),
    ("filecreate", FILES),
    ("filestat", FILES),
    ("filedelete", FILES),
    ("dircreate", FILES),
    ("dirstat", FILES),
    ("dirdelete", FILES),
    ("binject", "injects requests through a module that Linux no longer has"),
    ("guasi", "is an interface that Linux no longer has"),
    ("external", "names a module of its own, whose requests are not known here"),
];

/// Returns the kind of the fio engine that the value `name` of `ioengine` means; `None` when fio has no such engine. A
/// path, and `external` with a path behind a colon, count as the engine `external`, except the modules of SPDK, which
/// count as asynchronous.
pub fn find(name: &str) -> Option<Engine> {
    if SYNC.contains(&name) {
        return Some(Engine::Sync);
    }
    if ASYNC.contains(&name) {
        return Some(Engine::Async);
    }
    let first = name.split_once(':').map_or(name, |(first, _)| first);
    let first = if name.starts_with('/') || name.starts_with("./") { "external" } else { first };
    // The module is what matters: SPDK's are loaded by their paths.
    let module = name.rsplit('/').next().unwrap_or(name);
    if first == "external" && (module.starts_with("spdk") || module == "fio_plugin") {
        return Some(Engine::Async);
    }
    OTHERS.iter().find(|(other, _)| *other == first).map(|(_, what)| Engine::Other(what))
}

/// Returns true for an engine whose `filename` gives block devices of SPDK (bdevs), which have names of their own.
pub fn names_bdevs(name: &str) -> bool {
    name.rsplit(['/', ':']).next().is_some_and(|module| module == "spdk_bdev")
}

/// Returns the name of the fio engine most similar to the misspelt `name`, if one is similar enough; engines that do
/// block I/O come first.
pub fn nearest(name: &str) -> Option<&'static str> {
    let block = SYNC.iter().chain(ASYNC).copied();
    config::nearest(name, block).or_else(|| config::nearest(name, OTHERS.iter().map(|(other, _)| *other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_told_apart() {
        assert_eq!((find("psync"), find("io_uring")), (Some(Engine::Sync), Some(Engine::Async)));
        assert_eq!(find("cpuio"), Some(Engine::Other(NO_IO)));
        assert_eq!(find("external:/opt/spdk/build/fio/spdk_nvme"), Some(Engine::Async));
        assert!(matches!(find("external:./mine.so"), Some(Engine::Other(_))));
        assert_eq!((find("libaoi"), nearest("libaoi")), (None, Some("libaio")));
        assert_eq!(find(DEFAULT), Some(Engine::Sync));
    }
}
