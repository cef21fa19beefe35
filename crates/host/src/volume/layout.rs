//! Where the addresses of a volume lie, and with which probability a request goes to each group of them.
//!
//! Addresses are records: a place and a size of its own, aligned to 4 KiB, none overlapping another. They fall into
//! 15 cells, of three characters (only read, only written, both) and five sizes. A cell's records lie side by side.

use super::parameters::Parameters;
use crate::WorkloadError;

/// Constant: the possible sizes, in bytes, of a synthetic volume's records (address ranges that are accessed as a
/// whole).
pub(super) const SIZES: [u64; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];
/// Constant: number of kinds of records of a synthetic volume by access: only read, only written, both.
pub(super) const CHARACTERS: usize = 3;
/// Constant: number of groups of records of a synthetic volume: one for each kind of access (only read, only written,
/// both) and record size.
pub(super) const CELLS: usize = CHARACTERS * SIZES.len();

/// Record of a group of a synthetic volume's records with one kind of access (only read, only written, both) and one
/// size, where a record is an address range that is accessed as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RecordGroup {
    /// Byte offset in the synthetic volume at which this group of records begins.
    pub base: u64,
    /// Size in bytes of each record of this group of a synthetic volume; a record is an address range that is accessed
    /// as a whole.
    pub size: u64,
    /// Number of records in this group of a synthetic volume; a record is an address range that is accessed as a whole.
    pub records: u64,
    /// Probability that a request of a synthetic volume accesses a record of this group.
    pub share: f64,
}

/// Record of the layout of a synthetic volume: the places of all its records, where a record is an address range that
/// is accessed as a whole.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct VolumeLayout {
    /// List of the groups of the synthetic volume's records, ordered by character (only read, only written, both), then
    /// by the size of a record.
    pub cells: [RecordGroup; CELLS],
    /// List of the probabilities of the record sizes of a synthetic volume, in the order of [`SIZES`].
    pub sizes: [f64; 5],
    /// Number of all records of the synthetic volume, which is the number of distinct addresses of its requests.
    pub distinct: u64,
    /// Field: length in bytes of the synthetic volume that has this layout; the volume ends where its last group of
    /// records ends.
    pub bytes: u64,
}

impl VolumeLayout {
    /// Places the records of the synthetic volume that `parameters` describes on a drive of `capacity` bytes, or
    /// without a limit.
    ///
    /// # Errors
    /// When more records are asked for than there are requests to them, the given fractions of addresses leave some for
    /// no request, `fit` is given without a drive, or the drive is too small and `fit` does not allow for fewer
    /// records.
    pub fn new(parameters: &Parameters, capacity: Option<u64>) -> Result<Self, WorkloadError> {
        let layout = Self::of(parameters, parameters.distinct)?;
        let Some(capacity) = capacity else {
            return match parameters.fit {
                Some(fit) => {
                    Err(parameters
                        .wrong(format!("fit={fit} without a drive"), "fit in a run on a drive only"))
                }
                None => Ok(layout),
            };
        };
        let Some(fit) = parameters.fit else {
            return if layout.bytes <= capacity {
                Ok(layout)
            } else {
                Err(too_small(parameters, &layout, capacity))
            };
        };
        let room = (capacity as f64 * fit) as u64;
        let mut fitted = layout;
        // Rounding to whole records may leave a little too much; one more step takes that away.
        while fitted.bytes > room {
            let distinct = (fitted.distinct as f64 * room as f64 / fitted.bytes as f64) as u64;
            if distinct < CELLS as u64 {
                let found = format!("{room} bytes for addresses");
                return Err(parameters.wrong(found, format!("room for at least {CELLS} addresses")));
            }
            fitted = Self::of(parameters, distinct.min(fitted.distinct - 1))?;
        }
        Ok(fitted)
    }

    fn of(parameters: &Parameters, distinct: u64) -> Result<Self, WorkloadError> {
        let sizes = size_mix(parameters.mean_bytes);
        let requests = by_character(parameters);
        let addresses = address_shares(parameters, requests)?;
        let mut weights = [0.0; CELLS];
        for (index, weight) in weights.iter_mut().enumerate() {
            *weight = addresses[index / SIZES.len()] * sizes[index % SIZES.len()];
        }
        let counts = apportion(distinct, &weights);
        let mut base = 0;
        let cells = std::array::from_fn(|index| {
            let (character, size) = (index / SIZES.len(), index % SIZES.len());
            let (records, share) = (counts[index], requests[character] * sizes[size]);
            let cell = RecordGroup { base, size: SIZES[size], records, share };
            base += records * SIZES[size];
            cell
        });
        Ok(Self { cells, sizes, distinct, bytes: base })
    }
}

