//! Where clients come in, and the sockets of connected clients.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use sim::Error;
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Kind of socket (Unix or TCP) at which the live server listens for clients.
pub enum Listener {
    /// Case of listening socket: a Unix socket, with its path; the file at the path is removed together with the
    /// listener.
    Unix(UnixListener, PathBuf),
    /// Case of listening socket: a TCP socket at a port.
    Tcp(TcpListener),
}

/// Kind of client socket (Unix or TCP): the server's end of the connection with one client.
pub enum ClientSocket {
    /// Case of client socket: a Unix socket, the server's end of the connection with one client.
    Unix(UnixStream),
    /// Case of client socket: a TCP socket, the server's end of the connection with one client.
    Tcp(TcpStream),
}

impl Listener {
    /// Makes a Unix socket that listens for clients at `path`. A socket file there at which no process listens is
    /// removed first.
    ///
    /// # Errors
    /// When another file is there, or a socket at which a process listens.
    pub fn at_path(path: &Path) -> Result<Self, Error> {
        let fail = |reason: &dyn std::fmt::Display| Error(format!("--socket {}: {reason}", path.display()));
        if let Ok(there) = std::fs::symlink_metadata(path) {
            if !there.file_type().is_socket() {
                return Err(fail(&"is there and no socket: expected a new path"));
            }
            if UnixStream::connect(path).is_ok() {
                return Err(fail(&"another server listens there: expected a new path"));
            }
            std::fs::remove_file(path).map_err(|error| fail(&error))?;
        }
        let listener = UnixListener::bind(path).map_err(|error| fail(&error))?;
        listener.set_nonblocking(true).map_err(|error| fail(&error))?;
        let path = std::path::absolute(path).map_err(|error| fail(&error))?;
        Ok(Self::Unix(listener, path))
    }

    /// Makes a TCP socket that listens for clients at a port of a network address.
    ///
    /// # Errors
    /// When the server cannot listen there.
    pub fn at_port(address: &str, port: u16) -> Result<Self, Error> {
        let fail = |error: io::Error| Error(format!("{address}:{port}: {error}"));
        let listener = TcpListener::bind((address, port)).map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        Ok(Self::Tcp(listener))
    }

    /// Accepts a client that waits for a connection; none if no client waits.
    ///
    /// # Errors
    /// When a client waits and the machine has no socket for it: the next try fails as well until other sockets are
    /// closed.
    pub fn accept(&self) -> io::Result<Option<ClientSocket>> {
        let stream = match self {
            Self::Unix(listener, _) => listener.accept().map(|(stream, _)| ClientSocket::Unix(stream)),
            Self::Tcp(listener) => listener.accept().map(|(stream, _)| ClientSocket::Tcp(stream)),
        };
        let stream = match stream {
            Ok(stream) => stream,
            Err(error) if is_passing(error.kind()) => return Ok(None),
            Err(error) => return Err(error),
        };
        let ready = match &stream {
            ClientSocket::Unix(stream) => stream.set_nonblocking(true),
            ClientSocket::Tcp(stream) => stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true)),
        };
        Ok(ready.ok().map(|()| stream))
    }

    /// Returns the NBD URI by which clients reach this listening socket, Unix or TCP.
    pub fn uri(&self) -> String {
        match self {
            Self::Unix(_, path) => format!("nbd+unix:///?socket={}", path.display()),
            Self::Tcp(listener) => {
                listener.local_addr().map_or_else(|_| "nbd:".into(), |address| format!("nbd://{address}"))
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Unix(_, path) = self {
            let _ = std::fs::remove_file(path);
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Unix(listener, _) => listener.as_fd(),
            Self::Tcp(listener) => listener.as_fd(),
        }
    }
}

impl AsFd for ClientSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Unix(stream) => stream.as_fd(),
            Self::Tcp(stream) => stream.as_fd(),
        }
    }
}

impl Read for ClientSocket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(into),
            Self::Tcp(stream) => stream.read(into),
        }
    }
}

impl Write for ClientSocket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.write(bytes),
            Self::Tcp(stream) => stream.write(bytes),
        }
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.write_vectored(slices),
            Self::Tcp(stream) => stream.write_vectored(slices),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Record of the events (data to receive, space to send) for which the server waits at a client's socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest {
    /// True if the server waits for data from the client at the client's socket.
    pub reads: bool,
    /// True if the server waits until the client's socket accepts data to be sent.
    pub writes: bool,
}

/// Returns true if `kind` is the kind of error with which accepting a client failed only because none waits, or because
/// the one that waited has left.
fn is_passing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::ConnectionAborted)
}

/// Waits until one of the sockets is ready, a signal comes, or the time `most` has passed. Returns whether the listener
/// is ready, and for each client whether its socket is.
pub fn wait<'a>(
    listener: Option<&Listener>,
    clients: impl Iterator<Item = (&'a ClientSocket, Interest)>,
    most: Duration,
) -> (bool, Vec<bool>) {
    let mut waited = Vec::new();
    waited.extend(listener.map(|listener| PollFd::new(listener, PollFlags::IN)));
    let listeners = waited.len();
    for (stream, interest) in clients {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, interest.reads);
        flags.set(PollFlags::OUT, interest.writes);
        waited.push(PollFd::new(stream, flags));
    }
    let most = Timespec { tv_sec: most.as_secs() as i64, tv_nsec: i64::from(most.subsec_nanos()) };
    // A signal ends it early: the caller then looks at everything.
    let _ = poll(&mut waited, Some(&most));
    let happened = |waited: &PollFd<'_>| !waited.revents().is_empty();
    let (listener, clients) = waited.split_at(listeners);
    (listener.iter().any(happened), clients.iter().map(happened).collect())
}
