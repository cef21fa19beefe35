//! Reads whose data are found again from the rest of their stripe.

use controller::Transaction;

/// A read whose data is being found again.
#[derive(Clone, Debug)]
pub(crate) struct Rebuild {
    pub read: Transaction,
    /// Reads of the other members still to come.
    pub left: u32,
    pub failed: bool,
}

/// Reads that failed and are being made good.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rebuilds {
    pub items: Vec<Rebuild>,
    pub free: Vec<u32>,
}

impl Rebuilds {
    pub fn begin(&mut self, rebuild: Rebuild) -> u32 {
        if let Some(at) = self.free.pop() {
            self.items[at as usize] = rebuild;
            return at;
        }
        self.items.push(rebuild);
        self.items.len() as u32 - 1
    }
}
