//! `cargo +nightly fuzz run trace`: any bytes, read as a trace. The corpus is kept in `corpus/trace`, and
//! `cargo test -p host --test all trace_fuzz::` runs the same function over it on the stable toolchain.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| host::trace::fuzz_one(data));
