//! By the C libraries.

use super::{UnpackedBytes, XZ_LEVEL, XZ_MEMORY};
use std::io::{BufRead, Result, Write};

/// Returns the bytes that a zstd stream holds.
///
/// # Errors
/// When no decoder can be had.
pub fn read_zstd<'a>(packed: impl BufRead + Send + 'a) -> Result<UnpackedBytes<'a>> {
    Ok(Box::new(zstd::stream::read::Decoder::with_buffer(packed)?))
}

/// Returns `bytes` as one zstd frame.
///
/// # Errors
/// When there is no memory for it.
pub fn pack_zstd(bytes: &[u8], level: i32) -> Result<Vec<u8>> {
    zstd::encode_all(bytes, level)
}

/// Returns the bytes that xz streams hold: several one after the other are one file, as `xz -d` has it.
pub(crate) fn read_xz<'a>(packed: impl BufRead + Send + 'a) -> Result<UnpackedBytes<'a>> {
    let stream = liblzma::stream::Stream::new_stream_decoder(XZ_MEMORY, liblzma::stream::CONCATENATED)?;
    Ok(Box::new(liblzma::bufread::XzDecoder::new_stream(packed, stream)))
}

/// Packs what is written to it by zstd, with a checksum.
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

/// Packs what is written to it by xz.
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
