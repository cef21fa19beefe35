//! Do the error tables of all chips only grow with wear, age and reads, and is one that falls refused with its cell?

use config::{ConfigError, Document, Section};
use nand::tables::{Age, CELL_LAWS, References, Tables};
use nand::{Cell, Geometry, ProgramOrder};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use units::Bytes;

const CELLS: [(&str, Cell, ProgramOrder); 4] = [
    ("mt29f4g08aac", Cell::Slc, ProgramOrder::Page),
    ("poster-mlc", Cell::Mlc, ProgramOrder::Page),
    ("tlc-3d-256g", Cell::Tlc, ProgramOrder::OneShot),
    ("qlc-3d-1t", Cell::Qlc, ProgramOrder::OneShot),
];

fn geometry(cell: Cell, program: ProgramOrder) -> Geometry {
    Geometry {
        channels: 1,
        ways: 1,
        dies_per_way: 1,
        planes: 1,
        blocks_per_plane: 1,
        pages_per_block: 12,
        page_size: Bytes::new(512),
        oob_size: Bytes::new(16),
        cell,
        program,
    }
}

fn read(text: &str, geometry: &Geometry) -> Result<Tables, ConfigError> {
    let document = Document::parse("chip.toml", text)?.nested("nand");
    let mut root = Section::root(&document);
    let mut nand = root.child("nand")?;
    Ok(Tables::read(&mut nand, geometry)?.expect("has tables"))
}

/// Returns, for each file with a chip's derived tables, its text and the geometry of the chip's cells.
fn chips() -> Vec<(String, Geometry)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../chips/derived");
    let files = fs::read_dir(folder).expect("the folder is there").map(|file| file.expect("a file").path());
    let one = |file: &Path| {
        let name = file.file_stem().expect("a name").to_str().expect("text");
        let (_, cell, program) = *CELLS.iter().find(|known| known.0 == name).expect("is in the list above");
        (fs::read_to_string(file).expect("is text"), geometry(cell, program))
    };
    files.map(|file| one(&file)).collect()
}

