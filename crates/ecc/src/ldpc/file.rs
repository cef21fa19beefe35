//! Files of `codes/`: one code each, by circulants, by the addresses of an accumulator or by lines over a finite field.

use super::cycles::Spectrum;
use super::grow::Growth;
use super::{BaseMatrix, Encoder, Graph, Lines};
use config::{ConfigError, Document, Section, Value, at_least, at_most};

/// Kind of origin that the parity-check matrix of a code in a code file has: a standard, or this project's
/// construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeOrigin {
    /// Case of origin of a code's parity-check matrix: the standard named here.
    Standard(String),
    /// Case of origin of a code's parity-check matrix: this project's program made the matrix; with the parameters of
    /// the construction, and the numbers of short cycles of the matrix.
    Grown(Growth, Spectrum),
}

/// Record of an LDPC code as read from a code file of `codes/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Field of a code: origin of the code's matrix: a standard, or grown by this project.
    pub origin: CodeOrigin,
    /// Field of a code: matrix of the code as cyclic shifts of circulants; none if the matrix is not quasi-cyclic.
    pub base: Option<BaseMatrix>,
    /// Field of a code: parity-check matrix of the LDPC code, row by row.
    pub graph: Graph,
}

/// Constant: greatest number of bits of a codeword, so that numbers of edges have 32 bits.
const BITS_MOST: u32 = 1 << 20;

impl Code {
    /// Parses the text of a code file (parity-check matrix of an LDPC code in `codes/`), called `file` in error
    /// messages.
    ///
    /// # Errors
    /// When a key is unknown, missing or wrong, or the matrix does not have the shape or the rank that it should.
    pub fn parse(file: &str, text: &str) -> Result<Self, ConfigError> {
        let document = Document::parse(file, text)?;
        let mut root = Section::root(&document);
        let whole = at_least(1u32).at_most(BITS_MOST);
        let bits = root.within(whole.clone()).required("bits", "bits of a word")?;
        let data_bits =
            root.within(whole).required("data_bits", "bits of a word that are data: the first")?;
        if data_bits >= bits {
            return Err(root.reject("data_bits", &format!("expected less than the {bits} bits of a word")));
        }
        let origin = read_origin(&mut root)?;
        let (base, graph) = if root.has("addresses") {
            (None, read_accumulator(&mut root, bits, data_bits)?)
        } else if root.has("slopes") {
            (None, read_lines(&mut root, bits, data_bits)?)
        } else {
            let base = read_base(&mut root, bits, data_bits)?;
            let graph = base.graph(data_bits as usize);
            (Some(base), graph)
        };
        if Encoder::new(&graph).is_none() {
            let checks = graph.checks();
            let expected = format!(
                "expected {checks} checks that settle the other {} bits: some follow from others, or say nothing of them",
                bits - data_bits
            );
            return Err(root.reject("data_bits", &expected));
        }
        root.finish()?;
        Ok(Self { origin, base, graph })
    }
}

fn read_origin(root: &mut Section) -> Result<CodeOrigin, ConfigError> {
    if let Some(standard) = root.optional("standard", "the standard that the matrix is written from")? {
        return Ok(CodeOrigin::Standard(standard));
    }
    let mut grown = root.child("grown")?;
    let seed = grown.within(at_least(0u64)).required("seed", "seed of the choice among equals")?;
    let weight =
        |grown: &mut Section, key, help| grown.within(at_least(1u32).at_most(64u32)).required(key, help);
    let data_weight = weight(&mut grown, "data_weight", "circulants in each column of data")?;
    let parity_weight = weight(&mut grown, "parity_weight", "circulants in each column of parity")?;
    grown.finish()?;
    let mut cycles = root.child("cycles")?;
    let mut count = |key| cycles.required(key, "cycles of this length in the whole matrix");
    let spectrum = Spectrum { of_4: count("of_4")?, of_6: count("of_6")?, of_8: count("of_8")? };
    cycles.finish()?;
    let size = root.within(at_most(BITS_MOST)).required("circulant", CIRCULANT)?;
    Ok(CodeOrigin::Grown(Growth { seed, circulant: size, data_weight, parity_weight }, spectrum))
}

const CIRCULANT: &str = "rows of a circulant";

