//! By the C libraries.

use super::{UnpackedBytes, XZ_LEVEL, XZ_MEMORY};
use std::io::{BufRead, Result, Write};

/// Makes a reader of the decompressed bytes of a zstd stream.
///
/// # Errors
/// When no decoder can be had.
pub fn read_zstd<'a>(packed: impl BufRead + Send + 'a) -> Result<UnpackedBytes<'a>> {
    Ok(Box::new(zstd::stream::read::Decoder::with_buffer(packed)?))
}

/// Compresses `bytes` into one zstd frame and returns the frame.
///
/// # Errors
/// When there is no memory for it.
pub fn pack_zstd(bytes: &[u8], level: i32) -> Result<Vec<u8>> {
    zstd::encode_all(bytes, level)
}

/// Makes a reader of the decompressed bytes of xz streams; concatenated streams count as one file, as with `xz -d`.
pub(crate) fn read_xz<'a>(packed: impl BufRead + Send + 'a) -> Result<UnpackedBytes<'a>> {
    let stream = liblzma::stream::Stream::new_stream_decoder(XZ_MEMORY, liblzma::stream::CONCATENATED)?;
    Ok(Box::new(liblzma::bufread::XzDecoder::new_stream(packed, stream)))
}

/// Type of a writer that compresses the written bytes with zstd, checksum included, and passes them on to another
/// writer.
pub(crate) struct ZstdWriter<W: Write>(zstd::stream::write::Encoder<'static, W>);

impl<W: Write> ZstdWriter<W> {
    pub fn new(sink: W) -> Result<Self> {
        let mut encoder = zstd::stream::write::Encoder::new(sink, zstd::DEFAULT_COMPRESSION_LEVEL)?;
        encoder.include_checksum(true)?;
        Ok(Self(encoder))
    }

    pub fn finish(self) -> Result<W> {
        self.0.finish()
    }
}

impl<W: Write> Write for ZstdWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}

/// Type of a writer that compresses the written bytes with xz and passes them on to another writer.
pub(crate) struct XzWriter<W: Write>(liblzma::write::XzEncoder<W>);

impl<W: Write> XzWriter<W> {
    pub fn new(sink: W) -> Result<Self> {
        Ok(Self(liblzma::write::XzEncoder::new(sink, XZ_LEVEL)))
    }

    pub fn finish(self) -> Result<W> {
        self.0.finish()
    }
}

impl<W: Write> Write for XzWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}
