//! A handle for each process that writes.

use super::{PlacePolicy, PlaceView};
use crate::workload::Telling;
use config::{Card, ConfigError, Policy, Section};
use std::collections::HashMap;

/// Implementation of the placement policy `process` of `host.place`: numbers the processes in the order in which they
/// first write, and gives each the placement handle of its number modulo the number of handles; 0 without a process.
#[derive(Clone, Debug, Default)]
pub struct ByProcess {
    numbers: HashMap<u32, u16>,
}

impl Policy for ByProcess {
    const CARD: Card = Card {
        name: "process",
        rule: "the k-th process of a trace that writes does so through handle k modulo the number of handles, from 0 on; what names \
               no process goes through handle 0",
        paper: "a handle for each program: Kang and others, HotStorage 2014",
        not_modelled: "what the system wrote back later for a process: its trace names the system's own thread",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self::default())
    }
}

impl PlacePolicy for ByProcess {
    fn needs(&self) -> Option<Telling> {
        Some(Telling::Processes)
    }

    fn place(&mut self, write: &PlaceView) -> Option<u16> {
        let Some(process) = write.process else { return Some(0) };
        let next = (self.numbers.len() % usize::from(write.handles)) as u16;
        Some(*self.numbers.entry(process).or_insert(next))
    }
}