fn read_base(root: &mut Section, bits: u32, data_bits: u32) -> Result<BaseMatrix, ConfigError> {
    let circulant: u32 = root.within(at_least(1u32).at_most(bits)).required("circulant", CIRCULANT)?;
    if !bits.is_multiple_of(circulant) || !data_bits.is_multiple_of(circulant) {
        return Err(root.reject("circulant", &format!("expected a divisor of {bits} and {data_bits} bits")));
    }
    let shifts_of = root.within(at_least(circulant).at_most(BITS_MOST)).or(
        "shifts_of",
        circulant,
        "rows of the circulants that the shifts are given for; smaller ones have them scaled down",
    )?;
    let rows: Vec<String> = root.required("rows", "shifts of each row of circulants, \"-\" for zeros")?;
    let (high, wide) = ((bits - data_bits) / circulant, bits / circulant);
    if rows.len() != high as usize {
        let expected =
            format!("expected {high} rows for {} parity bits, got {}", bits - data_bits, rows.len());
        return Err(shape(root, "rows", None, expected));
    }
    let mut shifts = Vec::new();
    for (line, text) in rows.iter().enumerate() {
        let row: Vec<_> = text.split_whitespace().map(|word| shift(word, circulant, shifts_of)).collect();
        if let Some(at) = row.iter().position(Option::is_none) {
            let word = text.split_whitespace().nth(at).unwrap_or_default();
            let expected =
                format!("column {}: {word:?}: expected \"-\" or a shift below {shifts_of}", at + 1);
            return Err(shape(root, "rows", Some(line), expected));
        }
        if row.len() != wide as usize {
            let expected = format!("expected {wide} shifts for {bits} bits, got {}", row.len());
            return Err(shape(root, "rows", Some(line), expected));
        }
        shifts.push(row.into_iter().flatten().collect());
    }
    Ok(BaseMatrix { circulant, shifts })
}

/// Makes an error message about the matrix in a code file, without the whole matrix in the text; with the position of
/// line `line` of the matrix if the error is about one line.
fn shape(root: &Section, key: &str, line: Option<usize>, expected: String) -> ConfigError {
    let error = root.reject(key, "");
    let place = match (root.written(key), line) {
        (Some(Value::List(lines)), Some(line)) => lines[line].place.clone(),
        _ => error.place.clone(),
    };
    ConfigError { value: String::new(), place, expected, ..error }
}

/// Parses one entry of a row of a quasi-cyclic matrix: `-` is a zero block, a number below `shifts_of` is the cyclic
/// shift of a circulant, scaled from circulants of `shifts_of` rows to `circulant` rows. `None` for any other text.
fn shift(word: &str, circulant: u32, shifts_of: u32) -> Option<Option<u32>> {
    if word == "-" {
        return Some(None);
    }
    let shift = word.parse::<u32>().ok().filter(|shift| *shift < shifts_of)?;
    Some(Some((u64::from(shift) * u64::from(circulant) / u64::from(shifts_of)) as u32))
}

/// Reads the matrix of a repeat-accumulate code (such as DVB-S2): each data bit is added to the parity bits at the
/// addresses that the file lists for the first bit of its group, shifted alike for each further bit; then each parity
/// bit is added to the next.
fn read_accumulator(root: &mut Section, bits: u32, data_bits: u32) -> Result<Graph, ConfigError> {
    let group: u32 = root
        .within(at_least(1u32).at_most(bits))
        .required("group", "data bits that share a line of addresses")?;
    let parity = bits - data_bits;
    if !data_bits.is_multiple_of(group) || !parity.is_multiple_of(group) {
        return Err(root.reject("group", &format!("expected a divisor of {data_bits} and {parity} bits")));
    }
    let lines: Vec<String> =
        root.required("addresses", "parity bits that the first of each group is added to")?;
    if lines.len() != (data_bits / group) as usize {
        let expected =
            format!("expected {} lines for {data_bits} data bits, got {}", data_bits / group, lines.len());
        return Err(shape(root, "addresses", None, expected));
    }
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); parity as usize];
    for (number, line) in (0u32..).zip(&lines) {
        for word in line.split_whitespace() {
            let Some(address) = word.parse::<u32>().ok().filter(|address| *address < parity) else {
                let expected = format!("{word:?}: expected a number below {parity}");
                return Err(shape(root, "addresses", Some(number as usize), expected));
            };
            for within in 0..group {
                let check = (address + within * (parity / group)) % parity;
                rows[check as usize].push(number * group + within);
            }
        }
    }
    for (check, row) in (0u32..).zip(&mut rows) {
        row.extend(check.checked_sub(1).map(|before| data_bits + before));
        row.push(data_bits + check);
        row.sort_unstable();
        if row.windows(2).any(|pair| pair[0] == pair[1]) {
            let expected = format!("check {check} has a bit twice: expected addresses that differ");
            return Err(shape(root, "addresses", None, expected));
        }
    }
    Ok(Graph::new(bits as usize, data_bits as usize, rows))
}

