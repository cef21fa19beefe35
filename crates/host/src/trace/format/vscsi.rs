//! CloudPhysics vSCSI traces in binary: 32-byte records (version 1) and 40-byte records (version 2).

use super::{BASE, FormatCard, Framing};
use crate::Op;
use crate::trace::field::{Fault, fault};
use crate::trace::record::{Parsed, Record, Volumes};

pub(super) const CARD_1: FormatCard = FormatCard {
    name: "vscsi1",
    title: "CloudPhysics vSCSI, binary version 1",
    units: "32 bytes little-endian: sn, len in bytes, nSG, cmd, ver, lbn in 512-byte sectors, time in us",
    framing: Framing::Records { head: 32, extra: |_| 0 },
    parser: |_| {
        Box::new(|r: &[u8], volumes: &mut Volumes| {
            let at = VscsiFields {
                version: u16_at(r, 14),
                cmd: u16_at(r, 12),
                bytes: u32_at(r, 4),
                lbn: 16,
                time: 24,
            };
            parse(r, &at, 1, volumes)
        })
    },
    ..BASE
};

pub(super) const CARD_2: FormatCard = FormatCard {
    name: "vscsi2",
    title: "CloudPhysics vSCSI, binary version 2",
    units: "40 bytes little-endian: cmd, ver, sn, len in bytes, nSG, lbn in 512-byte sectors, time in us, response",
    framing: Framing::Records { head: 40, extra: |_| 0 },
    parser: |_| {
        Box::new(|r: &[u8], volumes: &mut Volumes| {
            let at = VscsiFields {
                version: u16_at(r, 2),
                cmd: u16_at(r, 0),
                bytes: u32_at(r, 8),
                lbn: 16,
                time: 24,
            };
            parse(r, &at, 2, volumes)
        })
    },
    ..BASE
};

/// Record of the values of the fields of a VSCSI trace record that stand at different places in the two versions of the
/// format (version, command, length), and byte offsets of its other fields (sector, time).
struct VscsiFields {
    version: u16,
    cmd: u16,
    bytes: u32,
    lbn: usize,
    time: usize,
}

fn parse(record: &[u8], at: &VscsiFields, version: u16, volumes: &mut Volumes) -> Result<Parsed, Fault> {
    if at.version >> 8 != version {
        return Err(fault(
            format!("version {:#06x}", at.version),
            format!("version {version} in the high byte"),
        ));
    }
    let us = u64_at(record, at.time);
    let Some(time_ns) = us.checked_mul(1_000) else {
        return Err(fault(format!("time {us} us"), "a time below 584 years"));
    };
    request(time_ns, at.cmd, u64_at(record, at.lbn), at.bytes.into(), volumes)
}

/// Returns the request that corresponds to the SCSI command `cmd` of `bytes` bytes at sector `lbn`.
///
/// # Errors
/// When the command is not a read, a write or a flush, or the address is out of range.
pub(super) fn request(
    time_ns: u64,
    cmd: u16,
    lbn: u64,
    bytes: u64,
    volumes: &mut Volumes,
) -> Result<Parsed, Fault> {
    let op = match cmd {
        0x08 | 0x28 | 0xa8 | 0x88 => Op::READ,
        0x0a | 0x2a | 0xaa | 0x8a | 0x2e | 0xae | 0x8e => Op::WRITE,
        0x35 | 0x91 => return Ok(Parsed::Request(Record::flush(time_ns, volumes.id(b"0")?))),
        _ => {
            let expected =
                "a read (08, 28, a8, 88), a write (0a, 2a, aa, 8a, 2e, ae, 8e) or a flush (35, 91)";
            return Err(fault(format!("SCSI command {cmd:02x}"), expected));
        }
    };
    let Some(offset) = lbn.checked_mul(512) else {
        return Err(fault(format!("sector {lbn}"), "a byte address within 64 bits"));
    };
    let mut record = Record::in_bytes(time_ns, op, offset, bytes, 0)?;
    record.volume = volumes.id(b"0")?;
    Ok(Parsed::Request(record))
}

/// Returns the `N` bytes of a binary record from byte offset `at` on; the record must be long enough.
pub(super) fn bytes_at<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&record[at..at + N]);
    bytes
}

fn u16_at(record: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes_at(record, at))
}

fn u32_at(record: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes_at(record, at))
}

fn u64_at(record: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes_at(record, at))
}
