//! A drive that is served in a thread, and a client of it.

use live::{ServeOptions, Server};
use serde_json::Value;
use sim::{Drive, Error, RunOptions};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

pub const SETTINGS: [&str; 15] = [
    "geometry.channels=1",
    "geometry.ways=2",
    "nand.cell=slc",
    "nand.planes=1",
    "nand.blocks_per_plane=32",
    "nand.pages_per_block=16",
    "nand.page_size=4KiB",
    "nand.t_r=25us",
    "nand.t_prog=200us",
    "nand.t_bers=1500us",
    "bus.interface.rate=200MT/s",
    "ftl.op_ratio=0.4",
    "ftl.buffer.size=64KiB",
    "ftl.buffer.power_loss_protection=false",
    "power.cut.drawn=0",
];

/// Makes the small drive of the live server's tests from `SETTINGS`, which `others` (`key=value`) replace or extend.
pub fn drive(others: &[&str]) -> Drive {
    let key = |setting: &str| setting.split('=').next().map(str::to_owned);
    let taken = |setting: &&&str| others.iter().all(|other| key(other) != key(setting));
    let settings = SETTINGS.iter().filter(taken).chain(others).map(|&setting| setting.to_owned());
    Drive::from_resolved("test", &settings.collect::<Vec<_>>()).expect("a drive")
}

/// Returns the options of a test's live server: image and Unix socket lie in `folder`; `pace` is `max` or a number of
/// simulated seconds per second of real time.
pub fn options(folder: &Path, pace: &str) -> ServeOptions {
    ServeOptions {
        image: folder.join("image"),
        socket: Some(folder.join("socket")),
        port: None,
        address: String::new(),
        pace: pace.into(),
        record: None,
    }
}

/// State of a live server that a test runs in a thread: flag that asks the server to stop, thread, and path of the
/// socket.
pub struct Served {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Value, Error>>,
    socket: std::path::PathBuf,
}

impl Served {
    /// Starts the test's live server of a small drive, whose image lies in `folder`, in a thread; the invariant checker
    /// is on.
    pub fn new(folder: &Path, pace: &str) -> Self {
        Self::with(folder, pace, &[])
    }

    /// Starts the test's live server as [`Self::new`] does, of a small drive with the settings `others` (`key=value`).
    pub fn with(folder: &Path, pace: &str, others: &[&str]) -> Self {
        let run = RunOptions { check: true, ..RunOptions::default() };
        let mut server = Server::new(drive(others), run, &options(folder, pace)).expect("a server");
        let stop = Arc::new(AtomicBool::new(false));
        let asked = stop.clone();
        let thread = std::thread::spawn(move || {
            while !asked.load(Ordering::Relaxed) {
                server.serve(Duration::from_millis(5))?;
            }
            server.end()?;
            let result = server.result()?;
            server.close()?;
            Ok(result)
        });
        Self { stop, thread, socket: folder.join("socket") }
    }

    /// Connects a test's NBD client to the server, with a finished negotiation for the drive's only export.
    pub fn client(&self) -> Client {
        Client::new(&self.socket, "")
    }

    /// Connects a test's NBD client to the server, with a finished negotiation for the export `export`.
    pub fn client_of(&self, export: &str) -> Client {
        Client::new(&self.socket, export)
    }

    /// Connects to the test's server up to the NBD greeting, so that the test can send options itself.
    pub fn option_phase(&self) -> OptionPhase {
        OptionPhase::begin(&self.socket)
    }

    /// Returns a socket that is connected to the test's server, on which no byte was read or sent yet.
    pub fn socket(&self) -> UnixStream {
        UnixStream::connect(&self.socket).expect("a listener")
    }

    /// Stops the test's server as a signal would, waits until its thread has ended, and returns the simulation's
    /// result.
    pub fn end(self) -> Result<Value, Error> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("no panic")
    }
}

/// State of a test's connection after the NBD greeting (fixed newstyle): options can be sent, no export is chosen.
pub struct OptionPhase {
    stream: UnixStream,
}

impl OptionPhase {
    fn begin(socket: &Path) -> Self {
        let mut stream = UnixStream::connect(socket).expect("a listener");
        // A hang is a failure.
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut hello = [0; 18];
        stream.read_exact(&mut hello).unwrap();
        assert_eq!(&hello[..16], b"NBDMAGICIHAVEOPT");
        stream.write_all(&3u32.to_be_bytes()).unwrap();
        Self { stream }
    }

