//! What an access to the buffer's DRAM takes: one at a time, on one channel.
//!
//! The formula is that of MQSim's `estimate_dram_access_time` (Tavakkol et al., FAST 2018), its oddities included,
//! because a peer is only of use where it can be compared. An access within a row takes tRCD, tCL and half as many
//! bursts as there are, since the rate counts both edges. Beyond a row only every second row is charged, and what is
//! left over a row is divided by the time of a burst instead of multiplied.

use config::{ConfigError, Section, at_least};
use units::{Bytes, Nanos};

/// Set of settings of the buffer's DRAM, its access times, in section `[ftl.buffer.dram]` of a drive file.
#[derive(Clone, Copy, Debug)]
pub struct Dram {
    row: u64,
    burst: u64,
    /// Time of one transfer (burst) on the DRAM channel, in nanoseconds.
    t_transfer: f64,
    t_rcd: Nanos,
    t_cl: Nanos,
    t_rp: Nanos,
}

impl Dram {
    /// Parses the section `[ftl.buffer.dram]`; `None` where the section gives no transfer rate.
    ///
    /// # Errors
    /// When a value is wrong.
    pub(super) fn read(buffer: &mut Section) -> Result<Option<Self>, ConfigError> {
        let mut section = buffer.child("dram")?;
        let help = "millions of transfers in a second over the channel of the buffer's DRAM; absent: it takes no time";
        let rate: Option<u32> = section.unit("MT/s").within(at_least(1u32)).optional("transfers", help)?;
        let Some(rate) = rate else {
            section.finish()?;
            return Ok(None);
        };
        let row = section.within(at_least(Bytes::new(1))).or("row", Bytes::new(8192), "bytes of a row")?;
        let burst =
            section.within(at_least(Bytes::new(1))).or("burst", Bytes::new(4), "bytes of a transfer")?;
        let dram = Self {
            row: row.get(),
            burst: burst.get(),
            t_transfer: 1e9 / (f64::from(rate) * 1e6),
            t_rcd: section.or("t_rcd", Nanos::new(13), "row to column")?,
            t_cl: section.or("t_cl", Nanos::new(13), "column to data")?,
            t_rp: section.or("t_rp", Nanos::new(13), "precharge of a row")?,
        };
        section.finish()?;
        Ok(Some(dram))
    }

    /// Returns the time that a DRAM access to `bytes` bytes takes.
    pub fn access(&self, bytes: u64) -> Nanos {
        let begin = self.t_rcd + self.t_cl;
        if bytes <= self.row {
            let data = (bytes / self.burst / 2) as f64 * self.t_transfer;
            return begin + Nanos::new(data as u64);
        }
        let row = ((self.row / self.burst / 2) as f64 * self.t_transfer + self.t_rp.ns() as f64) as u64;
        let rows = Nanos::new(row).times(bytes / self.row / 2);
        let rest = (bytes % self.row) as f64 / (self.burst as f64 * self.t_transfer);
        begin + rows + begin + Nanos::new(rest as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_take_what_they_take_in_mqsim() {
        let dram = Dram {
            row: 8192,
            burst: 1,
            t_transfer: 10.0,
            t_rcd: Nanos::new(13),
            t_cl: Nanos::new(13),
            t_rp: Nanos::new(13),
        };
        // By hand from estimate_dram_access_time with MQSim's shipped parameters.
        let expected = [
            (512, 2_586),
            (4096, 20_506),
            (8192, 40_986),
            (12_288, 461),
            (16_384, 41_025),
            (61_440, 123_380),
        ];
        for (bytes, ns) in expected {
            assert_eq!(dram.access(bytes).ns(), ns, "{bytes} bytes");
        }
    }
}
