//! Sizes of SLC caches in Python.

use super::asked::{PolicyObject, Question, UserClass};
use config::{ConfigError, Section};
use ftl::slc_cache::{CacheShape, CacheView, Folding, Maker, SlcCachePolicy};
use pyo3::prelude::*;
use std::sync::Arc;

/// Reads from `section` the parameters of folding (moving data out of the SLC cache), which stand beside the parameters
/// of the class, and returns the function that makes instances of the user's SLC cache policy `class`.
pub fn maker(class: Arc<UserClass>, section: &mut Section) -> Result<Maker, ConfigError> {
    let folding = Folding::read(section)?;
    Ok(Box::new(move || Box::new(Cache::new(&class, folding))))
}

struct Cache {
    asked: PolicyObject,
    most: Question,
    reserved: Option<Question>,
    folding: Folding,
}

impl Cache {
    fn new(class: &Arc<UserClass>, folding: Folding) -> Self {
        let asked = PolicyObject::new(class);
        Self { most: asked.question("most"), reserved: asked.defined("reserved"), folding, asked }
    }

    fn ask(&self, question: &Question, shape: &CacheShape, spare: u32) -> u32 {
        let superblocks = shape.superblocks;
        let taken = |answer: &Bound<'_, PyAny>| {
            answer.extract().ok().filter(|answer| (0..=superblocks).contains(answer))
        };
        let expected = format!("a whole number from 0 to {superblocks}");
        let shown = (shape.dies, superblocks, shape.superblock.get(), spare);
        self.asked.ask_with_view(question, &expected, shown, taken)
    }
}

impl SlcCachePolicy for Cache {
    fn reserved(&self, shape: &CacheShape) -> u32 {
        self.reserved.as_ref().map_or(0, |reserved| self.ask(reserved, shape, 0))
    }

    fn most(&self, view: &CacheView) -> u32 {
        self.ask(&self.most, &view.shape, view.spare)
    }

    fn folding(&self) -> Option<Folding> {
        Some(self.folding)
    }
}