/// Reads the matrix of a code with checks that are lines over a finite field (see `Lines`).
fn read_lines(root: &mut Section, bits: u32, data_bits: u32) -> Result<Graph, ConfigError> {
    let symbol_bits =
        root.within(at_least(3u32).at_most(8u32)).required("symbol_bits", "bits of a symbol")?;
    let elements = 1u32 << symbol_bits;
    let points = root.within(at_least(2u32).at_most(elements - 1)).required("points", "points of a line")?;
    let slopes: Vec<u32> = root.required("slopes", "slopes of the lines, as the bits of polynomials")?;
    let unlike = slopes.iter().enumerate().all(|(at, slope)| !slopes[..at].contains(slope));
    if !unlike || slopes.iter().any(|slope| *slope >= elements) || slopes.len() > SLOPES_MOST {
        let expected = format!("expected up to {SLOPES_MOST} different numbers below {elements}");
        return Err(root.reject("slopes", &expected));
    }
    let lines = Lines { symbol_bits, points, slopes };
    if lines.bits() != bits {
        let expected = format!("expected the {} bits of {points} points of {elements} symbols", lines.bits());
        return Err(root.reject("bits", &expected));
    }
    let graph = lines.graph();
    if graph.data_bits() != data_bits as usize {
        let expected = format!("expected the {} bits that the checks leave for data", graph.data_bits());
        return Err(root.reject("data_bits", &expected));
    }
    Ok(graph)
}

/// Constant: greatest number of slopes of the lines that are the parity checks of a code: the rank of so many checks is
/// found at once.
const SLOPES_MOST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ldpc::named;

    const SMALL: &str = r#"standard = "none"