    /// Sends an NBD option; returns the type and data of each reply, up to the acknowledgement or the error.
    pub fn ask(&mut self, number: u32, data: &[u8]) -> Vec<(u32, Vec<u8>)> {
        self.stream.write_all(&option(number, data)).unwrap();
        let mut answers = Vec::new();
        loop {
            let mut head = [0; 20];
            self.stream.read_exact(&mut head).unwrap();
            let kind = u32::from_be_bytes(head[12..16].try_into().unwrap());
            let mut data = vec![0; u32::from_be_bytes(head[16..20].try_into().unwrap()) as usize];
            self.stream.read_exact(&mut data).unwrap();
            answers.push((kind, data));
            if kind == 1 || kind >> 31 == 1 {
                return answers;
            }
        }
    }
}

/// State of a test's NBD client, which sends one request and then waits for its reply: socket, size and flags of the
/// export.
pub struct Client {
    pub stream: UnixStream,
    pub bytes: u64,
    pub flags: u16,
    cookie: u64,
}

pub const READ: u16 = 0;
pub const WRITE: u16 = 1;
pub const DISCONNECT: u16 = 2;
pub const FLUSH: u16 = 3;
pub const TRIM: u16 = 4;
pub const ZEROES: u16 = 6;
pub const STATUS: u16 = 7;
pub const FUA: u16 = 1;
pub const NO_HOLE: u16 = 2;
pub const FAST: u16 = 16;

impl Client {
    pub fn new(socket: &Path, export: &str) -> Self {
        let OptionPhase { mut stream } = OptionPhase::begin(socket);
        stream.write_all(&option(1, export.as_bytes())).unwrap();
        let mut export = [0; 10];
        stream.read_exact(&mut export).unwrap();
        let bytes = u64::from_be_bytes(export[..8].try_into().unwrap());
        Self { stream, bytes, flags: u16::from_be_bytes([export[8], export[9]]), cookie: 0 }
    }

    /// Sends an NBD request to the test's server, without waiting for the reply.
    pub fn send(&mut self, flags: u16, command: u16, offset: u64, length: u32, data: &[u8]) {
        self.cookie += 1;
        let mut bytes = 0x2560_9513u32.to_be_bytes().to_vec();
        bytes.extend(flags.to_be_bytes());
        bytes.extend(command.to_be_bytes());
        bytes.extend(self.cookie.to_be_bytes());
        bytes.extend(offset.to_be_bytes());
        bytes.extend(length.to_be_bytes());
        bytes.extend(data);
        self.stream.write_all(&bytes).unwrap();
    }

    /// Receives the next simple NBD reply; returns its error number (0: success) and, on success, its `length` bytes of
    /// data.
    pub fn answer(&mut self, length: usize) -> (u32, Vec<u8>) {
        let mut head = [0; 16];
        self.stream.read_exact(&mut head).unwrap();
        assert_eq!(head[..4], 0x6744_6698u32.to_be_bytes());
        let error = u32::from_be_bytes(head[4..8].try_into().unwrap());
        let mut data = vec![0; if error == 0 { length } else { 0 }];
        self.stream.read_exact(&mut data).unwrap();
        (error, data)
    }

    pub fn read(&mut self, offset: u64, length: u32) -> (u32, Vec<u8>) {
        self.send(0, READ, offset, length, &[]);
        self.answer(length as usize)
    }

    pub fn write(&mut self, flags: u16, offset: u64, data: &[u8]) -> u32 {
        self.send(flags, WRITE, offset, data.len() as u32, data);
        self.answer(0).0
    }

    /// Sends an NBD request that neither carries nor returns data, and returns the error number of the reply (0:
    /// success).
    pub fn ask(&mut self, flags: u16, command: u16, offset: u64, length: u32) -> u32 {
        self.send(flags, command, offset, length, &[]);
        self.answer(0).0
    }
}

/// Returns the bytes of an NBD option with this number and these data, as a client sends them.
pub fn option(number: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"IHAVEOPT".to_vec();
    bytes.extend(number.to_be_bytes());
    bytes.extend((data.len() as u32).to_be_bytes());
    bytes.extend(data);
    bytes
}

/// Returns `length` bytes of test data that depend on the byte offset `offset` and on the number `write` of the write.
pub fn pattern(write: u64, offset: u64, length: usize) -> Vec<u8> {
    let word = |at: u64| write.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (offset / 8 + at);
    (0..length as u64 / 8).flat_map(|at| word(at).to_le_bytes()).collect()
}
