//! One client: what it has sent and not been told yet.
//!
//! A client has memory up to a bound. Each request is charged for what it brings or asks for until its answer has left; while a
//! client is charged for [`CHARGED_MOST`] bytes, no further request of it is looked at. So it has that, and one request more.

use crate::answers::Answers;
use crate::buffers::Buffers;
use crate::nbd::{
    Export, HEADER, Handshake, HandshakeStep, NbdMessage, NbdRequest, Replies, greeting, parse,
};
use crate::sockets::{ClientSocket, Interest};
use std::io::{ErrorKind, Read};
use std::sync::Arc;

/// Number of bytes of buffer space for each read from a client's socket.
const CHUNK: usize = 256 << 10;
/// Limit on the bytes of a client's unanswered requests and unsent answers: from this number of bytes on, the server
/// takes no further requests of the client.
const CHARGED_MOST: u64 = 16 << 20;
/// Constant limit on a client's unanswered requests: from this number of requests on, the server takes no further
/// requests of the client.
const IN_FLIGHT_MOST: u32 = 4096;
/// Greatest number of bytes that the server sends to one client, or receives for a long write, in one pass over its
/// clients.
pub const TURN_BYTES: usize = 1 << 20;
/// Number of reads in a row without data after which a client counts as quiet: its socket is then read only now and
/// then, or when it has data.
const QUIET: u32 = 64;

/// Kind of pass of the server over its clients: with or without reads from the sockets of quiet clients, which have
/// sent nothing for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quiet {
    /// Case of pass over the clients: the server also reads the sockets of quiet clients, which have sent nothing for
    /// long.
    Read,
    /// Case of pass over the clients: the server leaves out the sockets of quiet clients, which have sent nothing for
    /// long.
    LeftOut,
}

/// State of a long write that a client is sending: the request, memory of its own for the data, and the number of bytes
/// received so far.
struct Long {
    asked: NbdRequest<'static>,
    data: Vec<u8>,
    filled: usize,
}

/// State of the connection of the live server with one NBD client: socket, negotiation, requests being received, and
/// answers being sent.
pub struct Connection {
    stream: ClientSocket,
    handshake: Handshake,
    ready: bool,
    /// Receive buffer of the connection: bytes received from the client, up to index `filled`, and space for more.
    read: Vec<u8>,
    filled: usize,
    long: Option<Long>,
    answers: Answers,
    /// Number of requests of this connection's client that the server has taken and not answered.
    in_flight: u32,
    /// Number of bytes of the client's unanswered requests that count against the client's limit.
    charged: u64,
    /// True if `read` may contain complete requests that the server has not taken, because the client's share of the
    /// current pass was used up or a limit on the client's requests was reached.
    has_more: bool,
    /// True if the last read from the socket filled all the space of the buffer, so that the socket may have more
    /// bytes.
    is_eager: bool,
    /// Number of reads from the client's socket in a row that found no data; from 64 on, the client counts as quiet,
    /// and its socket is read only now and then.
    quiet: u32,
    /// True if the server takes no further requests of the client, because the client leaves or sent an invalid
    /// message.
    pub is_over: bool,
    /// True once a read from the client's socket or a write to it has failed, so that no more answers can be sent.
    is_gone: bool,
}

impl Connection {
    /// Makes the connection of a new client, with the NBD greeting as first message to be sent.
    pub fn new(stream: ClientSocket, exports: Arc<[Export]>) -> Self {
        let mut answers = Answers::default();
        answers.add(|out| out.extend(greeting()));
        Self {
            stream,
            handshake: Handshake::new(exports),
            ready: false,
            read: Vec::new(),
            filled: 0,
            long: None,
            answers,
            in_flight: 0,
            charged: 0,
            has_more: false,
            is_eager: false,
            quiet: 0,
            is_over: false,
            is_gone: false,
        }
    }

    /// Returns the export (namespace of the drive) that the client chose.
    pub fn export(&self) -> &Export {
        self.handshake.export()
    }

    /// Returns the client's socket and the events for which the server waits at the socket; none if it waits for no
    /// event.
    pub fn interest(&self) -> Option<(&ClientSocket, Interest)> {
        let interest = Interest { reads: self.may_read(), writes: self.answers.bytes() > 0 };
        (interest.reads || interest.writes).then_some((&self.stream, interest))
    }

