//! Answers that a client has not taken yet, in the order in which they were given.
//!
//! Short ones share memory. Long data stay in the memory that they were read into, so that they are there once.

use crate::buffers::Buffers;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice, Write};

/// Least length in bytes of read data that are sent to a client from their own memory; shorter answers are copied
/// together into pieces of about this length.
const LONG: usize = 64 << 10;
/// Greatest number of pieces (blocks of memory) of the queue of answers that one system call sends to a client.
const TOGETHER: usize = 16;

/// Type of the queue of bytes that wait to be sent to a client: the live server's answers, in the order in which they
/// were given.
#[derive(Default)]
pub struct Answers {
    pieces: VecDeque<Vec<u8>>,
    /// Number of bytes of the first piece (block of memory) of the queue that have been sent to the client.
    sent: usize,
    bytes: usize,
    /// Empty byte vector of the live server's queue of answers, stored so that the memory of a piece of answers that
    /// has been sent is reused for the next piece.
    spare: Vec<u8>,
}

impl Answers {
    /// Returns the number of bytes of answers that have not been sent to the client.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends bytes to the queue of answers to the client: a whole answer without data, or the header of an answer
    /// with data. The caller's function `write` appends these bytes to the vector that it is given; sending comes
    /// later.
    pub fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if self.pieces.back().is_none_or(|last| last.len() >= LONG) {
            self.pieces.push_back(std::mem::take(&mut self.spare));
        }
        if let Some(last) = self.pieces.back_mut() {
            let before = last.len();
            write(last);
            self.bytes += last.len() - before;
        }
    }

    /// Appends data that a client's request read to the queue of answers. Returns the vector `data` for reuse if its
    /// bytes were copied into another piece of the queue; none if the queue sends from that memory.
    pub fn add_data(&mut self, data: Vec<u8>) -> Option<Vec<u8>> {
        if data.len() < LONG {
            self.add(|out| out.extend_from_slice(&data));
            return Some(data);
        }
        self.bytes += data.len();
        self.pieces.push_back(data);
        None
    }

    /// Sends bytes of the queue of answers to `to`, the client's socket: as many as the socket accepts, at most `most`.
    /// Memory of data that have been sent is returned to the pool `buffers`.
    ///
    /// # Errors
    /// When nothing more can be sent to the client.
    pub fn send(&mut self, to: &mut impl Write, most: usize, buffers: &mut Buffers) -> io::Result<()> {
        let mut left = most;
        while self.bytes > 0 && left > 0 {
            let mut slices = [IoSlice::new(&[]); TOGETHER];
            let (mut count, mut room, mut skip) = (0, left, self.sent);
            for (slice, piece) in slices.iter_mut().zip(&self.pieces) {
                let part = &piece[skip..];
                *slice = IoSlice::new(&part[..part.len().min(room)]);
                (count, room, skip) = (count + 1, room - slice.len(), 0);
                if room == 0 {
                    break;
                }
            }
            match to.write_vectored(&slices[..count]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(sent) => {
                    left -= sent;
                    self.advance(sent, buffers);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn advance(&mut self, sent: usize, buffers: &mut Buffers) {
        self.bytes -= sent;
        self.sent += sent;
        while self.pieces.front().is_some_and(|first| self.sent >= first.len()) {
            let Some(mut piece) = self.pieces.pop_front() else { return };
            self.sent -= piece.len();
            if piece.len() < LONG && self.spare.capacity() == 0 {
                piece.clear();
                self.spare = piece;
            } else {
                buffers.put_back(piece);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test's stand-in for a socket that accepts a few bytes at a time, and none at each third try.
    struct Slow {
        taken: Vec<u8>,
        tries: usize,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_vectored(&[IoSlice::new(bytes)])
        }

        fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
            self.tries += 1;
            if self.tries.is_multiple_of(3) {
                return Err(ErrorKind::WouldBlock.into());
            }
            let bytes: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
            let count = bytes.len().min(10_007);
            self.taken.extend(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_is_added_is_sent_in_order_and_counted_until_then() {
        let (mut answers, mut buffers) = (Answers::default(), Buffers::default());
        let mut slow = Slow { taken: Vec::new(), tries: 0 };
        let mut expected = Vec::new();
        for round in 0..200usize {
            let data = vec![round as u8; if round % 7 == 0 { LONG + round } else { 1000 + round }];
            answers.add(|out| out.extend((round as u32).to_be_bytes()));
            expected.extend((round as u32).to_be_bytes());
            expected.extend(&data);
            let is_short = data.len() < LONG;
            assert_eq!(answers.add_data(data).is_some(), is_short);
            let before = slow.taken.len();
            answers.send(&mut slow, 20_000, &mut buffers).unwrap();
            assert!(slow.taken.len() - before <= 20_000, "no more than it may");
            assert_eq!(answers.bytes(), expected.len() - slow.taken.len());
        }
        while answers.bytes() > 0 {
            answers.send(&mut slow, usize::MAX, &mut buffers).unwrap();
        }
        assert!(slow.taken == expected && answers.pieces.is_empty());
    }
}
