//! The chip's own tables, derived from its cells or fitted to measurements.

use super::{BestReferences, Condition, ErrorModel};
use crate::Tables;
use crate::tables::{Age, ErrorTable, References};
use config::{Card, ConfigError, Policy, Section, at_least};

/// Error model that takes raw bit error rates from the chip's own tables (`nand.tables.errors`).
#[derive(Clone, Debug)]
pub struct ChipTables {
    celsius: f64,
    /// List of tables of raw bit error rates, one for each voltage set (verify levels and read references): first that
    /// of the default set, then those of the other sets.
    tables: Vec<ErrorTable>,
}

impl Policy for ChipTables {
    const CARD: Card = Card {
        name: "tables",
        rule: "the raw bit error rates of the chip's tables by page type, program step, wear, age and reads, with the \
               chip's usual references; ages at `celsius` count by the chip's activation energy",
        paper: "the chip file's own sources; `floatgate derive` makes the tables from cells, `floatgate fit` from logs",
        not_modelled: "differences between blocks, wordlines and layers; outside its grid, a table is \
                       extrapolated along its last segment",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let celsius = section.unit("degrees Celsius").within(at_least(-60.0).at_most(200.0)).or(
            "celsius",
            40.0,
            "temperature of the drive",
        )?;
        Ok(Self { celsius, tables: Vec::new() })
    }
}

impl ErrorModel for ChipTables {
    fn attach(&mut self, tables: Option<&Tables>) -> Result<(), String> {
        let known = tables.and_then(|tables| Some((tables.errors.clone()?, &tables.voltages)));
        match known {
            Some((usual, sets)) => {
                self.tables = vec![usual];
                for set in sets {
                    let errors = set.errors.clone().ok_or_else(|| {
                        format!("nand.tables.voltages.{}.errors: missing: expected as nand.tables.errors", set.name)
                    })?;
                    self.tables.push(errors);
                }
                Ok(())
            }
            None => Err("nand.errors.name = tables: this chip has no [tables.errors]: expected a chip with them, such \
                         as those of chips/derived, or another model"
                .into()),
        }
    }

    fn knows_voltages(&self) -> bool {
        true
    }

    fn rber(&self, page_type: usize, condition: &Condition) -> f64 {
        let at = |(table, age): (&ErrorTable, Age)| table.rber(page_type, &age, References::Usual);
        self.table(condition).map_or(0.0, at)
    }

    fn best(&self, page_type: usize, condition: &Condition) -> Option<BestReferences> {
        let (table, age) = self.table(condition)?;
        let below_v = table.shift(&age)?;
        Some(BestReferences { rber: table.rber(page_type, &age, References::Best), below_v })
    }

    fn soft(&self, page_type: usize, condition: &Condition) -> [f64; 2] {
        self.table(condition).map_or([1.0; 2], |(table, age)| table.soft(page_type, &age))
    }
}

impl ChipTables {
    /// Returns the error table of the voltage set (verify levels and read references) with which the page was written,
    /// and the page's condition as the table needs it; `None` if the chip has no table for the set.
    fn table(&self, condition: &Condition) -> Option<(&ErrorTable, Age)> {
        let Condition { step, voltages, pe_cycles, seconds, reads } = *condition;
        let table = self.tables.get(voltages)?;
        let seconds = table.at_reference(seconds, self.celsius);
        Some((table, Age { step, pe_cycles, seconds, reads }))
    }
}
