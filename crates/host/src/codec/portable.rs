//! In plain Rust.

use super::{UnpackedBytes, XZ_LEVEL, XZ_MEMORY};
use lzma_rust2::{XzOptions, XzReader};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{BufRead, Error, ErrorKind, Read, Result, Write};

/// Makes a reader of the decompressed bytes of a zstd stream.
///
/// # Errors
/// None: faults are found on reading.
pub fn read_zstd<'a>(packed: impl BufRead + Send + 'a) -> Result<UnpackedBytes<'a>> {
    Ok(Box::new(ZstdFrames { packed, decoder: FrameDecoder::new(), is_inside: false }))
}

/// Compresses `bytes` into one zstd frame and returns the frame; this encoder has a single level and ignores `_level`.
///
/// # Errors
/// None.
pub fn pack_zstd(bytes: &[u8], _level: i32) -> Result<Vec<u8>> {
    Ok(compress_to_vec(bytes, CompressionLevel::Fastest))
}

/// Makes a reader of the decompressed bytes of xz streams; concatenated streams count as one file, as with `xz -d`.
pub(crate) fn read_xz<'a>(packed: impl BufRead + Send + 'a) -> Result<UnpackedBytes<'a>> {
    Ok(Box::new(XzReader::new_mem_limit(packed, true, (XZ_MEMORY >> 10) as u32)))
}

/// Type of a reader that decompresses concatenated zstd frames, leaves out skippable frames and verifies the checksum
/// of each frame.
struct ZstdFrames<R> {
    packed: R,
    decoder: FrameDecoder,
    is_inside: bool,
}

impl<R: BufRead> ZstdFrames<R> {
    /// Starts decoding the next zstd frame; returns false at the end of the file.
    fn begin(&mut self) -> Result<bool> {
        while !self.packed.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.packed) {
                Ok(()) => {
                    self.is_inside = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let skipped =
                        std::io::copy(&mut self.packed.by_ref().take(length), &mut std::io::sink())?;
                    if skipped < length {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(Error::other(error)),
            }
        }
        Ok(false)
    }

    fn end(&mut self) -> Result<()> {
        self.is_inside = false;
        let told = self.decoder.get_checksum_from_data();
        if told.is_some() && told != self.decoder.get_calculated_checksum() {
            return Err(Error::new(ErrorKind::InvalidData, "the checksum does not fit"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.is_inside && !self.begin()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let decoded =
                    self.decoder.decode_blocks(&mut self.packed, BlockDecodingStrategy::UptoBlocks(1));
                decoded.map_err(Error::other)?;
            }
            let count = self.decoder.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            self.end()?;
        }
    }
}

/// Type of a writer that collects all written bytes in memory and compresses them with zstd only when it is finished.
pub(crate) struct PlainZstdWriter<W: Write> {
    sink: W,
    bytes: Vec<u8>,
}

impl<W: Write> PlainZstdWriter<W> {
    pub fn new(sink: W) -> Result<Self> {
        Ok(Self { sink, bytes: Vec::new() })
    }

    pub fn finish(mut self) -> Result<W> {
        self.sink.write_all(&pack_zstd(&self.bytes, 1)?)?;
        Ok(self.sink)
    }
}

impl<W: Write> Write for PlainZstdWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Type of a writer that compresses the written bytes with xz and passes them on to another writer.
pub(crate) struct PlainXzWriter<W: Write>(lzma_rust2::XzWriter<W>);

impl<W: Write> PlainXzWriter<W> {
    pub fn new(sink: W) -> Result<Self> {
        Ok(Self(lzma_rust2::XzWriter::new(sink, XzOptions::with_preset(XZ_LEVEL))?))
    }

    pub fn finish(self) -> Result<W> {
        self.0.finish()
    }
}

impl<W: Write> Write for PlainXzWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}
