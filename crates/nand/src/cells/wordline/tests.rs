//! Do all vectors give the same cells?

use super::*;
use crate::Cell;
use config::{Document, Section};

fn bits(volts: &[f32]) -> Vec<u32> {
    volts.iter().map(|volts| volts.to_bits()).collect()
}

#[test]
fn wide_and_narrow_vectors_agree_bit_for_bit() {
    for (cell, text) in [
        (Cell::Mlc, include_str!("../../../../../chips/poster-mlc.toml")),
        (Cell::Qlc, include_str!("../../../../../chips/qlc-3d-1t.toml")),
    ] {
        let document = Document::parse("chip.toml", text).unwrap_or_else(|error| panic!("{error}"));
        let physics = CellPhysics::read(&mut Section::root(&document), cell);
        let physics = physics.unwrap_or_else(|error| panic!("{error}")).expect("the chip has cells");
        let (worn, plan) = (Condition::worn(1500.0), &physics.plans[0]);
        // Not a multiple of any vector's width.
        let states: Vec<u8> = (0..10_007u32).map(|cell| (cell % physics.states.len() as u32) as u8).collect();
        let mut wide = Wordline::erased(&physics, Stream::new(5), states.len(), 1, &worn);
        let mut narrow = wide.clone();
        wide.erase(&physics, 2, &worn);
        narrow.erase_lanes(&physics, 2, &worn);
        for pass in 0..physics.program.passes.len() {
            let counts = narrow.program_lanes(&physics, plan, pass, &states, &worn);
            assert_eq!(wide.program(&physics, plan, pass, &states, &worn), counts, "{cell:?}, pass {pass}");
        }
        let erased = vec![physics.erased as f32; states.len()];
        let above = narrow.volts.clone();
        wide.couple_next(&physics, &erased, &above);
        narrow.couple_next_lanes(&physics, &erased, &above);
        assert_eq!(bits(&wide.volts), bits(&narrow.volts), "{cell:?}");
        let aged = wide.aged(&physics, &worn, 1e7, 100_000);
        assert_eq!(bits(&aged), bits(&narrow.aged_lanes(&physics, &worn, 1e7.into(), 100_000)), "{cell:?}");
        assert_eq!(Wordline::sense(&aged, &plan.references), Wordline::sense_lanes(&aged, &plan.references));
    }
}