bits = 12
data_bits = 6
circulant = 3
rows = [
    "0 1 0 -",
    "2 0 1 0",
]
"#;

    fn error(from: &str, to: &str) -> String {
        assert!(SMALL.contains(from), "{from}");
        Code::parse("small.toml", &SMALL.replace(from, to)).expect_err("an error").to_string()
    }

    #[test]
    fn circulants_are_written_out() {
        let code = Code::parse("small.toml", SMALL).expect("a code");
        assert_eq!((code.graph.checks(), code.graph.edges()), (6, 21));
        assert_eq!(code.graph.row(2), [2, 3, 8]);
        assert_eq!(code.graph.row(4), [0, 4, 8, 10]);
    }

    #[test]
    fn errors_name_place_and_expectation() {
        let cases = [
            (error("\"0 1 0 -\"", "\"0 1 0\""), "small.toml:6: rows: expected 4 shifts for 12 bits, got 3"),
            (
                error("2 0 1 0", "2 3 1 0"),
                "small.toml:7: rows: column 2: \"3\": expected \"-\" or a shift below 3",
            ),
            (error("    \"2 0 1 0\",\n", ""), "expected 2 rows for 6 parity bits, got 1"),
            (error("circulant = 3", "circulant = 5"), "expected a divisor of 12 and 6 bits"),
            (error("data_bits = 6", "data_bits = 12"), "expected less than the 12 bits of a word"),
            (error("circulant", "circulants"), "circulant: missing"),
            (error("bits = 12", "bits = 12\nbit = 3"), "did you mean \"bits\"?"),
            // Both checks say the same of the parity: one bit of each three is left open.
            (error("0 1 0 -", "0 1 1 0"), "small.toml:3: data_bits = 6: expected 6 checks that settle"),
        ];
        for (error, expected) in cases {
            assert!(error.contains(expected), "{error}\n{expected}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }

    #[test]
    fn addresses_of_an_accumulator_are_checked() {
        let text =
            "standard = \"none\"\nbits = 12\ndata_bits = 6\ngroup = 3\naddresses = [\"0 3\", \"1 4\"]\n";
        let code = Code::parse("a.toml", text).expect("a code");
        // Six parity bits, two for each of a group. Bit 1 goes to 0 + 2 and 3 + 2, bit 5 to 1 + 4 and to 4 + 4, which is 2
        // again; beside them are parity bits 1 and 2.
        assert_eq!(code.graph.row(2), [1, 5, 7, 8]);
        for (from, to, expected) in [
            ("1 4", "1 6", "a.toml:5: addresses: \"6\": expected a number below 6"),
            ("1 4", "1 1", "has a bit twice"),
            (", \"1 4\"", "", "expected 2 lines for 6 data bits, got 1"),
        ] {
            let error = Code::parse("a.toml", &text.replace(from, to)).expect_err("an error").to_string();
            assert!(error.contains(expected), "{error}\n{expected}");
        }
    }

    #[test]
    fn lines_are_checked() {
        let text = "standard = \"none\"\nbits = 40\ndata_bits = 21\nsymbol_bits = 3\npoints = 5\nslopes = [0, 1, 2]\n";
        let graph = Code::parse("l.toml", text).expect("a code").graph;
        assert_eq!((graph.bits(), graph.data_bits(), graph.checks()), (40, 21, 24));
        for (from, to, expected) in [
            (
                "data_bits = 21",
                "data_bits = 20",
                "l.toml:3: data_bits = 20: expected the 21 bits that the checks",
            ),
            ("bits = 40", "bits = 48", "l.toml:2: bits = 48: expected the 40 bits of 5 points of 8 symbols"),
            ("0, 1, 2", "0, 1, 1", "l.toml:6: slopes"),
            ("0, 1, 2", "0, 1, 8", "different numbers below 8"),
            ("points = 5", "points = 8", "points = 8"),
        ] {
            let error = Code::parse("l.toml", &text.replace(from, to)).expect_err("an error").to_string();
            assert!(error.contains(expected) && error.lines().count() == 1, "{error}\n{expected}");
        }
    }

    /// Returns, for the tests, a hash of the positions of all ones of a matrix, row by row (FNV-1a), so that a single
    /// wrong shift is noticed.
    fn fingerprint(graph: &Graph) -> u64 {
        let take = |hash: u64, number: u32| (hash ^ u64::from(number)).wrapping_mul(0x0000_0100_0000_01b3);
        let row =
            |hash, check| take(graph.row(check).iter().fold(hash, |hash, bit| take(hash, *bit)), u32::MAX);
        (0..graph.checks()).fold(0xcbf2_9ce4_8422_2325, row)
    }

    /// Checks the standards' matrices: number of ones, widest check, and all entries. Entries are those of AFF3CT's
    /// matrices, which were compared entry by entry (its WiMAX with the bits and rows of each circulant in reverse: it
    /// shifts the other way; its 10GBASE-T, whose checks and bits come in another order, mapped to ours by an
    /// isomorphism that maps all 12,288 entries).
    #[test]
    fn standards_have_their_entries() {
        for (name, ones, widest, print) in [
            ("wimax-576-288", 1824, 7, 0x7cda_8489_6916_5e0d),
            ("wifi-648-540", 2160 - 108 + 324, 22, 0x2af8_b74f_3437_f653),
            ("dvb-s2-16200-14400", 48_599, 27, 0x7641_e4ef_1c95_2b30),
            ("dvb-s2-16200-10800", 53_999, 10, 0xf3fa_864d_7106_78a2),
            ("10gbase-t-2048-1723", 12_288, 32, 0xbef0_167e_32e2_24f9),
        ] {
            let graph = named(name).expect("a shipped code").graph;
            assert_eq!((graph.edges(), graph.widest()), (ones, widest), "{name}");
            assert_eq!(fingerprint(&graph), print, "{name}: {:#018x}", fingerprint(&graph));
        }
    }
}