fn too_small(parameters: &Parameters, layout: &VolumeLayout, capacity: u64) -> WorkloadError {
    let found =
        format!("{} addresses take {} bytes, on a drive of {capacity} bytes", layout.distinct, layout.bytes);
    let fewer = (parameters.requests as f64 * capacity as f64 / layout.bytes as f64 * 0.99) as u64;
    let expected = format!(
        "a larger drive, fit=0.9 (fewer addresses, used more often) or requests={fewer} (a shorter run)"
    );
    parameters.wrong(found, expected)
}

/// Returns the fraction of a synthetic volume's requests that goes to each kind of records: only read, only written,
/// both.
fn by_character(parameters: &Parameters) -> [f64; CHARACTERS] {
    let [reads, writes] = [parameters.reads, 1.0 - parameters.reads];
    let [mixed_reads, mixed_writes] = parameters.interleaved;
    let own = [reads * (1.0 - mixed_reads), writes * (1.0 - mixed_writes)];
    [own[0], own[1], reads * mixed_reads + writes * mixed_writes]
}

/// Returns the fraction of a synthetic volume's addresses (records) that are only read, only written or both: fractions
/// that the parameters give are taken as given, and the others are in proportion to the requests.
fn address_shares(
    parameters: &Parameters,
    requests: [f64; CHARACTERS],
) -> Result<[f64; CHARACTERS], WorkloadError> {
    let given = [parameters.addresses[0], parameters.addresses[1], None];
    let left = 1.0 - given.iter().flatten().sum::<f64>();
    let open: f64 = (0..CHARACTERS).filter(|&c| given[c].is_none()).map(|c| requests[c]).sum();
    let mut shares = [0.0; CHARACTERS];
    for character in 0..CHARACTERS {
        shares[character] = match given[character] {
            Some(share) => share,
            None if open > 0.0 => left * requests[character] / open,
            None => 0.0,
        };
    }
    const NAMES: [&str; CHARACTERS] = ["only read", "only written", "read and written"];
    if open == 0.0 && left > 1e-9 {
        let found = format!("{left:.3} of the addresses left for no request");
        return Err(parameters.wrong(found, "read_only_addresses and write_only_addresses that add up to 1"));
    }
    for character in 0..CHARACTERS {
        let records = shares[character] * parameters.distinct as f64;
        let expected = requests[character] * parameters.requests as f64;
        // The default is in proportion, where both sides differ by rounding alone.
        if records > expected * (1.0 + 1e-9) + 1e-9 {
            let found = format!(
                "{records:.0} addresses that are {} for {expected:.0} requests to them",
                NAMES[character]
            );
            return Err(parameters.wrong(found, "no more addresses than requests: a lower share or distinct"));
        }
    }
    Ok(shares)
}

/// Constant: least probability of a record size of a synthetic volume: sizes below it are left out, so that a mean at
/// the smallest or the largest size leaves only this size.
const RAREST: f64 = 1e-9;

/// Returns the probabilities of a synthetic volume's record sizes [`SIZES`] that give this mean size, from 4 to 64 KiB:
/// the probability of each size is the same multiple of the probability of half this size, which determines the mix.
/// The published statistics say no more than the mean.
fn size_mix(mean_bytes: f64) -> [f64; 5] {
    let mix = |ratio: f64| {
        let weights: [f64; 5] = std::array::from_fn(|power| ratio.powi(power as i32));
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    };
    let mean = |ratio: f64| -> f64 { mix(ratio).iter().zip(SIZES).map(|(p, size)| p * size as f64).sum() };
    // The mean grows with the ratio, so bisection of its logarithm finds it.
    let (mut low, mut high) = (1e-12f64, 1e12f64);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if mean(middle) < mean_bytes { low = middle } else { high = middle }
    }
    let found = mix((low * high).sqrt()).map(|p| if p < RAREST { 0.0 } else { p });
    let sum: f64 = found.iter().sum();
    found.map(|p| p / sum)
}

