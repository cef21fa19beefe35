//! Where on the drive does a request of the trace go?
//!
//! Volumes are laid end to end in the order in which they appear, each rounded up to 1 MiB. What then lies
//! beyond the drive is refused, or moved as the user asked. On a drive of several namespaces each volume has the one of
//! its name.

use super::footprint::{PAGE, PageRanks};
use super::options::Addresses;
use super::record::Record;
use crate::{Effect, Op};

/// Constant: alignment in bytes of the first byte of each volume on the drive: 1 MiB.
const VOLUME_ALIGNMENT: u64 = 1 << 20;

/// Table of the places on the drive of a trace's volumes: the first byte of each, and the number of bytes that they
/// need together (end of the last volume, or capacity of a drive with namespaces).
pub(crate) struct VolumePlaces {
    bases: Vec<u64>,
    /// Field: number of bytes of the drive that all volumes of the trace need together: the end of the last volume,
    /// where they are laid end to end, or the capacity of the drive, where they lie in namespaces.
    pub span: u64,
}

impl VolumePlaces {
    /// Places volumes of the given spans (bytes) end to end; `None` when the sum does not fit into 64 bits.
    pub fn new(spans: &[u64]) -> Option<Self> {
        let (mut bases, mut next, mut span) = (Vec::with_capacity(spans.len()), 0u64, 0);
        for &volume in spans {
            bases.push(next);
            span = next.checked_add(volume)?;
            next = span.checked_next_multiple_of(VOLUME_ALIGNMENT)?;
        }
        Some(Self { bases, span })
    }

    /// Makes the places of volumes that begin at the bytes `bases` of a drive of `span` bytes.
    pub fn at(bases: Vec<u64>, span: u64) -> Self {
        Self { bases, span }
    }

    /// Returns the first byte on the drive of volume `volume`; zero for a volume that the first pass over the trace did
    /// not meet.
    #[inline]
    pub fn base(&self, volume: u32) -> u64 {
        self.bases.get(volume as usize).copied().unwrap_or(0)
    }
}

/// Kind of mapping of a trace's addresses to addresses of the drive, with the data that the mapping needs.
pub(crate) enum AddressPlacement {
    /// Way to map: addresses of the trace are used as addresses of the drive, behind the start of their volume.
    Direct,
    /// Way to map: addresses of the trace are taken modulo the capacity of the drive.
    Wrap,
    /// Way to map: page numbers of the trace are multiplied by the drive's number of pages and divided by the trace's,
    /// unless the addresses of the trace fit on the drive; these stay unchanged.
    Scale {
        /// Field of the way `Scale`: number of 4 KiB pages that all volumes of the trace span, laid end to end.
        span_pages: u64,
    },
    /// Way to map: each touched page of the trace goes to the page of the drive whose number is its number among the
    /// touched pages, which are numbered without gaps in the order of address.
    Compact(PageRanks),
}

impl AddressPlacement {
    /// Makes the address mapping for the option `addresses`; `Compact` needs the ranking of the touched pages.
    pub fn new(addresses: Addresses, layout: &VolumePlaces, ranks: Option<PageRanks>) -> Self {
        match (addresses, ranks) {
            (Addresses::Compact, Some(ranks)) => Self::Compact(ranks),
            (Addresses::Wrap, _) => Self::Wrap,
            (Addresses::Scale, _) => Self::Scale { span_pages: layout.span.div_ceil(PAGE) },
            _ => Self::Direct,
        }
    }

