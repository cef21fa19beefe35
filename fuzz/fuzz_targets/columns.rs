//! `cargo +nightly fuzz run columns`: any first line as the text of `--columns`, any rest as the table. The corpus is kept
//! in `corpus/columns`, and `cargo test -p host --test all trace_fuzz::` runs the same function over it on the stable toolchain.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| host::trace::fuzz_columns(data));
