//! What the regulator's writes cost, as this chip carries them out.

use crate::regulator::WriteCost;
use controller::Controller;
use nand::errors::Condition;
use units::Voltage;

/// Type of the table of the cost regulator's write costs (ways to program a page), with the properties of each by which
/// the FTL works.
pub(crate) struct CostTable {
    /// List of the write costs (ways to program a page) as the cost regulator declared them: each has a program step
    /// (ISPP step) or a set of program and read voltages, a retention time and a refresh interval.
    pub costs: Vec<WriteCost>,
    /// For each write cost (way to program a page), the size of its program step (voltage increment between program
    /// pulses, ISPP) as a multiple of the usual program step.
    pub steps: Vec<f64>,
    /// For each write cost (way to program a page), the number of its voltage set (program-verify and read reference
    /// voltages): 0 for the usual set, from 1 on for the sets in the order of the chip's tables.
    pub voltages: Vec<usize>,
    /// For each write cost, its program step or, with a voltage set, its program speed, as a multiple of that of the
    /// usual way to program a page; a higher number means a faster, less precise program.
    pub coarseness: Vec<f64>,
    /// For each write cost (way to program a page), the number that a program transaction carries so that the flash
    /// controller programs the page in that way.
    pub names: Vec<u8>,
}

impl CostTable {
    /// Makes the table of write costs (ways to program a page) and registers each of them with the flash controller.
    /// `usual` is the usual program step (ISPP voltage increment), and `page_types` the number of bits of a cell.
    ///
    /// # Errors
    /// When the chip has no set of voltages of a name that a write cost uses.
    pub fn new(
        costs: Vec<WriteCost>,
        usual: Voltage,
        controller: &mut Controller,
        page_types: u32,
    ) -> Result<Self, String> {
        let mut table = Self {
            costs: Vec::new(),
            steps: Vec::new(),
            voltages: Vec::new(),
            coarseness: Vec::new(),
            names: Vec::new(),
        };
        for cost in costs {
            let step = cost.step.get() as f64 / usual.get() as f64;
            let (set, name, coarseness) = match &cost.voltages {
                None => (0, controller.add_cost(step), step),
                Some(set) => {
                    let about = |text| format!("ftl.regulator.voltages = {text}");
                    let (set, name) = controller.add_voltages(set).map_err(about)?;
                    let time = |cost| -> u64 {
                        (0..page_types).map(|row| controller.t_prog(row, 0, cost).ns()).sum()
                    };
                    (set + 1, name, time(0) as f64 / time(name) as f64)
                }
            };
            table.steps.push(step);
            table.voltages.push(set);
            table.coarseness.push(coarseness);
            table.names.push(name);
            table.costs.push(cost);
        }
        Ok(table)
    }

    /// Returns the number of write costs (ways to program a page) among which the cost regulator chooses.
    pub fn len(&self) -> usize {
        self.costs.len()
    }

    /// Returns the index of the write cost (way to program a page) with which the drive programs parity: the most
    /// precise one among the write costs with the longest retention time.
    pub fn for_own(&self) -> u8 {
        let longest = self.costs.iter().map(|cost| cost.retention).max();
        let holding = (0..self.len()).filter(|&way| Some(self.costs[way].retention) == longest);
        holding.min_by(|a, b| self.coarseness[*a].total_cmp(&self.coarseness[*b])).unwrap_or(0) as u8
    }

    /// Returns true if write cost `way` (a way to program a page) programs more precisely, and more slowly, than write
    /// cost `than`.
    pub fn finer(&self, way: usize, than: usize) -> bool {
        self.coarseness[way] < self.coarseness[than]
    }

    /// Makes the condition (program step, wear, age in seconds, reads) of a page that was programmed with write cost
    /// `way`, as input for the error model.
    pub fn condition(&self, way: usize, pe_cycles: u32, seconds: f64, reads: u32) -> Condition {
        Condition { step: self.steps[way], voltages: self.voltages[way], pe_cycles, seconds, reads }
    }

    /// Returns a description of write cost `way` (a way to program a page) for error messages.
    pub fn describe(&self, way: usize) -> String {
        match &self.costs[way].voltages {
            None => format!("a program step of {}", self.costs[way].step),
            Some(set) => format!("the set of voltages {set}"),
        }
    }
}