    /// Marks the client as not quiet, after its socket became ready.
    pub fn wake(&mut self) {
        self.quiet = 0;
    }

    /// Returns the number of bytes of memory that the client occupies: its requests in flight, its answers, and a long
    /// write that is being received.
    pub fn memory(&self) -> u64 {
        self.charged
            + self.answers.bytes() as u64
            + self.long.as_ref().map_or(0, |long| long.data.len() as u64)
    }

    fn may_take(&self) -> bool {
        self.charged + (self.answers.bytes() as u64) < CHARGED_MOST && self.in_flight < IN_FLIGHT_MOST
    }

    fn may_read(&self) -> bool {
        !self.is_over && !self.has_more && (self.long.is_some() || self.may_take())
    }

    /// Returns true if the server can immediately receive or take requests of the client, without waiting for the
    /// socket.
    pub fn is_busy(&self) -> bool {
        (self.has_more && self.may_take()) || (self.is_eager && self.may_read())
    }

    /// Returns true if the connection can be closed: the client has left, and its requests are answered as far as
    /// possible.
    pub fn is_done(&self) -> bool {
        let is_answered = self.in_flight == 0 && self.answers.bytes() == 0 && !self.has_more;
        self.is_over && (is_answered || (self.is_gone && self.in_flight == 0))
    }

    /// Returns the form of replies, simple or structured, that was negotiated with the client.
    pub fn replies(&self) -> Replies {
        Replies { structured: self.handshake.structured }
    }

    /// Returns true if the client negotiated the metadata context `base:allocation`, by which it may ask for allocated
    /// extents.
    pub fn knows_allocation(&self) -> bool {
        self.handshake.allocation
    }

    /// Returns the queue of answers to be sent to the client.
    pub fn answers(&mut self) -> &mut Answers {
        &mut self.answers
    }

    /// Adds one to the client's number of requests in flight, and `charge` bytes to the bytes that count against the
    /// client's limit.
    pub fn begin(&mut self, charge: u64) {
        self.in_flight += 1;
        self.charged += charge;
    }

    /// Subtracts one, for an answered request, from the client's number of requests in flight, and `charge` bytes from
    /// the bytes that count against the client's limit.
    pub fn finish(&mut self, charge: u64) {
        self.in_flight -= 1;
        self.charged -= charge;
    }