    /// Returns the byte address on the drive at which the trace's request begins after the mapping of addresses, 0 for
    /// a flush. `None` when the request does not fit into `drive_bytes` bytes (whole pages, unless the mapping is
    /// `Direct`), which the first pass over the trace has excluded unless the file has changed since.
    #[inline]
    pub fn offset(&self, record: &Record, layout: &VolumePlaces, drive_bytes: u64) -> Option<u64> {
        let bytes = u64::from(record.bytes);
        if bytes == 0 && record.op.effect() != Effect::Manage {
            return Some(0);
        }
        if record.op == Op::HANDLE_UPDATE {
            // It is about a namespace, wherever requests go.
            return Some(layout.base(record.volume)).filter(|base| *base < drive_bytes).or(Some(0));
        }
        let within = record.offset % PAGE;
        let offset = match self {
            Self::Direct => layout.base(record.volume).checked_add(record.offset)?,
            Self::Wrap => {
                let flat = layout.base(record.volume).checked_add(record.offset)?;
                moved_back(flat.checked_rem(drive_bytes)?, within, bytes, drive_bytes)?
            }
            Self::Scale { span_pages } => {
                let flat = layout.base(record.volume).checked_add(record.offset)?;
                let drive_pages = drive_bytes / PAGE;
                if *span_pages <= drive_pages {
                    flat
                } else {
                    let page = u128::from(flat / PAGE) * u128::from(drive_pages) / u128::from(*span_pages);
                    moved_back(
                        u64::try_from(page).ok()?.checked_mul(PAGE)? + within,
                        within,
                        bytes,
                        drive_bytes,
                    )?
                }
            }
            Self::Compact(ranks) => ranks.of(record.volume, record.offset / PAGE)? * PAGE + within,
        };
        (offset.checked_add(bytes)? <= drive_bytes).then_some(offset)
    }
}

/// Returns `offset` if `bytes` bytes fit on the drive from it on; otherwise the last address at which they fit that
/// lies `within` bytes into a page. `None` if there is none.
fn moved_back(offset: u64, within: u64, bytes: u64, drive_bytes: u64) -> Option<u64> {
    if offset.checked_add(bytes)? <= drive_bytes {
        return Some(offset);
    }
    let room = drive_bytes.checked_sub(within.checked_add(bytes)?)?;
    Some(room / PAGE * PAGE + within)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Op;
    use crate::trace::record::RecordMark;

    fn at(offset: u64, bytes: u32) -> Record {
        Record {
            time_ns: 0,
            offset,
            bytes,
            volume: 0,
            op: Op::READ,
            fua: false,
            mark: RecordMark::None,
            placement: None,
            process: None,
        }
    }

    #[test]
    fn volumes_lie_end_to_end_on_mebibytes() {
        let layout = VolumePlaces::new(&[1, 1 << 20, 4096]).unwrap();
        assert_eq!((layout.base(0), layout.base(1), layout.base(2)), (0, 1 << 20, 2 << 20));
        assert_eq!(layout.span, (2 << 20) + 4096);
        assert!(VolumePlaces::new(&[u64::MAX - 5, 1]).is_none());
    }

    #[test]
    fn wrapping_keeps_requests_whole_and_aligned() {
        let (layout, drive) = (VolumePlaces::new(&[1 << 30]).unwrap(), 10 * PAGE);
        let place = |offset, bytes| AddressPlacement::Wrap.offset(&at(offset, bytes), &layout, drive);
        assert_eq!(place(12 * PAGE + 512, 4096), Some(2 * PAGE + 512));
        assert_eq!(place(9 * PAGE + 512, 8192), Some(7 * PAGE + 512), "moved back from the end");
        assert_eq!(place(0, 11 * 4096), None);
    }

    #[test]
    fn scaling_keeps_order_and_the_place_in_the_page() {
        let (layout, drive) = (VolumePlaces::new(&[100 * PAGE]).unwrap(), 10 * PAGE);
        let scale = AddressPlacement::new(Addresses::Scale, &layout, None);
        assert_eq!(scale.offset(&at(55 * PAGE + 1024, 512), &layout, drive), Some(5 * PAGE + 1024));
        assert_eq!(scale.offset(&at(99 * PAGE, 4096), &layout, drive), Some(9 * PAGE));
        assert_eq!(scale.offset(&at(99 * PAGE, 2 * 4096), &layout, drive), Some(8 * PAGE));
        assert_eq!(scale.offset(&at(55 * PAGE, 4096), &layout, 200 * PAGE), Some(55 * PAGE), "fits already");
    }
}
