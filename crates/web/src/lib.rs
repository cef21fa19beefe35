//! The simulator as a module for browsers: questions and answers in JSON, over two calls.
//!
//! The module sees files by WASI's calls, which the page answers from memory and from files that a user dropped; so drives,
//! chips and traces are found as the command finds them. It has no clock but the page's and no network at all.

mod door;
mod fits;
mod lab;
mod picture;

pub use lab::{Lab, PageQuestion};
