//! Compression that has no standard implementation in Rust: zstd and xz.
//!
//! The C libraries are quicker and compress better; where no C compiler reaches, such as WebAssembly, crates in plain Rust read
//! and write the same formats. A build has the C libraries with the feature `native-codecs`.

#[cfg(feature = "native-codecs")]
mod native;
#[cfg(any(test, not(feature = "native-codecs")))]
mod portable;

#[cfg(feature = "native-codecs")]
pub(crate) use native::{XzWriter, ZstdWriter, read_xz};
#[cfg(feature = "native-codecs")]
pub use native::{pack_zstd, read_zstd};
#[cfg(not(feature = "native-codecs"))]
pub(crate) use portable::{PlainXzWriter as XzWriter, PlainZstdWriter as ZstdWriter, read_xz};
#[cfg(not(feature = "native-codecs"))]
pub use portable::{pack_zstd, read_zstd};

/// Constant: compression level (preset) of xz files that are written: the default of the `xz` program.
const XZ_LEVEL: u32 = 6;
/// Constant: greatest memory in bytes that decompressing an xz stream may take; xz's highest level needs a quarter of
/// this.
const XZ_MEMORY: u64 = 256 << 20;

/// Type of a boxed reader that yields the decompressed bytes of a compressed stream; the reader can be moved to another
/// thread.
pub type UnpackedBytes<'a> = Box<dyn std::io::Read + Send + 'a>;

#[cfg(all(test, feature = "native-codecs"))]
mod tests {
    use super::{native, portable};
    use std::io::{Cursor, Read, Write};

    fn sample() -> Vec<u8> {
        (0..40_000_u32).flat_map(|i| format!("{},8,{},1,read\n", i * 7, i % 977).into_bytes()).collect()
    }

    fn whole(mut stream: super::UnpackedBytes<'_>) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map(|_| bytes)
    }

    #[test]
    fn each_reads_what_the_other_packs_and_several_frames() {
        let text = sample();
        let native_zstd = native::pack_zstd(&text, 3).unwrap();
        let portable_zstd = portable::pack_zstd(&text, 3).unwrap();
        for packed in [&native_zstd, &portable_zstd] {
            assert_eq!(whole(native::read_zstd(Cursor::new(packed.clone())).unwrap()).unwrap(), text);
            let twice = [packed.as_slice(), packed.as_slice()].concat();
            let read = whole(portable::read_zstd(Cursor::new(twice)).unwrap()).unwrap();
            assert_eq!(read, [text.as_slice(), text.as_slice()].concat());
        }
        let mut written = [Vec::new(), Vec::new()];
        let mut writer = native::XzWriter::new(&mut written[0]).unwrap();
        writer.write_all(&text).unwrap();
        writer.finish().unwrap();
        let mut writer = portable::PlainXzWriter::new(&mut written[1]).unwrap();
        writer.write_all(&text).unwrap();
        writer.finish().unwrap();
        for packed in written {
            assert_eq!(whole(native::read_xz(Cursor::new(packed.clone())).unwrap()).unwrap(), text);
            let twice = [packed.as_slice(), packed.as_slice()].concat();
            let read = whole(portable::read_xz(Cursor::new(twice)).unwrap()).unwrap();
            assert_eq!(read, [text.as_slice(), text.as_slice()].concat());
        }
    }

    #[test]
    fn streams_of_a_writer_are_read_by_both() {
        let text = sample();
        let mut packed = [Vec::new(), Vec::new()];
        let mut writer = native::ZstdWriter::new(&mut packed[0]).unwrap();
        writer.write_all(&text).unwrap();
        writer.finish().unwrap();
        let mut writer = portable::PlainZstdWriter::new(&mut packed[1]).unwrap();
        writer.write_all(&text).unwrap();
        writer.finish().unwrap();
        for packed in packed {
            assert_eq!(whole(native::read_zstd(Cursor::new(packed.clone())).unwrap()).unwrap(), text);
            assert_eq!(whole(portable::read_zstd(Cursor::new(packed)).unwrap()).unwrap(), text);
        }
    }

    #[test]
    fn damage_is_an_error_in_both() {
        let mut encoder = native::ZstdWriter::new(Vec::new()).unwrap();
        encoder.write_all(&sample()).unwrap();
        let packed = encoder.finish().unwrap();
        for at in [5, packed.len() / 2, packed.len() - 1] {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x40;
            let by_native = native::read_zstd(Cursor::new(damaged.clone())).and_then(whole);
            let by_portable = portable::read_zstd(Cursor::new(damaged)).and_then(whole);
            assert!(by_native.is_err() && by_portable.is_err(), "byte {at}");
        }
        for length in [packed.len() / 2, packed.len() - 2] {
            let by_portable = portable::read_zstd(Cursor::new(packed[..length].to_vec())).and_then(whole);
            assert!(by_portable.is_err(), "cut at {length}");
        }
    }
}
