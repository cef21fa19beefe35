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

/// A small drive, with other values where they are given.
pub fn drive(others: &[&str]) -> Drive {
    let key = |setting: &str| setting.split('=').next().map(str::to_owned);
    let taken = |setting: &&&str| others.iter().all(|other| key(other) != key(setting));
    let settings = SETTINGS.iter().filter(taken).chain(others).map(|&setting| setting.to_owned());
    Drive::from_resolved("test", &settings.collect::<Vec<_>>()).expect("a drive")
}

/// How `folder` is served.
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

/// A server in a thread.
pub struct Served {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Value, Error>>,
    socket: std::path::PathBuf,
}

impl Served {
    /// Serves a small drive from `folder`, with an account that stops it where data go wrong.
    pub fn new(folder: &Path, pace: &str) -> Self {
        Self::with(folder, pace, &[])
    }

    /// The same of a drive with other values where they are given.
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

    /// A client that has negotiated.
    pub fn client(&self) -> Client {
        Client::new(&self.socket, "")
    }

    /// A client that works with the export of this name.
    pub fn client_of(&self, export: &str) -> Client {
        Client::new(&self.socket, export)
    }

    /// A connection in its option phase.
    pub fn option_phase(&self) -> OptionPhase {
        OptionPhase::begin(&self.socket)
    }

    /// The socket before anything is said.
    pub fn socket(&self) -> UnixStream {
        UnixStream::connect(&self.socket).expect("a listener")
    }

    /// Ends it as a signal would; gives its result.
    pub fn end(self) -> Result<Value, Error> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("no panic")
    }
}

/// A connection whose sides have greeted each other, with fixed newstyle negotiation and without zeroes.
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

    /// Sends an option; gives type and data of its replies, up to the acknowledgement or the error.
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

/// A client that asks for one thing at a time.
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

    /// Sends a request without waiting for its answer.
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

    /// The error and the data of the next answer.
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

    /// A request without data either way.
    pub fn ask(&mut self, flags: u16, command: u16, offset: u64, length: u32) -> u32 {
        self.send(flags, command, offset, length, &[]);
        self.answer(0).0
    }
}

/// An option as a client sends it.
pub fn option(number: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"IHAVEOPT".to_vec();
    bytes.extend(number.to_be_bytes());
    bytes.extend((data.len() as u32).to_be_bytes());
    bytes.extend(data);
    bytes
}

/// Bytes that tell where they were written, and by which write.
pub fn pattern(write: u64, offset: u64, length: usize) -> Vec<u8> {
    let word = |at: u64| write.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (offset / 8 + at);
    (0..length as u64 / 8).flat_map(|at| word(at).to_le_bytes()).collect()
}
