//! Interfaces and their pictures, a question a file, in one binary.

mod interfaces;
mod waveform;
