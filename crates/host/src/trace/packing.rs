//! How are the bytes packed? Told by content, unpacked as they come, with a limit that a bomb meets.
//!
//! Memory is constant at any unpacked size; what a bomb would cost is time, so a file that unpacks to more
//! than [`MOST_TIMES`] its size is refused. Traces come to 5 to 100 times.

use crate::WorkloadError;
use crate::codec::{UnpackedBytes, read_xz, read_zstd};
use std::io::{BufReader, Chain, Cursor, Error, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Constant: greatest number of decompressed bytes for each compressed byte of a trace file; more is an error
/// (decompression bomb).
const MOST_TIMES: u64 = 4096;
/// Constant: number of decompressed bytes that a compressed file may have at any compression ratio.
const FREE_BYTES: u64 = 64 << 20;
/// Type of a reader of a file's bytes, raw or decompressed; it can be moved to another thread.
pub(crate) type ByteStream = UnpackedBytes<'static>;

const BUFFER: usize = 256 << 10;
/// Constant: number of bytes at the beginning of a file by which its compression, or a tar archive, is recognised.
const HEAD: usize = 512;

/// Kind of compression of a trace file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
    Bzip2,
    Xz,
}

impl Packing {
    /// Returns the compression of a file that begins with the bytes `head`; `Plain` if the file is not compressed in
    /// one of the known formats.
    fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            _ => Self::Plain,
        }
    }

    /// Returns the name, for reports, of the compression format: `none`, `gzip`, `zstd`, `bzip2` or `xz`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "none",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
        }
    }
}

/// Constant list of signatures (first bytes) of compression and archive formats that are recognised but not supported,
/// with their names.
const NOT_UNPACKED: &[(&[u8], &str)] = &[
    (b"PK\x03\x04", "a zip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a rar archive"),
    (b"\x04\x22\x4d\x18", "lz4 data"),
    (b"\x89LZO", "lzop data"),
    (b"LZIP", "lzip data"),
    (b"\x1f\x9d", "data of compress (.Z)"),
    (b"PAR1", "a Parquet file"),
    (b"\x89HDF", "an HDF5 file"),
    (b"SQLite format 3\0", "an SQLite database"),
];

/// Returns true for text in UTF-16: a byte order mark, followed by 16 plain characters of two bytes, which no binary
/// trace has at its beginning.
fn is_utf_16(head: &[u8]) -> bool {
    const CHARACTERS: usize = 16;
    let plain = |pair: &[u8], low: usize| pair[1 - low] == 0 && matches!(pair[low], 9..=13 | 32..=126);
    let all = |low: usize| head.chunks_exact(2).skip(1).take(CHARACTERS).all(|pair| plain(pair, low));
    let long = head.len() > 2 * CHARACTERS;
    long && (head.starts_with(&[0xff, 0xfe]) && all(0) || head.starts_with(&[0xfe, 0xff]) && all(1))
}

/// Recognises the compression of `raw`, a file called `name`, and returns a reader of its decompressed bytes, one layer
/// of compression removed, with the compression.
///
/// # Errors
/// When the first bytes cannot be read, or are of a compression format that is not supported or of text in UTF-16.
pub(crate) fn unpack(name: &str, raw: ByteStream) -> Result<(ByteStream, Packing), WorkloadError> {
    let (head, raw) = peek(name, raw)?;
    let packing = Packing::of(&head);
    if is_utf_16(&head) {
        let expected = "text in UTF-8; iconv -f UTF-16 -t UTF-8 makes it that";
        return Err(WorkloadError::of(name, "text in UTF-16, as programs of Windows write it", expected));
    }
    if packing == Packing::Plain {
        return match NOT_UNPACKED.iter().find(|(magic, _)| head.starts_with(magic)) {
            None => Ok((Box::new(raw), packing)),
            Some((_, what)) => Err(WorkloadError::of(
                name,
                *what,
                "a trace, plain, packed by gzip, zstd, bzip2 or xz, or in a tar; unpack it first",
            )),
        };
    }
    let taken = Arc::new(AtomicU64::new(0));
    let counted = TakenBytes { inner: raw, taken: Arc::clone(&taken) };
    let buffered = BufReader::with_capacity(BUFFER, counted);
    let failed = |e: Error| WorkloadError::of(name, e.to_string(), format!("a {} file", packing.name()));
    let inner: ByteStream = match packing {
        Packing::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered)),
        Packing::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered)),
        Packing::Zstd => read_zstd(buffered).map_err(failed)?,
        Packing::Xz => read_xz(buffered).map_err(failed)?,
        Packing::Plain => unreachable!("answered above"),
    };
    Ok((Box::new(Limited { inner, taken, given: 0, ended: None }), packing))
}

