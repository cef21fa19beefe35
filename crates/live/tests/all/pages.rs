//! What the image holds after many overwrites, trims and collections, when each page of the file was used again and again.

use crate::client::{Client, FLUSH, FUA, TRIM, drive, options, pattern};
use live::Server;
use sim::RunOptions;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

const UNIT: u64 = 4096;

/// Kind of end of a test's live server: closed as by a signal, or dropped as if killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Closed,
    Killed,
}

/// Serves the small drive of `folder` while `ask` runs, and ends the server as `ends` says. Returns the result of `ask` and
/// the number of units that the drive moved.
fn serve<R: Send>(folder: &Path, ends: Ends, ask: impl FnOnce(&mut Client) -> R + Send) -> (R, u64) {
    let run = RunOptions { check: true, ..RunOptions::default() };
    let mut server = Server::new(drive(&[]), run, &options(folder, "max")).expect("a server");
    let socket = folder.join("socket");
    let asked = std::thread::scope(|scope| {
        let asking = scope.spawn(|| ask(&mut Client::new(&socket, "")));
        while !asking.is_finished() {
            server.serve(Duration::from_millis(5)).unwrap();
        }
        asking.join().unwrap()
    });
    if ends == Ends::Closed {
        server.end().unwrap();
    }
    let moved = server.result().unwrap()["flash"]["units_programmed"]["gc"].as_u64().unwrap();
    if ends == Ends::Closed {
        server.close().unwrap();
    }
    (asked, moved)
}

/// State of what a test expects of each unit: the numbers of the writes of which one must be there (0: zeros).
struct Expected {
    may_be: Vec<Vec<u64>>,
    /// List of all writes that each unit ever had, in order.
    ever: Vec<Vec<u64>>,
    random: u64,
    write: u64,
}

impl Expected {
    fn drawn(&mut self, below: u64) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % below
    }

    /// Writes, trims and reads at random, and checks the data of each read.
    fn work(&mut self, client: &mut Client, count: u64) {
        let units = self.may_be.len() as u64;
        for _ in 0..count {
            let length = 1 + self.drawn(24);
            let first = self.drawn(units - length);
            let range = first as usize..(first + length) as usize;
            match self.drawn(8) {
                0 => {
                    assert_eq!(client.ask(0, TRIM, first * UNIT, (length * UNIT) as u32), 0);
                    self.may_be[range].fill(vec![0]);
                }
                1 => self.check(client, range),
                kind => {
                    self.write += 1;
                    let data: Vec<u8> = (first..first + length)
                        .flat_map(|unit| pattern(self.write, unit * UNIT, UNIT as usize))
                        .collect();
                    assert_eq!(client.write(if kind == 2 { FUA } else { 0 }, first * UNIT, &data), 0);
                    self.may_be[range.clone()].fill(vec![self.write]);
                    self.ever[range].iter_mut().for_each(|ever| ever.push(self.write));
                }
            }
        }
    }

    /// Writes some units without a flush: each of them may be there afterwards, or what was there before.
    fn work_in_vain(&mut self, client: &mut Client) {
        for _ in 0..20 {
            self.write += 1;
            let unit = self.drawn(self.may_be.len() as u64);
            let data = pattern(self.write, unit * UNIT, UNIT as usize);
            assert_eq!(client.write(0, unit * UNIT, &data), 0);
            self.may_be[unit as usize].push(self.write);
            self.ever[unit as usize].push(self.write);
        }
    }

    /// Allows each trimmed unit to have zeros or the data of any earlier write, as after a power cut.
    fn forget_trims(&mut self) {
        for (may_be, ever) in self.may_be.iter_mut().zip(&self.ever) {
            if may_be.contains(&0) {
                may_be.extend(ever);
            }
        }
    }

    /// Reads a range of units, each of which must have one of the contents that it may have, and has it from then on.
    fn check(&mut self, client: &mut Client, range: std::ops::Range<usize>) {
        let (offset, length) = (range.start as u64 * UNIT, range.len() as u32 * UNIT as u32);
        let (error, data) = client.read(offset, length);
        assert_eq!(error, 0, "units {range:?}");
        for (unit, data) in range.zip(data.chunks(UNIT as usize)) {
            let is = |write: u64| match write {
                0 => data.iter().all(|&byte| byte == 0),
                write => data == pattern(write, unit as u64 * UNIT, UNIT as usize),
            };
            let found = self.may_be[unit].iter().copied().find(|&write| is(write));
            let found = found.unwrap_or_else(|| panic!("unit {unit} is none of {:?}", self.may_be[unit]));
            self.may_be[unit] = vec![found];
        }
    }

    fn check_all(&mut self, client: &mut Client) {
        let units = self.may_be.len();
        (0..units).step_by(32).for_each(|first| self.check(client, first..(first + 32).min(units)));
    }
}

#[test]
fn what_is_overwritten_trimmed_and_collected_is_right_after_each_start() {
    for seed in 0..6 {
        // A file system in memory, where the machine has it, and a disk.
        let memory = Path::new("/dev/shm");
        let is_there = seed % 2 == 0 && memory.is_dir();
        let folder = if is_there { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
        let (units, _) = serve(folder.path(), Ends::Closed, |client| client.bytes / UNIT);
        let nothing = vec![vec![0]; units as usize];
        let ever = vec![Vec::new(); units as usize];
        let mut expected = Expected { may_be: nothing, ever, random: seed, write: 0 };
        let mut moved = 0;
        for round in 0..8 {
            let ends = if (round + seed) % 3 == 0 { Ends::Closed } else { Ends::Killed };
            moved += serve(folder.path(), ends, |client| {
                expected.check_all(client);
                expected.work(client, 150);
                assert_eq!(client.ask(0, FLUSH, 0, 0), 0);
                if ends == Ends::Killed {
                    expected.work_in_vain(client);
                    expected.forget_trims();
                }
            })
            .1;
        }
        assert!(moved > 0, "seed {seed}: nothing was collected");
    }
}

#[test]
fn data_that_are_written_again_take_no_more_room() {
    let folder = tempfile::tempdir().unwrap();
    let room = || std::fs::metadata(folder.path().join("image")).unwrap().blocks() * 512;
    let fill = |client: &mut Client, rounds: std::ops::Range<u64>| {
        for round in rounds {
            for first in (0..128).step_by(16) {
                assert_eq!(
                    client.write(0, first * UNIT, &pattern(round, first * UNIT, 16 * UNIT as usize)),
                    0
                );
            }
        }
    };
    serve(folder.path(), Ends::Closed, |client| fill(client, 0..2));
    let before = room();
    // Fewer than it takes until the drive erases anything.
    serve(folder.path(), Ends::Closed, |client| fill(client, 2..5));
    assert!(room() <= before + (64 << 10), "{before} bytes, then {}", room());
}
