//! `[ftl.buffer]`.

use super::dram::Dram;
use super::eviction;
use crate::Layout;
use config::{ConfigError, Section, at_least};
use units::{Bytes, Nanos};

/// Set of settings of the write buffer, the DRAM that holds the host's data: `[ftl.buffer]` of a drive file.
pub struct BufferConfig {
    /// Setting: size of the write buffer in slots, each of which can hold one mapping unit.
    pub slots: u32,
    /// Setting: true if a write is acknowledged as soon as the write buffer holds its data (write cache enabled).
    pub write_back: bool,
    /// Setting: true if a battery or capacitors let the write buffer survive a power cut, so that a flush has nothing
    /// to wait for.
    pub power_loss_protection: bool,
    /// Setting: time after which a program unit for which too few units wait in the write buffer is padded and
    /// programmed, although more host data could still fill it.
    pub flush_after: Nanos,
    /// Setting, from `keep_ratio` and the size of the write buffer: greatest number of mapping units that the write
    /// buffer holds back for reuse instead of evicting the units. 0: written units are evicted as soon as dies accept
    /// the units.
    pub keep: u32,
    /// Setting: true if the write buffer also caches clean data: units that were read or programmed, beside written
    /// ones.
    pub read_cache: bool,
    /// Setting: maker of the eviction policy that the drive file names (function that creates the policy); the policy
    /// chooses the cached unit that the write buffer evicts next.
    pub eviction: eviction::Maker,
    /// Setting: greatest number of bytes of written data that may be in flight to the flash at one time; further writes
    /// wait. None: no limit.
    pub in_flight: Option<Bytes>,
    /// Setting: time within which a unit must be written a second time by the host for the write buffer to cache it
    /// (hold it for further overwrites); other written units are queued for programming as they arrive. Zero: all
    /// written units are cached alike.
    pub keep_rewritten: Nanos,
    /// Setting: access times of the buffer's DRAM; none: an access takes no time.
    pub dram: Option<Dram>,
}

/// Constant: default of the setting `keep_ratio`, with `read_cache` or an eviction policy that caches units by default:
/// fraction (0 to 1) of the write buffer that may hold cached units; the rest takes new data.
const KEEP_RATIO: f64 = 0.75;

impl BufferConfig {
    /// Parses the section `[ftl.buffer]` of a drive file.
    ///
    /// # Errors
    /// When a value is wrong, the buffer too small, or a policy has nothing to choose from.
    pub fn read(buffer: &mut Section, layout: &Layout) -> Result<Self, ConfigError> {
        let size = buffer.or("size", Bytes::new(8 << 20), "DRAM that holds written data")?;
        let slots = size.get() / layout.unit.get();
        let least = u64::from(layout.program_units);
        if slots < least || slots > 1 << 24 {
            let expected = format!(
                "expected room for at least one program unit ({}) and at most 2^24 mapping units",
                Bytes::new(least * layout.unit.get())
            );
            return Err(buffer.reject("size", &expected));
        }
        let write_back = buffer.or("write_back", true, "a write is acknowledged when the buffer holds it")?;
        let power_loss_protection =
            buffer.or("power_loss_protection", true, "the buffer survives a power cut: flushes are free")?;
        // Acknowledged data may stay in the buffer until more comes or the host flushes; a host that waits
        // for its program must not wait for other writes.
        let default = if write_back { 1_000_000_000 } else { 10_000 };
        let flush_after =
            buffer.or("flush_after", Nanos::new(default), "a partial program unit is padded after this")?;
        let read_cache = buffer.or("read_cache", false, "units read or programmed stay for reuse")?;
        let mut section = buffer.child("eviction")?;
        let eviction = eviction::read(&mut section)?;
        let drains = eviction().is_drain() && !read_cache;
        section.finish()?;
        let keep = Self::read_keep(buffer, slots, least, drains)?;
        let in_flight: Option<Bytes> = buffer.optional(
            "in_flight",
            "written data on their way to the flash at most; what comes beyond that waits",
        )?;
        if in_flight.is_some_and(|bytes| bytes.get() < layout.unit.get()) {
            return Err(buffer.reject("in_flight", "expected at least a mapping unit"));
        }
        let keep_rewritten = buffer.or(
            "keep_rewritten",
            Nanos::ZERO,
            "only what is written again within this time is kept; 0s: all is kept alike",
        )?;
        if keep_rewritten > Nanos::ZERO && keep == 0 {
            return Err(buffer.reject("keep_rewritten", "expected 0s without a keep_ratio"));
        }
        if in_flight.is_some() && write_back && keep > 0 && keep_rewritten == Nanos::ZERO {
            let expected = "expected none where the buffer keeps data (keep_ratio) without keep_rewritten: what it keeps \
                            would count as on its way, and nothing more could come";
            return Err(buffer.reject("in_flight", expected));
        }
        let dram = Dram::read(buffer)?;
        Ok(Self {
            slots: slots as u32,
            write_back,
            power_loss_protection,
            flush_after,
            keep,
            read_cache,
            eviction,
            in_flight,
            keep_rewritten,
            dram,
        })
    }

    fn read_keep(buffer: &mut Section, slots: u64, least: u64, drains: bool) -> Result<u32, ConfigError> {
        let usual = if drains { 0.0 } else { KEEP_RATIO };
        let ratio: f64 = buffer.unit("ratio").within(at_least(0.0).at_most(1.0)).or(
            "keep_ratio",
            usual,
            "part of the buffer for units that wait to be used again; 0: they leave as dies take them",
        )?;
        // What comes in must find room for a whole program unit, or a partial one would wait for more units in vain.
        let most = slots.saturating_sub(least);
        let keep = ((slots as f64 * ratio) as u64).min(most);
        if keep == 0 && !drains {
            return Err(buffer.reject(
                "keep_ratio",
                "expected more than 0, and a buffer of more than one program unit: a cache must keep something",
            ));
        }
        Ok(keep as u32)
    }
}
