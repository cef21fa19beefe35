//! What is published about twelve volumes of the MSR Cambridge traces.
//!
//! The traces: D. Narayanan, A. Donnelly, A. Rowstron, "Write Off-Loading: Practical Power Management for Enterprise
//! Storage" (FAST 2008), one week from 22 February 2007. Counts of single volumes stand in later papers' tables of
//! workloads. Li et al. (FAST 2016) used twelve volumes that they do not name; these twelve are the ten of which
//! requests, share of writes and bytes moved were all found, hm_0, of which a range of mean sizes was found, and
//! prn_1, so that a large volume of mostly reads is among them.

/// Record of one number from the statistics of a volume of the MSR Cambridge traces, with its source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourcedNumber {
    /// Value of this statistic of a traced volume, such as its number of requests or their mean size; published or
    /// assumed.
    pub value: f64,
    /// Source of the number of a traced volume's statistics, or `assumed:` and the reason.
    pub source: &'static str,
}

/// Record of the published statistics of one volume of the MSR Cambridge traces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    /// Name of the recorded volume, such as `prn_0`.
    pub name: &'static str,
    /// Purpose of the server that the recorded volume belongs to.
    pub server: &'static str,
    /// Number of requests to the recorded volume in the week of the recording of the MSR Cambridge traces, with its
    /// source.
    pub requests: SourcedNumber,
    /// Fraction of reads among the requests to the recorded volume, 0 to 1.
    pub reads: SourcedNumber,
    /// Mean size of a request to the recorded volume, in bytes.
    pub mean_bytes: SourcedNumber,
    /// Number of distinct addresses at which requests to the recorded volume begin.
    pub distinct: SourcedNumber,
}

/// Constant: length in seconds of the recording of the MSR Cambridge traces, one week, that the published counts of
/// each volume cover.
pub(super) const WEEK_S: f64 = 7.0 * 86_400.0;

const COUNTED: &str = "counts of the published trace, as in papers' tables of workloads";
const RECALLED: &str = "such a table from memory, not checked against a copy";
const FROM_BYTES: &str =
    "bytes moved over requests, both as in papers' tables of workloads; GB taken as 10^9 bytes";
const FROM_RANGE: &str = "middle of the range of 8 to 9 KB that papers give";
const NO_SIZE: &str = "assumed: no mean size found; a middling power of two";
const NO_DISTINCT: &str = "assumed: 15.1 % of the requests, the median of the eleven volumes of which this was found (1.2 % to 70 %)";

/// Constant: median, over eleven recorded volumes, of the ratio of distinct addresses to requests: hm_0, prn_0, prn_1,
/// proj_0, proj_1, prxy_0, src1_0, src1_1, usr_1, usr_2 and web_2; it is the ratio of src1_0.
const MEDIAN_DISTINCT: f64 = 5_659_341.0 / 37_415_613.0;

const fn known(value: f64, source: &'static str) -> SourcedNumber {
    SourcedNumber { value, source }
}

/// Makes the statistics of a recorded volume of which the number of requests, the percentage of writes and the number
/// of bytes moved were found; the number of distinct addresses is assumed.
const fn counted(
    name: &'static str,
    server: &'static str,
    requests: f64,
    write_percent: f64,
    bytes: f64,
) -> Volume {
    Volume {
        name,
        server,
        requests: known(requests, COUNTED),
        reads: known(1.0 - write_percent / 100.0, COUNTED),
        mean_bytes: known(bytes / requests, FROM_BYTES),
        distinct: known(requests * MEDIAN_DISTINCT, NO_DISTINCT),
    }
}

const fn with_distinct(volume: Volume, distinct: f64) -> Volume {
    Volume { distinct: known(distinct, COUNTED), ..volume }
}

static VOLUMES: [Volume; 12] = [
    Volume {
        mean_bytes: known(8_500.0, FROM_RANGE),
        ..with_distinct(counted("hm_0", "hardware monitoring", 3_993_316.0, 64.5, 0.0), 439_187.0)
    },
    counted("hm_1", "hardware monitoring", 609_311.0, 100.0 * 28_415.0 / 609_311.0, 9.45e9),
    counted("mds_0", "media server", 1_211_034.0, 88.1, 11.4e9),
    with_distinct(counted("prn_0", "print server", 5_585_886.0, 89.2, 63.4e9), 711_385.0),
    Volume {
        reads: known(1.0 - 0.247, RECALLED),
        mean_bytes: known(16_384.0, NO_SIZE),
        ..with_distinct(counted("prn_1", "print server", 11_233_411.0, 0.0, 0.0), 2_173_575.0)
    },
    with_distinct(counted("prxy_0", "web proxy", 12_518_968.0, 96.9, 61.0e9), 155_681.0),
    counted("rsrch_0", "research projects", 1_433_655.0, 90.7, 13.1e9),
    with_distinct(counted("src1_0", "source control", 37_415_613.0, 43.6, 1.65e12), 5_659_341.0),
    counted("stg_1", "web staging", 2_196_861.0, 36.2, 91.8e9),
    counted("ts_0", "terminal server", 1_801_734.0, 82.4, 16.6e9),
    counted("usr_0", "users' home directories", 2_237_889.0, 59.6, 51.9e9),
    counted("wdev_0", "test web server", 1_143_261.0, 79.9, 10.6e9),
];

/// Returns the published statistics of the twelve recorded volumes of the MSR Cambridge traces, sorted by name.
pub fn volumes() -> &'static [Volume] {
    &VOLUMES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_source_and_lies_where_such_numbers_lie() {
        assert!(VOLUMES.windows(2).all(|pair| pair[0].name < pair[1].name));
        for volume in volumes() {
            let name = volume.name;
            for known in [volume.requests, volume.reads, volume.mean_bytes, volume.distinct] {
                assert!(known.source.len() >= 10 && known.value > 0.0, "{name}: {known:?}");
            }
            assert!(volume.reads.value < 1.0, "{name}");
            assert!((4096.0..=65536.0).contains(&volume.mean_bytes.value), "{name}: {:?}", volume.mean_bytes);
            assert!(volume.distinct.value < volume.requests.value, "{name}");
        }
    }
}
