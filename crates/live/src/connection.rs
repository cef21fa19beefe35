//! One client: what it has sent and not been told yet.

use crate::nbd::{Asked, Export, Handshake, Parsed, Replies, Step, greeting, parse};
use crate::sockets::{Interest, Stream};
use std::io::{ErrorKind, Read, Write};

/// Room for so many bytes at each read.
const CHUNK: usize = 256 << 10;
/// A client that does not take its answers is read no further with so many bytes of them, or so many requests under way.
const ANSWERS_MOST: usize = 64 << 20;
const UNDER_WAY_MOST: u32 = 4096;

/// A client.
pub struct Connection {
    stream: Stream,
    handshake: Handshake,
    ready: bool,
    /// What has come, as far as `filled`, and room behind it.
    read: Vec<u8>,
    filled: usize,
    out: Vec<u8>,
    /// How much of `out` is sent.
    sent: usize,
    /// Requests that are not answered.
    pub under_way: u32,
    /// Nothing more comes from it.
    pub is_over: bool,
}

impl Connection {
    /// Greets a client.
    pub fn new(stream: Stream, export: Export) -> Self {
        Self {
            stream,
            handshake: Handshake::new(export),
            ready: false,
            read: Vec::new(),
            filled: 0,
            out: greeting(),
            sent: 0,
            under_way: 0,
            is_over: false,
        }
    }

    /// Its socket, and what to wait for there.
    pub fn interest(&self) -> (&Stream, Interest) {
        (&self.stream, Interest { reads: self.may_read(), writes: !self.out.is_empty() })
    }

    fn may_read(&self) -> bool {
        !self.is_over && self.out.len() < ANSWERS_MOST && self.under_way < UNDER_WAY_MOST
    }

    /// How it wants its answers.
    pub fn replies(&self) -> Replies {
        Replies { structured: self.handshake.structured }
    }

    /// It asked for `base:allocation`.
    pub fn knows_allocation(&self) -> bool {
        self.handshake.allocation
    }

    /// What is to be sent to it.
    pub fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Reads what has come, and takes requests as far as they are whole. True when more may be there already.
    pub fn receive(&mut self, take: &mut impl FnMut(&mut Self, Asked<'_>)) -> bool {
        if !self.may_read() {
            return false;
        }
        let end = self.filled + CHUNK;
        if self.read.len() < end {
            self.read.resize(end, 0);
        }
        match self.stream.read(&mut self.read[self.filled..]) {
            Ok(0) => self.is_over = true,
            Ok(count) => {
                self.filled += count;
                // A stream that filled less than there was room for is empty.
                let is_full = self.filled == self.read.len();
                self.take(take);
                return is_full;
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => return true,
            Err(_) => self.is_over = true,
        }
        false
    }

    fn take(&mut self, take: &mut impl FnMut(&mut Self, Asked<'_>)) {
        let read = std::mem::take(&mut self.read);
        let (mut at, end) = (0, self.filled);
        while !self.is_over {
            if !self.ready {
                let (taken, step) = self.handshake.take(&read[at..end], &mut self.out);
                at += taken;
                match step {
                    Step::More => break,
                    Step::Ready => self.ready = true,
                    Step::Over => self.is_over = true,
                }
                continue;
            }
            match parse(&read[at..end]) {
                Parsed::More => break,
                Parsed::Nonsense => self.is_over = true,
                Parsed::Request(asked, length) => {
                    at += length;
                    take(self, asked);
                }
            }
        }
        self.read = read;
        self.read.copy_within(at..end, 0);
        self.filled = end - at;
    }

    /// Sends as much as the client takes.
    pub fn send(&mut self) {
        while self.sent < self.out.len() {
            match self.stream.write(&self.out[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => {
                    self.is_over = true;
                    break;
                }
            }
        }
        self.out.clear();
        self.sent = 0;
    }
}
