//! Cells and chips, a question a file, in one binary.

mod cells;
mod chip;
mod tables;