#[test]
fn errors_of_no_chip_fall_with_wear_age_or_reads() {
    let known: Vec<_> = chips()
        .into_iter()
        .map(|(text, geometry)| {
            let tables = read(&text, &geometry).unwrap_or_else(|error| panic!("{error}"));
            let sets = tables.voltages.iter().filter_map(|set| set.errors.clone());
            let bits = geometry.cell.bits() as usize;
            let last = f64::from(*tables.pe_cycles.last().expect("has rows"));
            (bits, last, tables.errors.clone().into_iter().chain(sets).collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(known.len(), CELLS.len());
    let condition = (0.5..1.5f64, 0.0..1.0f64, 0.0..21.0f64, 0..500_000u32);
    let more = (0.0..1.0f64, 0.0..1.0f64, 0..500_000u32);
    proptest!(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(5_000) }, |(at in condition, (cycles, decades, reads) in more)| {
        // What reads add is known for the usual step only.
        let (step, wear, log_s, read) = if at.3 > 10_000 { (1.0, at.1, at.2, at.3) } else { (at.0, at.1, at.2, 0) };
        for (bits, last, tables) in &known {
            // Inside the grid of each chip: what lies outside is extrapolated.
            let cycles_at = |share: f64| (share * last) as u32;
            let new = Age { step, pe_cycles: cycles_at(wear), seconds: log_s.exp(), reads: read };
            let later = [
                Age { pe_cycles: cycles_at(wear + cycles * (1.0 - wear)), ..new },
                Age { seconds: (log_s + decades).exp(), ..new },
                Age { reads: if read > 0 { read + reads } else { 0 }, ..new },
            ];
            for (table, age) in tables.iter().flat_map(|table| later.map(|age| (table, age))) {
                for page in 0..*bits {
                    for references in [References::Usual, References::Best] {
                        let (before, after) = (table.rber(page, &new, references), table.rber(page, &age, references));
                        prop_assert!(after >= before - 1e-15, "page {page}: {new:?} {before:e}, {age:?} {after:e}");
                    }
                }
            }
        }
    });
}

/// Returns the text of `[tables]` for tests with error rates of one page type at two values each of wear, age and
/// reads.
fn table(rate: &str, rate_reads: &str) -> String {
    format!(
        "[tables]\npe_cycles = [0]\nt_prog = [\"1ms\"]\nt_bers = [\"1ms\"]\n[tables.errors]\nsteps = [1.0]\n\
         pe_cycles = [0, 900]\nages = [\"0s\", \"1d\"]\nreads = [0, 1000]\nrate = [{rate}]\n\
         rate_best = [1e-6, 1e-6, 1e-6, 1e-6]\nrate_reads = [{rate_reads}]\nactivation_ev = 1.1\n\
         reference_celsius = 25.0\n"
    )
}

/// Test: the error rate that reads add does not fall with wear, although in this table reads of the worn block add less
/// than reads of the new one.
#[test]
fn what_reads_add_does_not_fall_where_rates_saturate() {
    let text = table("1e-6, 1e-6, 2e-6, 2e-6", "1e-3, 0.2, 0.15, 0.25");
    let table =
        read(&text, &geometry(Cell::Slc, ProgramOrder::Page)).expect("is legal").errors.expect("has rates");
    let at = |pe_cycles| {
        table.rber(0, &Age { step: 1.0, pe_cycles, seconds: 0.0, reads: 1000 }, References::Usual)
    };
    for pe_cycles in [0, 100, 450, 899, 900, 1500] {
        assert!((at(pe_cycles) - 0.199).abs() < 3e-6, "{pe_cycles} cycles: {}", at(pe_cycles));
    }
}

/// Test: for each chip's tables, soft reads of a page are worth, within a factor of two, those of Gaussian noise with
/// as many raw bit errors as the page has with its best references.
#[test]
fn soft_reads_of_no_chip_are_far_from_noise() {
    let mut looked = 0;
    for (text, geometry) in chips() {
        let errors =
            read(&text, &geometry).unwrap_or_else(|error| panic!("{error}")).errors.expect("has errors");
        let known = errors.known();
        let points =
            known.pe_cycles.iter().flat_map(|wear| known.ages_s.iter().map(move |seconds| (wear, seconds)));
        for (&wear, &seconds) in points {
            let age = Age { pe_cycles: wear, seconds, step: 1.0, reads: 0 };
            for ratio in (0..geometry.cell.bits() as usize).flat_map(|page_type| errors.soft(page_type, &age))
            {
                assert!((0.5..2.0).contains(&ratio), "{wear} cycles, {seconds} s: {ratio}");
                looked += 1;
            }
        }
    }
    assert!(looked > 500, "{looked}");
}

#[test]
fn a_table_that_falls_is_refused_with_its_cell() {
    let slc = geometry(Cell::Slc, ProgramOrder::Page);
    let refused = |rate, reads| read(&table(rate, reads), &slc).expect_err("falls").to_string();
    assert!(read(&table("1e-6, 1e-6, 2e-6, 3e-6", "1e-6, 1e-6, 2e-6, 2e-6"), &slc).is_ok());
    let by_wear = refused("1e-6, 5e-6, 2e-6, 3e-6", "1e-6, 1e-6, 2e-6, 2e-6");
    assert!(by_wear.contains("nand.tables.errors.rate[3] = 3e-6: at 900 cycles, age 86400s"), "{by_wear}");
    assert!(by_wear.contains("at least 5e-6, as errors never fall along pe_cycles"), "{by_wear}");
    let by_age = refused("1e-6, 1e-6, 3e-6, 2e-6", "1e-6, 1e-6, 2e-6, 2e-6");
    assert!(by_age.contains("along ages"), "{by_age}");
    let by_reads = refused("1e-6, 1e-6, 2e-6, 2e-6", "2e-6, 1e-6, 2e-6, 2e-6");
    assert!(by_reads.contains("rate_reads[1] = 1e-6: at 0 cycles, 1000 reads"), "{by_reads}");
}

#[test]
fn tables_of_other_laws_of_cells_are_refused_with_the_command_that_renews_them() {
    let slc = geometry(Cell::Slc, ProgramOrder::Page);
    let table = table("1e-6, 1e-6, 2e-6, 3e-6", "1e-6, 1e-6, 2e-6, 2e-6");
    let states = "[tables.states]\npatterns = [\"random\"]\nt_prog = [\"1ms\"]\nstress = [1.0]\nmisread = [0.0]\nerase_only = 0.7\n";
    let with =
        |laws: &str| read(&(table.replacen("[tables]\n", &format!("[tables]\n{laws}"), 1) + states), &slc);
    assert!(with(&format!("laws = {CELL_LAWS}\n")).is_ok());
    for laws in ["", "laws = 1\n", "laws = 99\n"] {
        let error = with(laws).expect_err("other laws").to_string();
        assert!(error.starts_with("chip.toml:") && error.contains("nand.tables.laws"), "{error}");
        assert!(error.contains(&format!("expected {CELL_LAWS}")), "{error}");
        assert!(error.contains("`floatgate derive chip --out chip.toml`"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    assert!(read(&table, &slc).is_ok(), "tables of a rig's log follow no laws");
}

/// Checks that endurance by temperature is refused where the temperatures do not rise or no cycle is left.
#[test]
fn endurance_that_no_temperature_can_be_looked_up_in_is_refused() {
    let endurance = |celsius: &str, mean: &str| {
        let table = format!(
            "[tables]\npe_cycles = [0]\nt_prog = [\"1ms\"]\nt_bers = [\"1ms\"]\n[tables.endurance]\n\
             cycles = [900, 1000]\ncelsius = [{celsius}]\nmean = [{mean}]\n"
        );
        read(&table, &geometry(Cell::Slc, ProgramOrder::Page)).map_err(|error| error.to_string())
    };
    assert!(endurance("5.0, 25.0", "500.0, 950.0").is_ok());
    for (celsius, mean, expected) in [
        ("25.0, 5.0", "950.0, 500.0", "expected rising temperatures"),
        ("25.0, 25.0", "950.0, 500.0", "expected rising temperatures"),
        ("5.0, 25.0", "500.0, 0.0", "expected cycles above zero"),
    ] {
        let error = endurance(celsius, mean).expect_err("is refused");
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
}