    /// Reads once from the client's socket and passes each complete request to `take`, until `take` returns false
    /// because the client has used up its share of work in the present pass over the clients.
    pub fn receive(&mut self, quiet: Quiet, take: &mut impl FnMut(&mut Self, NbdRequest<'_>) -> bool) {
        if self.has_more {
            self.take(take);
        }
        self.is_eager = false;
        if !self.may_read() || (self.quiet >= QUIET && quiet == Quiet::LeftOut) {
            return;
        }
        let end = self.filled + CHUNK;
        let room = match &mut self.long {
            Some(long) => {
                let end = long.data.len().min(long.filled + TURN_BYTES);
                &mut long.data[long.filled..end]
            }
            None => {
                if self.read.len() < end {
                    self.read.resize(end, 0);
                }
                &mut self.read[self.filled..end]
            }
        };
        let whole = room.len();
        match self.stream.read(room) {
            Ok(0) => self.is_over = true,
            Ok(count) => {
                self.quiet = 0;
                // A stream that filled less than there was room for is empty.
                self.is_eager = count == whole;
                self.came(count, take);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => self.quiet = self.quiet.saturating_add(1),
            Err(error) if error.kind() == ErrorKind::Interrupted => self.is_eager = true,
            Err(_) => (self.is_over, self.is_gone) = (true, true),
        }
    }

    /// Processes `count` bytes that were read from the socket into the buffer `read`, or into the memory of a long
    /// write: passes complete requests to `take`.
    fn came(&mut self, count: usize, take: &mut impl FnMut(&mut Self, NbdRequest<'_>) -> bool) {
        match self.long.take() {
            None => {
                self.filled += count;
                self.take(take);
            }
            Some(long) if long.filled + count == long.data.len() => {
                take(self, long.asked.with(long.data));
            }
            Some(long) => self.long = Some(Long { filled: long.filled + count, ..long }),
        }
    }

    fn take(&mut self, take: &mut impl FnMut(&mut Self, NbdRequest<'_>) -> bool) {
        let read = std::mem::take(&mut self.read);
        let (mut at, end) = (0, self.filled);
        let mut goes_on = true;
        self.has_more = false;
        while !self.is_over {
            if self.ready && !(goes_on && self.may_take()) {
                self.has_more = at < end;
                break;
            }
            if !self.ready {
                let mut taken = (0, HandshakeStep::More);
                self.answers.add(|out| taken = self.handshake.take(&read[at..end], out));
                at += taken.0;
                match taken.1 {
                    HandshakeStep::More => break,
                    HandshakeStep::Ready => self.ready = true,
                    HandshakeStep::Over => self.is_over = true,
                }
                continue;
            }
            match parse(&read[at..end]) {
                NbdMessage::More => break,
                NbdMessage::Nonsense => self.is_over = true,
                NbdMessage::Request(asked, length) => {
                    at += length;
                    goes_on = take(self, asked);
                }
                NbdMessage::Long(asked) => {
                    let mut data = vec![0; asked.length as usize];
                    let here = &read[at + HEADER..end];
                    let filled = here.len().min(data.len());
                    data[..filled].copy_from_slice(&here[..filled]);
                    at += HEADER + filled;
                    if filled < data.len() {
                        self.long = Some(Long { asked, data, filled });
                        break;
                    }
                    goes_on = take(self, asked.with(data));
                }
            }
        }
        self.read = read;
        self.read.copy_within(at..end, 0);
        self.filled = end - at;
    }

    /// Sends up to `most` bytes of answers to the client, as many as its socket accepts.
    pub fn send(&mut self, most: usize, buffers: &mut Buffers) {
        if self.answers.bytes() > 0 && self.answers.send(&mut self.stream, most, buffers).is_err() {
            (self.is_over, self.is_gone) = (true, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nbd::Command;
    use host::HostSpace;
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    const LONGEST: u32 = 32 << 20;
    /// Greatest number of bytes of the server's memory that a client may occupy in the tests.
    const MEMORY_MOST: u64 = 64 << 20;

    /// Makes a test's connection that has finished its negotiation, and returns it with the client's end of the socket.
    fn pair() -> (Connection, UnixStream) {
        let (mut client, server) = UnixStream::pair().unwrap();
        server.set_nonblocking(true).unwrap();
        let mut connection =
            Connection::new(ClientSocket::Unix(server), Export::all_of(&HostSpace::from(1 << 40), 4096));
        client.write_all(&3u32.to_be_bytes()).unwrap();
        client.write_all(b"IHAVEOPT\0\0\0\x01\0\0\0\0").unwrap();
        connection.receive(Quiet::Read, &mut |_, _| panic!("nothing is asked yet"));
        connection.send(usize::MAX, &mut Buffers::default());
        client.read_exact(&mut [0; 18 + 10]).unwrap();
        (connection, client)
    }

    fn request(command: u16, length: u32) -> Vec<u8> {
        let mut bytes = 0x2560_9513u32.to_be_bytes().to_vec();
        bytes.extend([0; 2]);
        bytes.extend(command.to_be_bytes());
        bytes.extend([0; 16]);
        bytes.extend(length.to_be_bytes());
        bytes
    }

    #[test]
    fn a_client_that_takes_no_answers_is_read_no_further() {
        let (mut connection, mut client) = pair();
        let mut buffers = Buffers::default();
        client.write_all(&request(0, LONGEST).repeat(200)).unwrap();
        let (mut begun, mut answered) = (0u64, 0);
        for _ in 0..100 {
            connection.receive(Quiet::Read, &mut |client, asked| {
                begun += 1;
                client.begin(asked.length.into());
                true
            });
            while answered < begun {
                answered += 1;
                connection.finish(LONGEST.into());
                connection.answers().add_data(vec![0; LONGEST as usize]);
            }
            connection.send(TURN_BYTES, &mut buffers);
            assert!(connection.memory() <= MEMORY_MOST, "{} bytes", connection.memory());
        }
        assert_eq!(begun, 1, "one asks for more than a client is charged for");
        assert!(!connection.is_busy(), "no turn is due while the client takes nothing");
        // Once it takes what it asked for, the next is looked at.
        let mut taken = vec![0; LONGEST as usize];
        let taking = std::thread::spawn(move || client.read_exact(&mut taken).map(|()| client));
        while connection.answers().bytes() > 0 {
            connection.send(TURN_BYTES, &mut buffers);
        }
        let _client = taking.join().unwrap().unwrap();
        assert!(connection.is_busy());
        connection.receive(Quiet::Read, &mut |client, asked| {
            begun += 1;
            client.begin(asked.length.into());
            true
        });
        assert_eq!(begun, 2);
    }

    #[test]
    fn a_client_whose_writes_the_drive_has_not_taken_is_read_no_further() {
        let (mut connection, mut client) = pair();
        let sending = std::thread::spawn(move || {
            let data = vec![7; LONGEST as usize];
            for _ in 0..4 {
                client.write_all(&request(1, LONGEST)).unwrap();
                client.write_all(&data).unwrap();
            }
        });
        let (mut kept, mut most) = (Vec::new(), 0);
        while kept.len() < 4 {
            connection.receive(Quiet::Read, &mut |client, asked| {
                assert_eq!((asked.command, asked.data.len()), (Command::Write, LONGEST as usize));
                assert!(asked.data.iter().all(|&byte| byte == 7));
                client.begin(asked.length.into());
                kept.push(asked.data.into_owned());
                true
            });
            most = most.max(connection.memory());
            // The drive takes them late: only when nothing more comes.
            if connection.in_flight > 0 && !connection.may_read() {
                connection.finish(LONGEST.into());
            }
        }
        assert!(most <= MEMORY_MOST, "{most} bytes");
        assert!(connection.read.len() <= 3 * CHUNK, "data of long writes are not gathered there");
        sending.join().unwrap();
    }

    #[test]
    fn a_turn_ends_between_requests_and_the_next_goes_on() {
        let (mut connection, mut client) = pair();
        client.write_all(&request(7, 4096).repeat(1000)).unwrap();
        let mut turns = Vec::new();
        while turns.iter().sum::<u32>() < 1000 {
            let mut taken = 0;
            connection.receive(Quiet::Read, &mut |_, asked| {
                assert_eq!(asked.command, Command::BlockStatus);
                taken += 1;
                taken < 10
            });
            assert!(taken <= 10 && turns.len() < 200, "{taken} in turn {}", turns.len());
            turns.push(taken);
        }
        assert!(turns[0] == 10 && !connection.is_busy());
    }

    #[test]
    fn a_quiet_client_is_left_alone_until_it_sends_something() {
        let (mut connection, mut client) = pair();
        for _ in 0..QUIET {
            connection.receive(Quiet::LeftOut, &mut |_, _| panic!("nothing came"));
        }
        client.write_all(&request(3, 0)).unwrap();
        connection.receive(Quiet::LeftOut, &mut |_, _| panic!("it was quiet"));
        connection.wake();
        let mut taken = 0;
        connection.receive(Quiet::LeftOut, &mut |_, _| {
            taken += 1;
            true
        });
        assert_eq!(taken, 1);
    }

    #[test]
    fn a_client_that_ends_its_requests_gets_its_answers() {
        let (mut connection, client) = pair();
        client.shutdown(std::net::Shutdown::Write).unwrap();
        connection.answers().add(|out| out.extend([7; 100]));
        connection.receive(Quiet::Read, &mut |_, _| panic!("nothing came"));
        assert!(connection.is_over && !connection.is_done());
        connection.send(TURN_BYTES, &mut Buffers::default());
        assert!(connection.is_done());
        // One that has gone gets none.
        let (mut connection, client) = pair();
        connection.answers().add(|out| out.extend([7; 100]));
        drop(client);
        connection.send(TURN_BYTES, &mut Buffers::default());
        assert!(connection.is_done());
    }
}
