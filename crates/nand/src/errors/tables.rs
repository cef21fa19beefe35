//! The chip's own tables, derived from its cells or fitted to measurements.

use super::{Condition, ErrorModel};
use crate::Tables;
use crate::tables::{Age, ErrorTable, References};
use config::{Card, ConfigError, Policy, Section};

/// `nand.tables.errors` of the chip.
#[derive(Clone, Debug)]
pub struct ChipTables {
    celsius: f64,
    /// Of the usual voltages, then of the other sets.
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
        let celsius = section.or("celsius", 40.0, "temperature of the drive")?;
        if !(-60.0..=200.0).contains(&celsius) {
            return Err(section.reject("celsius", "expected -60 to 200 degrees Celsius"));
        }
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
        let Condition { step, voltages, pe_cycles, seconds, reads } = *condition;
        let Some(table) = self.tables.get(voltages) else { return 0.0 };
        let seconds = table.at_reference(seconds, self.celsius);
        table.rber(page_type, &Age { step, pe_cycles, seconds, reads }, References::Usual)
    }
}
