//! `cargo +nightly fuzz run fio`: any bytes, read as a fio job file and run. The corpus is kept in `corpus/fio`,
//! and `cargo test -p host --test all fio_fuzz::` runs the same function over it on the stable toolchain.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| host::fio::fuzz_one(data));
