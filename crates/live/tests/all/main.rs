//! Tests of the live drive through its sockets, by a client written by hand.

mod client;
mod exports;
mod images;
mod pages;
mod protocol;