/// Returns the number of records in each group of a synthetic volume: whole numbers in proportion to `weights` that add
/// up to `total`. The numbers with the largest remainders are rounded up first; a group without a weight gets 0, a
/// group with one at least 1.
fn apportion(total: u64, weights: &[f64; CELLS]) -> [u64; CELLS] {
    let exact = weights.map(|weight| weight * total as f64);
    let mut counts = exact.map(|count| count as u64);
    let mut order: Vec<usize> = (0..CELLS).filter(|&cell| weights[cell] > 0.0).collect();
    order.sort_by(|&a, &b| {
        let rest = |cell: usize| exact[cell] - exact[cell].floor();
        rest(b).total_cmp(&rest(a)).then(a.cmp(&b))
    });
    let missing = total - counts.iter().sum::<u64>().min(total);
    for &cell in order.iter().cycle().take(missing as usize) {
        counts[cell] += 1;
    }
    for &cell in &order {
        if counts[cell] == 0 {
            let largest = (0..CELLS).max_by_key(|&cell| counts[cell]).expect("there are cells");
            counts[largest] -= 1;
            counts[cell] = 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_mixes_have_the_mean_asked_for() {
        for mean in [4096.0, 4872.6, 8500.0, 16384.0, 25395.2, 44_099.0, 65536.0] {
            let mix = size_mix(mean);
            let found: f64 = mix.iter().zip(SIZES).map(|(p, size)| p * size as f64).sum();
            assert!((found / mean - 1.0).abs() < 1e-6, "{mean}: {found}");
            assert!((mix.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        // All five alike have the mean of the five.
        assert!(size_mix(126_976.0 / 5.0).iter().all(|p| (p - 0.2).abs() < 1e-9));
    }

    #[test]
    fn cells_lie_side_by_side_and_hold_all_records() {
        for spec in
            ["volume:prn_0", "volume:src1_0,interleaved=0", "volume:hm_1,reads=1,interleaved=0,distinct=15"]
        {
            let layout = VolumeLayout::new(&Parameters::parse(spec).unwrap(), None).unwrap();
            let mut end = 0;
            for cell in &layout.cells {
                assert_eq!(cell.base, end);
                end += cell.records * cell.size;
            }
            assert_eq!(end, layout.bytes);
            assert_eq!(layout.cells.iter().map(|cell| cell.records).sum::<u64>(), layout.distinct, "{spec}");
        }
    }

    #[test]
    fn shares_of_addresses_are_as_given() {
        let spec = "volume:usr_0,interleaved=0.2,read_only_addresses=0.1,write_only_addresses=0.6";
        let layout = VolumeLayout::new(&Parameters::parse(spec).unwrap(), None).unwrap();
        let records = |character: usize| {
            let cells = &layout.cells[character * 5..character * 5 + 5];
            cells.iter().map(|cell| cell.records).sum::<u64>() as f64 / layout.distinct as f64
        };
        for (character, share) in [0.1, 0.6, 0.3].into_iter().enumerate() {
            assert!((records(character) - share).abs() < 1e-4, "{character}: {}", records(character));
        }
    }

    #[test]
    fn a_small_drive_needs_to_be_told() {
        let open = |spec: &str, capacity| VolumeLayout::new(&Parameters::parse(spec).unwrap(), capacity);
        let whole = open("volume:prn_0", None).unwrap();
        assert_eq!(open("volume:prn_0", Some(whole.bytes)).unwrap(), whole);
        let error = open("volume:prn_0", Some(whole.bytes - 1)).unwrap_err().to_string();
        assert!(error.contains("fit=0.9") && error.contains("requests="), "{error}");
        let fitted = open("volume:prn_0,fit=0.5", Some(1 << 30)).unwrap();
        assert!(fitted.bytes <= 1 << 29 && fitted.bytes > (1 << 29) * 99 / 100, "{}", fitted.bytes);
        assert_eq!(open("volume:prn_0,fit=1", Some(whole.bytes)).unwrap(), whole, "fits already");
        assert!(open("volume:prn_0,fit=0.5", Some(1 << 18)).is_err(), "11 addresses");
        assert!(open("volume:prn_0,fit=0.5", None).is_err());
        // What the message proposes does fit.
        let capacity = 1 << 30;
        let error = open("volume:prn_0", Some(capacity)).unwrap_err().expected;
        let requests = error.split("requests=").nth(1).unwrap().split(' ').next().unwrap();
        assert!(open(&format!("volume:prn_0,requests={requests}"), Some(capacity)).is_ok(), "{error}");
    }

    #[test]
    fn impossible_shares_are_refused() {
        for (spec, what) in [
            ("volume:mds_0,interleaved=0,read_only_addresses=0.9,distinct=500000", "only read"),
            (
                "volume:mds_0,interleaved=0,read_only_addresses=0.1,write_only_addresses=0.1",
                "left for no request",
            ),
        ] {
            let error = VolumeLayout::new(&Parameters::parse(spec).unwrap(), None).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
    }
}