/// Type of the pair that a peek into a stream gives: the first bytes of the stream, and the stream from its beginning,
/// with these bytes in it again.
type Peeked = (Vec<u8>, Chain<Cursor<Vec<u8>>, ByteStream>);

/// Reads the first bytes of `raw`, and returns the bytes and the stream from its beginning.
pub(crate) fn peek(name: &str, mut raw: ByteStream) -> Result<Peeked, WorkloadError> {
    let mut head = Vec::with_capacity(HEAD);
    let read = raw.by_ref().take(HEAD as u64).read_to_end(&mut head);
    match read {
        Ok(_) => {}
        // The reader that comes next meets the damage again, and knows its place.
        Err(error) if !head.is_empty() => {
            let rest: ByteStream = Box::new(Broken(Some(error)));
            return Ok((head.clone(), Cursor::new(head).chain(rest)));
        }
        Err(error) => return Err(WorkloadError::of(name, error.to_string(), "a readable file")),
    }
    Ok((head.clone(), Cursor::new(head).chain(raw)))
}

/// Type of a stream whose first read returns the error with which reading another stream ended.
struct Broken(Option<Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(self.0.take().unwrap_or_else(|| ErrorKind::UnexpectedEof.into()))
    }
}

/// Reader that counts the compressed bytes that a decoder takes from it, for the limit on the ratio of decompressed to
/// compressed bytes.
struct TakenBytes<R> {
    inner: R,
    taken: Arc<AtomicU64>,
}

impl<R: Read> Read for TakenBytes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Reader of a decoder's output that fails when the decompressed bytes are far more than the compressed ones. After an
/// error it never calls the decoder again, because its state is undefined and one decoder would end the process.
struct Limited {
    inner: ByteStream,
    taken: Arc<AtomicU64>,
    given: u64,
    /// Field: error that ended the decompression; none without an error.
    ended: Option<(ErrorKind, String)>,
}

impl Limited {
    fn unpack(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.given += count as u64;
        let most = FREE_BYTES + MOST_TIMES * self.taken.load(Ordering::Relaxed);
        if self.given > most {
            let what = format!("they unpack to more than {MOST_TIMES} times their size, which no trace does");
            return Err(Error::new(ErrorKind::FileTooLarge, what));
        }
        Ok(count)
    }
}

impl Read for Limited {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if let Some((kind, what)) = &self.ended {
            return Err(Error::new(*kind, what.clone()));
        }
        let read = self.unpack(buffer);
        if let Err(error) = &read
            && error.kind() != ErrorKind::Interrupted
        {
            self.ended = Some((error.kind(), error.to_string()));
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_decoder_that_failed_is_asked_nothing_more() {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
        encoder.write_all(&b"0.000,8,0,1,read\n".repeat(20)).unwrap();
        let sample = encoder.finish().unwrap();
        for (at, flip) in (0..sample.len()).flat_map(|at| (1..=255).map(move |flip| (at, flip))) {
            let mut damaged = sample.clone();
            damaged[at] ^= flip;
            let Ok((mut reader, packing)) = unpack("sample", Box::new(Cursor::new(damaged))) else {
                continue;
            };
            if let Err(error) = reader.read_to_end(&mut Vec::new()) {
                assert_eq!(packing, Packing::Bzip2);
                let again = reader.read(&mut [0; 8]).unwrap_err();
                assert_eq!((again.kind(), again.to_string()), (error.kind(), error.to_string()));
            }
        }
    }
}
