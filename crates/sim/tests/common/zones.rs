//! Random commands on zones, wrong ones among them.

use super::closed_loop;
use engine::RandomStream;
use host::command::zns::{ZoneShape, ZoneStates};
use host::{HostSpace, Op, Workload};
use sim::Drive;

/// Makes a workload on all namespaces of a drive, in turns drawn: of those without zones as [`mixed`], most of it in a
/// small part, and of those with zones as [`appends`], each command allowed even if earlier ones were lost in a power
/// cut.
pub fn on_all(space: &HostSpace, seed: u64, requests: u64, depth: u32) -> Box<dyn Workload> {
    let (all, mut random) = (space.each(), RandomStream::new(seed, "on all"));
    // All zones that are written may be active together.
    let zoned = all.iter().filter(|one| one.zones.is_some()).count().max(1) as u32;
    closed_loop(requests, depth, move |_| {
        let one = &all[random.below(all.len() as u64) as usize];
        let Some(zones) = one.zones else {
            let sectors = 1 + random.below(80).min(one.extent.bytes / 512 - 1);
            let reach = one.extent.bytes / 512 - sectors + 1;
            let most = if random.chance(0.7) { reach.div_ceil(4) } else { reach };
            let at = random.below(most);
            let op = match random.below(20) {
                0 => return (Op::FLUSH, 0, 0),
                1 => Op::TRIM,
                2..5 => Op::READ,
                _ => Op::WRITE,
            };
            return (op, one.extent.offset + at * 512, (sectors * 512) as u32);
        };
        let most = (zones.active_most / zoned).max(1).min(zones.count);
        let start = zones.start(random.below(u64::from(most)) as u32);
        let blocks = zones.capacity / zones.block;
        match random.below(40) {
            0 => (Op::ZONE_FINISH, start, 0),
            1..5 => (Op::ZONE_RESET, start, 0),
            5 => (Op::ZONE_CLOSE, start, 0),
            6..12 => (Op::READ, start + random.below(blocks.min(20)) * zones.block, zones.block as u32),
            _ => (Op::APPEND, start, ((1 + random.below(blocks.min(9))) * zones.block) as u32),
        }
    })
}

/// Returns the number, sizes and limits of a drive's zones, in blocks.
pub fn shape_of(drive: &Drive) -> ZoneShape {
    let zones = drive.space().zones.expect("it has zones");
    ZoneShape {
        count: zones.count,
        size: zones.size / zones.block,
        capacity: zones.capacity / zones.block,
        open_most: zones.open_most,
        active_most: zones.active_most,
        reads_unwritten: true,
    }
}

/// Makes a workload of appends to twelve zones, reads from their beginnings, resets and finishes, each of which is
/// allowed even if earlier ones were lost in a power cut.
pub fn appends(shape: ZoneShape, block: u64, seed: u64, requests: u64, depth: u32) -> Box<dyn Workload> {
    let mut random = RandomStream::new(seed, "appends");
    closed_loop(requests, depth, move |_| {
        let start = random.below(u64::from(shape.count.min(12))) * shape.size * block;
        match random.below(40) {
            0 => (Op::ZONE_FINISH, start, 0),
            1..4 => (Op::ZONE_RESET, start, 0),
            4 => (Op::FLUSH, 0, 0),
            5 => (Op::ZONE_CLOSE, start, 0),
            6..14 => (Op::READ, start + random.below(shape.capacity.min(20)) * block, block as u32),
            _ => (Op::APPEND, start, ((1 + random.below(shape.capacity.min(9))) * block) as u32),
        }
    })
}

/// Makes a test workload of commands to at most nine zones, of which about one in ten breaks a rule of the zones.
pub fn commands(shape: ZoneShape, block: u64, seed: u64, requests: u64, depth: u32) -> Box<dyn Workload> {
    let (mut zones, mut random) = (ZoneStates::new(shape), RandomStream::new(seed, "zones"));
    closed_loop(requests, depth, move |_| {
        let zone = random.below(u64::from(shape.count.min(9))) as u32;
        let written = zones.get(zone).written;
        let start = u64::from(zone) * shape.size;
        let blocks = 1 + random.below(8);
        let at = |at: u64| (start + at) * block;
        let command = match random.below(40) {
            0 => (Op::ZONE_RESET, at(0), 0),
            1 => (Op::ZONE_FINISH, at(0), 0),
            2 => (Op::ZONE_OPEN, at(0), 0),
            3 => (Op::ZONE_CLOSE, at(0), 0),
            4 => (Op::WRITE, at(random.below(shape.capacity)), (blocks * block) as u32),
            5 => {
                let within = random.below(shape.size);
                // A zone's end may be crossed, the drive's may not.
                let left = (u64::from(shape.count) * shape.size - start - within).min(blocks);
                (Op::READ, at(within), (left * block) as u32)
            }
            6 => (Op::FLUSH, 0, 0),
            7..15 => (Op::READ, at(random.below(written.max(1))), block as u32),
            15..25 => (Op::APPEND, at(0), (blocks * block) as u32),
            _ => (Op::WRITE, at(written), (blocks * block) as u32),
        };
        let (op, offset, bytes) = command;
        let (within, blocks) = ((offset / block).wrapping_sub(start), u64::from(bytes) / block);
        // The generator follows the drive: what it does not take moves nothing.
        let _ = match op {
            Op::WRITE => zones.write(zone, within, blocks),
            Op::APPEND => zones.append(zone, within, blocks).map(|_| ()),
            Op::FLUSH | Op::READ => Ok(()),
            _ => zones.manage(zone, op).map(|_| ()),
        };
        command
    })
}

/// Makes a workload of reads, writes, trims and flushes of blocks, of random sizes and alignments.
pub fn mixed(bytes: u64, seed: u64, requests: u64, depth: u32) -> Box<dyn Workload> {
    let mut random = RandomStream::new(seed, "blocks");
    closed_loop(requests, depth, move |_| {
        let sectors = (1 + random.below(80)).min(bytes / 512);
        let offset = random.below(bytes / 512 - sectors + 1) * 512;
        let op = match random.below(20) {
            0 => return (Op::FLUSH, 0, 0),
            1..3 => Op::TRIM,
            3..8 => Op::READ,
            _ => Op::WRITE,
        };
        (op, offset, (sectors * 512) as u32)
    })
}
