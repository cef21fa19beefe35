//! The frozen list of features. What stands here is not changed: a new feature, or a policy for [`LATER`], goes to the
//! end of its list, and what it changes is a further run of the seed, so that every seed does what it did.

use crate::deal::{Deal, Rule, choose};
use engine::RandomStream;
use ftl::compatibility::Feature as F;

/// Type for a feature that seeds are dealt: its name, the probability with which it is tried, and the function that
/// sets it, which returns false where the rest of the drive has no use for it.
pub type Feature = (&'static str, f64, fn(&mut Deal, &mut RandomStream) -> bool);

pub const FEATURES: &[Feature] = &[
    ("base", 1.0, base),
    ("tables", 0.08, tables),
    ("many-planes", 0.15, many_planes),
    ("dies-per-way", 0.25, dies_per_way),
    ("interface", 1.0, interface),
    ("frames", 0.25, frames),
    ("drain", 0.15, drain),
    ("timing", 1.0, timing),
    ("code", 0.5, code),
    ("bch", 0.3, bch),
    ("regulator", 0.8, regulator),
    ("reclaim", 0.4, reclaim),
    ("scale", 1.0, scale),
    ("refresh", 0.4, refresh),
    ("scrub", 0.4, scrub),
    ("share", 0.2, share),
    ("buffer", 1.0, buffer),
    ("cache", 0.45, cache),
    ("switches", 1.0, switches),
    ("slc-cache", 0.3, slc_cache),
    ("mapping", 0.45, mapping),
    ("collection", 1.0, collection),
    ("link", 1.0, link),
    ("policies", 1.0, policies),
    ("copyback", 0.12, copyback),
    ("bad-blocks", 0.3, bad_blocks),
    ("failures", 0.2, failures),
    ("endurance", 0.1, endurance),
    ("parity", 0.25, parity),
    ("program-order", 0.4, program_order),
    ("snapshots", 0.3, snapshots),
    ("rollback", 0.4, rollback),
    ("reads", 1.0, reads),
    ("user-capacity", 0.2, user_capacity),
    ("sectors", 0.1, sectors),
    ("late-choice", 0.1, late_choice),
];

/// Constant: pairs of features that no seed was dealt together at first; frozen. Pairs that the compatibility table
/// allows since come in a further run of the seed.
pub const APART_THEN: &[(F, F)] = &[
    (F::Code, F::BlockMap),
    (F::Code, F::Dftl),
    (F::Code, F::Birrell),
    (F::SlcCache, F::BlockMap),
    (F::SlcCache, F::Dftl),
    (F::SlcCache, F::Birrell),
    (F::SlcCache, F::Code),
    (F::SlcCache, F::OneBitCells),
    (F::SlcCache, F::MixedStreams),
    (F::SlcCache, F::Parity),
    (F::SlcCache, F::ProgramOrder),
    (F::Parity, F::Copyback),
    (F::Parity, F::ProgramOrder),
    (F::Parity, F::Snapshots),
    (F::Parity, F::Instant),
    (F::ProgramOrder, F::MixedStreams),
    (F::ProgramOrder, F::BlockMap),
    (F::Snapshots, F::BlockMap),
    (F::Snapshots, F::Dftl),
    (F::Snapshots, F::Birrell),
    (F::Sectors, F::BlockMap),
    (F::Sectors, F::Birrell),
];

/// Constant: for features of the swarm test, the entries of the compatibility table that each can be, one at a time; a
/// feature without an entry can be on with all others.
pub const OF_THE_TABLE: &[(&str, &[F])] = &[
    ("code", &[F::Code]),
    ("bch", &[F::Code]),
    ("regulator", &[F::Regulator]),
    ("reclaim", &[F::Code]),
    ("refresh", &[F::Refresh]),
    ("scrub", &[F::Patrol]),
    ("slc-cache", &[F::SlcCache]),
    ("mapping", &[F::BlockMap, F::Dftl, F::Birrell]),
    ("copyback", &[F::Copyback]),
    ("parity", &[F::Parity]),
    ("program-order", &[F::ProgramOrder]),
    ("snapshots", &[F::Snapshots]),
    ("rollback", &[F::Snapshots]),
    ("sectors", &[F::Sectors]),
    ("late-choice", &[F::LateChoice]),
];

/// Constant: features of the run, not of the drive, each with the probability that it is on; each draws from its own
/// random stream where it is used.
pub const RUN_FEATURES: &[(&str, f64)] = &[
    ("jobs", 0.4),
    ("open-loop", 0.4),
    ("pauses", 0.4),
    ("trims", 0.5),
    ("flushes", 0.7),
    ("forced", 0.4),
    ("sequences", 0.6),
    ("preconditioned", 0.75),
    ("partial-fill", 0.25),
    ("layout", 0.6),
    ("limit-requests", 0.1),
    ("limit-time", 0.1),
    ("rows", 0.15),
    ("timeline", 0.1),
    ("saved", 0.15),
    ("advised", 0.9),
    ("own-state", 0.12),
];

/// Constant: names of the policies that seeds are dealt, by seam; frozen, as their order decides which one a seed is
/// dealt.
pub const DEALT: &[(&str, &[&str])] = &[
    ("ftl.gc.victim", &["cost-benefit", "d-choices", "fifo", "greedy", "random", "windowed-greedy"]),
    ("ftl.wear", &["dynamic", "latency-guided", "none", "static", "wear-out"]),
    ("ftl.placement", &["round-robin", "shortest-queue", "static"]),
    ("controller.scheduler", &["fcfs", "read-priority", "strict"]),
    ("controller.arbitration", &["fifo", "reads-first", "round-robin"]),
    ("ftl.mapping", &["bast", "birrell", "block", "dftl", "fast", "page", "replacement"]),
    (
        "ftl.regulator",
        &["agcr", "hcw-lcr", "lcw-hcr", "li-queue", "mcw-mcr", "retention-relaxation", "tvr", "wu-slack"],
    ),
    ("ftl.buffer.eviction", &["block-buffer", "bplru", "cflru", "fifo", "lru"]),
    ("ftl.read_merge", &["none", "same-page"]),
    ("ftl.read_ahead", &["none", "sequential"]),
    ("ftl.program_order", &["fast-first", "in-order"]),
    ("ftl.slc_cache", &["dynamic", "none", "static"]),
    ("ftl.parity", &["none", "rain"]),
    ("ftl.gc.trigger", &["watermark"]),
    ("ftl.streams", &["mixed", "separate"]),
    ("ecc.code", &["bch", "ldpc", "none"]),
    ("nand.errors", &["none", "power-law", "tables"]),
    ("host.link", &["nvme", "pata", "plain", "sata"]),
    (
        "bus.interface",
        &["conv", "nv-ddr", "nv-ddr2", "nv-ddr3", "nv-lpddr4", "plain", "proposed", "sdr", "sync-only"],
    ),
];

/// Constant: policies added after the frozen list; a seed that gets one runs once more with it, after all its earlier
/// runs.
pub const LATER: &[(&str, &str)] = &[
    ("ftl.refresh.order", "first-due"),
    ("ftl.refresh.order", "least-valid"),
    ("ftl.refresh.order", "most-worn"),
    ("ftl.snapshots.expiry", "oldest"),
    ("ftl.snapshots.expiry", "thinned"),
    ("ftl.recovery", "checkpoint"),
    ("ftl.recovery", "scan"),
    ("ftl.recovery", "summaries"),
    ("ftl.recovery", "journal"),
    ("ftl.gc.victim", "two-region-fifo"),
    ("ftl.gc.victim", "two-region-greedy"),
    ("ftl.streams", "fdp"),
    ("ftl.streams", "hot-cold"),
    ("ftl.streams", "sepbit"),
    ("ftl.streams", "two-region"),
    ("ecc.flow", "hard-retry-soft"),
    ("ecc.flow", "last-good-step"),
    ("ecc.flow", "soft-by-estimate"),
    ("host.place", "address"),
    ("host.place", "job"),
    ("host.place", "none"),
    ("host.place", "rate"),
    ("host.place", "size"),
];

/// Constant: combinations of features that became possible later, each with its probability; a seed that has the first
/// feature and gets the second runs once more with both. The function checks the conditions and draws the rest.
pub const TOGETHER: &[Feature] = &[
    ("slc-cache and a map on flash", 0.5, slc_cache_and_map_on_flash),
    ("snapshots and parity", 0.5, snapshots_and_parity),
    ("snapshots and a map on flash", 0.5, snapshots_and_map_on_flash),
    ("slc-cache and a code", 0.5, slc_cache_and_code),
    ("slc-cache and parity", 0.5, slc_cache_and_parity),
    ("sectors and several units", 0.15, sectors_and_several_units),
    ("a map of blocks and a code", 0.5, block_map_and_code),
    ("a map of blocks and a dead die", 0.1, block_map_and_dead_die),
    ("a map of blocks and sectors", 0.4, block_map_and_sectors),
    ("a code and pipelined retries", 0.5, code_and_pipelined_retries),
    ("streams that tell units apart", 0.5, streams_that_tell_units_apart),
    ("a code and flows", 0.5, code_and_flows),
    ("placement handles", 0.5, placement_handles),
    ("collection in bursts", 0.4, collection_in_bursts),
];

/// Lets a dealt drive collect garbage in bursts; returns false where its map does not.
pub fn collection_in_bursts(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.set("ftl.gc.burst_programs", choose(random, &["1", "2", "3", "8", "100"]));
    !maps_blocks(deal)
}

/// Adds placement handles to a dealt drive; each write of the load then names a handle, or none, or an invalid one.
fn placement_handles(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.lines.retain(|line| !line.starts_with("ftl.streams."));
    deal.set("ftl.streams.name", "fdp");
    let handles = 1 + random.below(4);
    deal.set("ftl.streams.handles", handles);
    let kinds = || choose(random, &["\"initially\"", "\"persistently\""]);
    let kinds: Vec<&str> = std::iter::repeat_with(kinds).take(handles as usize).collect();
    deal.set("ftl.streams.isolation", format!("[{}]", kinds.join(", ")));
    if random.chance(0.5) {
        deal.set("ftl.streams.unit_superblocks", 1 + random.below(9));
    }
    if random.chance(0.4) {
        deal.set("host.place.name", choose(random, &["address", "job", "rate", "size"]));
    }
    true
}

fn code_and_flows(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.set("ecc.flow.name", choose(random, &["last-good-step", "soft-by-estimate"]));
    deal.set("ecc.code.retries", choose(random, &["3", "30"]));
    deal.set("ftl.reading.data_age", choose(random, &["30d", "3650d"]));
    deal.set("ecc.decoder.clock", "500MHz");
    deal.set("ecc.decoder.words", choose(random, &["beside", "overlapped", "in-turn"]));
    if random.chance(0.5) {
        deal.set("ecc.code.retry_step", "20mV");
    }
    deal.has("code") && deal.get("ecc.code.name") == Some("ldpc")
}

fn streams_that_tell_units_apart(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.lines.retain(|line| !line.starts_with("ftl.streams."));
    deal.set("ftl.streams.name", choose(random, &["hot-cold", "sepbit", "two-region"]));
    if random.chance(0.5) {
        deal.lines.retain(|line| !line.starts_with("ftl.gc.victim."));
        deal.set("ftl.gc.victim.name", choose(random, &["two-region-fifo", "two-region-greedy"]));
    }
    true
}

fn code_and_pipelined_retries(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.set("ecc.code.retry_pipelined", "true");
    deal.set("ecc.code.retries", choose(random, &["3", "30"]));
    deal.set("ftl.reading.data_age", choose(random, &["30d", "3650d"]));
    if random.chance(0.5) {
        deal.set("ecc.code.retry_step", "20mV");
    }
    deal.has("code")
}

fn block_map_and_sectors(deal: &mut Deal, random: &mut RandomStream) -> bool {
    maps_blocks(deal) && sectors(deal, random)
}

fn maps_blocks(deal: &Deal) -> bool {
    deal.get("ftl.mapping.name").is_some_and(|name| F::BlockMap.is_on(name, 1))
}

fn block_map_and_code(deal: &mut Deal, random: &mut RandomStream) -> bool {
    let fits = maps_blocks(deal) && code(deal, random);
    if fits {
        deal.on.insert("code");
        for feature in [regulator, reclaim, refresh, scrub] {
            let _ = random.chance(0.6) && feature(deal, random);
        }
    }
    fits
}

fn block_map_and_dead_die(deal: &mut Deal, _random: &mut RandomStream) -> bool {
    deal.set("ftl.failed_die", 0);
    maps_blocks(deal)
}

fn slc_cache_and_map_on_flash(deal: &mut Deal, random: &mut RandomStream) -> bool {
    let fits = deal.has("slc-cache");
    if fits {
        deal.set("ftl.mapping.name", choose(random, &["dftl", "birrell"]));
    }
    fits
}

fn snapshots_and_parity(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.has("snapshots") && deal.maps_pages() && parity(deal, random) && {
        deal.set("ftl.mapping.name", "page");
        deal.on.insert("parity");
        true
    }
}

fn snapshots_and_map_on_flash(deal: &mut Deal, random: &mut RandomStream) -> bool {
    let fits = deal.has("snapshots") && !deal.has("code");
    if fits {
        deal.set("ftl.mapping.name", choose(random, &["dftl", "birrell"]));
        deal.set("ftl.op_ratio", format!("{:.2}", 0.4 + random.unit()));
    }
    fits
}

fn slc_cache_and_code(deal: &mut Deal, random: &mut RandomStream) -> bool {
    let fits = deal.has("slc-cache") && code(deal, random);
    if fits {
        deal.on.insert("code");
        for feature in [regulator, reclaim, refresh, scrub] {
            let _ = random.chance(0.6) && feature(deal, random);
        }
        if random.chance(0.3) {
            deal.set("ftl.mapping.name", choose(random, &["dftl", "birrell"]));
        }
    }
    fits
}

fn slc_cache_and_parity(deal: &mut Deal, random: &mut RandomStream) -> bool {
    if !deal.on.remove("slc-cache") {
        return false;
    }
    let fits = parity(deal, random);
    deal.on.extend(["slc-cache", "parity"]);
    if fits && random.chance(0.3) {
        slc_cache_and_code(deal, random);
    }
    fits
}

fn sectors_and_several_units(deal: &mut Deal, random: &mut RandomStream) -> bool {
    let fits = deal.maps_pages() && !deal.has("copyback") && !deal.has("tables");
    if fits {
        deal.set("ftl.sectors.track", "true");
        deal.set("ftl.sectors.unwritten", choose(random, &["nothing", "flash"]));
        deal.set("controller.multi_plane", random.chance(0.5));
        deal.set("nand.page_size", choose(random, &["4KiB", "8KiB"]));
        deal.set("ftl.mapping_unit", choose(random, &["2KiB", "4KiB"]));
        if random.chance(0.4) {
            deal.set("ftl.buffer.in_flight", "64KiB");
        }
        deal.on.insert("sectors");
    }
    fits
}

/// Returns the drives of a seed with each of the combinations in [`TOGETHER`] that the seed gets.
pub fn with_together(deal: &Deal) -> Vec<Deal> {
    let with = |(name, chance, draw): &Feature| {
        let mut random = RandomStream::new(deal.seed, &format!("swarm.together.{name}"));
        let mut deal = Deal { rule: Rule::Now, ..deal.clone() };
        let drawn = random.chance(*chance) && draw(&mut deal, &mut random);
        (drawn && deal.goes_together()).then_some(deal)
    };
    TOGETHER.iter().filter_map(with).collect()
}

fn dealt(seam: &str) -> &'static [&'static str] {
    DEALT.iter().find(|(name, _)| *name == seam).expect("a seam of the list").1
}

/// Returns the drives of a seed with each of the policies in `list` that the seed gets, in place of its dealt policy of
/// that seam.
pub fn with_later(deal: &Deal, list: &[(&str, &str)]) -> Vec<Deal> {
    let gets = |seam: &&str, name: &str| {
        let wanted = RandomStream::new(deal.seed, &format!("swarm.later.{seam}.{name}")).chance(0.2);
        // A seam that came later is asked where there is what its question is about: `ftl.snapshots` for their expiry.
        let about = seam.rsplit_once('.').map_or(*seam, |(about, _)| about);
        let is_new = !DEALT.iter().any(|(dealt, _)| dealt == seam);
        let is_asked = is_new && deal.lines.iter().any(|line| line.starts_with(&format!("{about}.")));
        wanted && (is_asked || deal.get(&format!("{seam}.name")).is_some())
    };
    let with = |(seam, name): &(&str, &str)| {
        let mut deal = deal.clone();
        deal.lines.retain(|line| !line.starts_with(&format!("{seam}.")));
        deal.set(&format!("{seam}.name"), name);
        if *seam == "host.place" {
            deal.lines.retain(|line| !line.starts_with("ftl.streams."));
            deal.set("ftl.streams.name", "fdp");
            deal.set("ftl.streams.handles", 3);
        }
        deal
    };
    list.iter().filter(|(seam, name)| gets(seam, name)).map(with).collect()
}

/// Draws a policy of a seam from the frozen list, sets it in the dealt settings and returns its name.
fn policy(deal: &mut Deal, random: &mut RandomStream, seam: &'static str) -> &'static str {
    let name = choose(random, dealt(seam));
    deal.set(&format!("{seam}.name"), name);
    name
}

fn base(deal: &mut Deal, random: &mut RandomStream) -> bool {
    let cell = choose(random, &["slc", "mlc", "tlc", "qlc"]);
    deal.bits = ["slc", "mlc", "tlc", "qlc"].iter().position(|name| *name == cell).unwrap() as u64 + 1;
    let program = choose(random, &["page", "one-shot"]);
    deal.set("nand.cell", cell);
    deal.set("nand.program", program);
    deal.set("geometry.channels", 1 + random.below(4));
    deal.set("geometry.ways", 1 + random.below(3));
    deal.set("nand.planes", 1 + random.below(3));
    // Tiny drives are common, because they are where space runs out.
    deal.set("nand.blocks_per_plane", 4 + random.below(40));
    deal.set("nand.pages_per_block", deal.bits * (1 + random.below(24)));
    deal.set("nand.page_size", choose(random, &["4KiB", "8KiB", "16KiB"]));
    deal.set("ftl.mapping_unit", choose(random, &["4KiB", "4KiB", "2KiB"]));
    deal.set("ftl.op_ratio", format!("{:.2}", 0.05 + random.unit() * 1.5));
    deal.set("nand.t_r", "40us");
    if program == "page" && random.chance(0.5) {
        let times: Vec<String> = (0..deal.bits).map(|bit| format!("\"{}us\"", 150 + 200 * bit)).collect();
        deal.set("nand.t_prog", format!("[{}]", times.join(", ")));
    } else {
        deal.set("nand.t_prog", "300us");
    }
    deal.set("nand.t_bers", "2ms");
    true
}

/// Feature of a dealt drive: a chip of the catalogue with tables of its errors and times, made small.
fn tables(deal: &mut Deal, random: &mut RandomStream) -> bool {
    let (chip, bits) = choose(random, &[("derived/mt29f4g08aac", 1), ("derived/poster-mlc", 2)]);
    let keep = ["geometry.", "ftl.", "nand.blocks_per_plane"];
    deal.lines.retain(|line| keep.iter().any(|key| line.starts_with(key)));
    deal.base = Some("slc");
    deal.bits = bits;
    deal.set("chip", chip);
    deal.set("nand.pages_per_block", bits * (4 + random.below(20)));
    deal.set("ftl.mapping_unit", "2KiB");
    true
}

fn many_planes(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.set("nand.planes", 4 + random.below(5));
    if deal.base.is_none() {
        deal.set("nand.page_size", choose(random, &["4KiB", "8KiB", "16KiB"]));
        deal.set("nand.blocks_per_plane", 4 + random.below(16));
    }
    true
}

fn dies_per_way(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.set("geometry.dies_per_way", 2 + random.below(2));
    true
}

fn interface(deal: &mut Deal, random: &mut RandomStream) -> bool {
    let mut known = true;
    match random.below(4) {
        0 => deal.set("bus.interface.name", choose(random, &["conv", "sync-only", "proposed"])),
        1 => {
            let name = choose(random, &["sdr", "nv-ddr", "nv-ddr2", "nv-ddr3", "nv-lpddr4"]);
            deal.set("bus.interface.name", name);
            deal.set("bus.interface.mode", random.below(6));
        }
        _ => known = false,
    }
    if !known {
        deal.set("bus.interface.name", "plain");
        deal.set("bus.interface.rate", choose(random, &["40MT/s", "400MT/s"]));
    }
    let known =
        ["conv", "sync-only", "proposed", "sdr:5", "nv-ddr:5", "nv-ddr2:10", "nv-ddr3:19", "nv-lpddr4:19"];
    deal.set("nand.interfaces", format!("[{}]", known.map(|name| format!("\"{name}\"")).join(", ")));
    deal.set("bus.cycles_status", choose(random, &["0", "2"]));
    deal.set("bus.cycles_read", choose(random, &["0", "7", "7"]));
    true
}

fn frames(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.set("host.frame", choose(random, &["4KiB", "16KiB"]));
    deal.set("host.cut_through", random.chance(0.5));
    deal.set("host.double_buffer", random.chance(0.5));
    deal.set("host.group_pages_per_die", random.below(3));
    true
}

fn drain(deal: &mut Deal, _: &mut RandomStream) -> bool {
    deal.set("ecc.drain", "500MB/s");
    true
}

fn timing(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.set("ecc.t_decode", choose(random, &["0ns", "5us"]));
    deal.set("controller.program_queue", 1 + random.below(4));
    true
}

fn code(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.set("ecc.code.name", "ldpc");
    let errors = choose(random, &["none", "power-law"]);
    deal.set("nand.errors.name", if deal.has("tables") { "tables" } else { errors });
    deal.set("nand.pe_cycles", choose(random, &["0", "1000"]));
    deal.set("ftl.reading.reads", choose(random, &["0", "30", "10000"]));
    deal.set("ftl.reading.data_age", choose(random, &["0ns", "30d", "3650d"]));
    true
}

fn bch(deal: &mut Deal, random: &mut RandomStream) -> bool {
    if !deal.has("code") {
        return false;
    }
    deal.set("ecc.code.name", "bch");
    deal.set("ecc.code.t", choose(random, &["40", "120", "250"]));
    deal.set("ecc.code.retries", random.below(4));
    true
}

fn regulator(deal: &mut Deal, random: &mut RandomStream) -> bool {
    if !deal.allows(F::Regulator) {
        return false;
    }
    match policy(deal, random, "ftl.regulator") {
        "retention-relaxation" => {
            deal.set("ftl.regulator.refresh_period", choose(random, &["300ms", "5s", "1d"]));
        }
        "tvr" => deal.set("ftl.regulator.horizon", choose(random, &["600ms", "10s", "1d"])),
        _ => {}
    }
    deal.set("ftl.rewrite.idle_after", choose(random, &["0ns", "50us", "1ms"]));
    true
}

fn reclaim(deal: &mut Deal, _: &mut RandomStream) -> bool {
    deal.set("ftl.reading.reclaim", "true");
    deal.has("code")
}

/// Draws the time scale of a dealt run: 3 s, 60 s or a day, about the period of timer-driven upkeep.
fn scale(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.scale_ns = choose(random, &[3_000_000_000, 60_000_000_000, 86_400_000_000_000]);
    true
}

fn scaled(deal: &Deal, random: &mut RandomStream, times: &[f64]) -> String {
    format!("{}ns", (deal.scale_ns as f64 * choose(random, times)) as u64)
}

fn refresh(deal: &mut Deal, random: &mut RandomStream) -> bool {
    let age = scaled(deal, random, &[0.3, 1.0, 3.0]);
    let is_allowed = deal.allows(F::Refresh);
    deal.set("ftl.refresh.age", if is_allowed { &age } else { "0s" });
    is_allowed
}

fn scrub(deal: &mut Deal, random: &mut RandomStream) -> bool {
    if !deal.allows(F::Patrol) {
        return false;
    }
    let period = scaled(deal, random, &[0.1, 0.5, 2.0]);
    deal.set("ftl.scrub.period", period);
    deal.set("ftl.scrub.idle_after", choose(random, &["0ns", "50us"]));
    deal.set("ftl.scrub.margin", choose(random, &["0.2", "0.7"]));
    true
}

fn share(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.set("ftl.upkeep.share", choose(random, &["0.1", "0.9", "1.0"]));
    true
}

fn buffer(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.set("ftl.buffer.size", choose(random, &["1MiB", "4MiB", "16MiB"]));
    deal.set("ftl.buffer.flush_after", choose(random, &["0ns", "100us", "2ms"]));
    for key in ["ftl.buffer.write_back", "ftl.buffer.power_loss_protection"] {
        deal.set(key, random.chance(0.5));
    }
    true
}

fn cache(deal: &mut Deal, random: &mut RandomStream) -> bool {
    policy(deal, random, "ftl.buffer.eviction");
    deal.set("ftl.buffer.read_cache", random.chance(0.5));
    deal.set("ftl.buffer.keep_ratio", choose(random, &["0.2", "0.75", "1.0"]));
    true
}

fn switches(deal: &mut Deal, random: &mut RandomStream) -> bool {
    for key in
        ["multi_plane", "cache_read", "cache_program", "scheduler.suspend_program", "scheduler.suspend_erase"]
    {
        deal.set(&format!("controller.{key}"), random.chance(0.5));
    }
    true
}

fn slc_cache(deal: &mut Deal, random: &mut RandomStream) -> bool {
    if !deal.allows(F::SlcCache) {
        return false;
    }
    deal.set("nand.slc_mode.t_r", "20us");
    deal.set("nand.slc_mode.t_prog", "100us");
    deal.set("nand.slc_mode.erases_per_cycle", 1 + random.below(3));
    deal.set("nand.slc_mode.folds_in_die", random.chance(0.5));
    let name = choose(random, &["static", "dynamic"]);
    deal.set("ftl.slc_cache.name", name);
    let key = if name == "static" { "size" } else { "least" };
    deal.set(&format!("ftl.slc_cache.{key}"), choose(random, &["1kB", "1MB", "4MB"]));
    deal.set("ftl.slc_cache.when_full", choose(random, &["bypass", "fold-first"]));
    deal.set("ftl.slc_cache.in_idle_time", random.chance(0.7));
    deal.set("ftl.slc_cache.idle_after", choose(random, &["0ns", "50us", "1ms"]));
    true
}

/// Draws the kind of mapping of a dealt drive; by the frozen rule only for drives that could have each of the kinds,
/// since all were dealt as one feature.
fn mapping(deal: &mut Deal, random: &mut RandomStream) -> bool {
    let kinds = [F::BlockMap, F::Dftl, F::Birrell];
    if deal.rule == Rule::Then && !kinds.iter().all(|kind| deal.allows(*kind)) {
        return false;
    }
    policy(deal, random, "ftl.mapping");
    true
}

fn collection(deal: &mut Deal, random: &mut RandomStream) -> bool {
    let stream = choose(random, &["mixed", "separate"]);
    deal.set("ftl.streams.name", if deal.allows(F::MixedStreams) { stream } else { "separate" });
    deal.set("ftl.gc.read_ahead", 1 + random.below(8));
    deal.set("ftl.gc.trigger.low", 1 + random.below(3));
    deal.set("ftl.gc.trigger.background", random.chance(0.7));
    deal.set("ftl.gc.trigger.idle_after", choose(random, &["0ns", "100us", "1ms"]));
    if random.chance(0.3) {
        deal.set("ftl.gc.trigger.least_gain", choose(random, &["0.0", "0.5"]));
    }
    true
}

fn link(deal: &mut Deal, random: &mut RandomStream) -> bool {
    let link = policy(deal, random, "host.link");
    let most = match link {
        "pata" => 1,
        "sata" => 32,
        _ => 64,
    };
    deal.set("host.max_commands", 1 + random.below(most));
    if link == "nvme" && random.chance(0.5) {
        deal.set("host.link.arbitration", "weighted-round-robin");
        deal.set("host.link.queues", 3 + random.below(3));
        deal.set("host.link.classes", "[\"urgent\", \"high\", \"low\"]");
    }
    true
}

fn policies(deal: &mut Deal, random: &mut RandomStream) -> bool {
    for seam in
        ["ftl.gc.victim", "ftl.wear", "ftl.placement", "controller.scheduler", "controller.arbitration"]
    {
        policy(deal, random, seam);
    }
    true
}

/// Turns on copyback in a dealt drive, with one mapping unit per program, which copyback needs.
fn copyback(deal: &mut Deal, _: &mut RandomStream) -> bool {
    deal.set("controller.copyback", "true");
    unit_by_unit(deal);
    true
}

/// Sets a dealt drive so that a program takes one mapping unit of one page.
fn unit_by_unit(deal: &mut Deal) {
    deal.set("controller.multi_plane", "false");
    deal.set("nand.program", "page");
    let page = if deal.has("tables") { "2KiB" } else { "4KiB" };
    deal.set("nand.page_size", page);
    deal.set("ftl.mapping_unit", page);
}

fn bad_blocks(deal: &mut Deal, _: &mut RandomStream) -> bool {
    deal.set("nand.bad_blocks.factory_ratio", "0.02");
    true
}

fn failures(deal: &mut Deal, _: &mut RandomStream) -> bool {
    deal.set("nand.bad_blocks.program_fail_ratio", "0.0005");
    deal.set("nand.bad_blocks.erase_fail_ratio", "0.001");
    true
}

/// Sets the blocks of a dealt drive near the end of their endurance, if its chip has tables for that; returns false if
/// not.
fn endurance(deal: &mut Deal, random: &mut RandomStream) -> bool {
    if !deal.has("tables") {
        return false;
    }
    deal.set("nand.pe_cycles", choose(random, &["3000", "90000"]));
    true
}

fn parity(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.set("ftl.parity.name", "rain");
    if random.chance(0.5) {
        deal.set("ftl.parity.stripe", choose(random, &["2", "3", "5"]));
    }
    deal.set("geometry.ways", "3");
    let kinds: &[&str] = if deal.allows(F::Dftl) { &["page", "page", "dftl", "birrell"] } else { &["page"] };
    deal.set("ftl.mapping.name", choose(random, kinds));
    deal.set("ftl.op_ratio", format!("{:.2}", 0.6 + random.unit() * 1.5));
    true
}

fn program_order(deal: &mut Deal, random: &mut RandomStream) -> bool {
    if !deal.allows(F::ProgramOrder) {
        return false;
    }
    policy(deal, random, "ftl.program_order");
    true
}

fn snapshots(deal: &mut Deal, random: &mut RandomStream) -> bool {
    if !deal.allows(F::Snapshots) {
        return false;
    }
    let every = [choose(random, &["5ms", "15ms", "60ms"]).to_owned(), scaled(deal, random, &[0.2, 1.0])];
    let rare = random.chance(0.3);
    if !rare {
        deal.scale_ns = 300_000_000; // Or a pause would hold more of them than anyone can wait for.
    }
    deal.set("ftl.snapshots.every", &every[usize::from(rare)]);
    deal.set("ftl.snapshots.keep", 1 + random.below(4));
    deal.set("ftl.snapshots.when_full", choose(random, &["drop", "refuse-writes"]));
    deal.set("ftl.snapshots.space_ratio", choose(random, &["0.1", "0.5", "1.0"]));
    true
}

fn rollback(deal: &mut Deal, _: &mut RandomStream) -> bool {
    let often = deal.get("ftl.snapshots.every").is_some_and(|every| every.ends_with("ms"));
    if often {
        deal.set("ftl.snapshots.rollback_at", "[\"65ms\", \"90ms\"]");
    }
    often
}

fn reads(deal: &mut Deal, random: &mut RandomStream) -> bool {
    if policy(deal, random, "ftl.read_merge") == "same-page" && random.chance(0.5) {
        deal.set("ftl.read_merge.most", 2 + random.below(4));
        deal.set("ftl.read_merge.begun", random.chance(0.5));
    }
    if policy(deal, random, "ftl.read_ahead") == "sequential" {
        deal.set("ftl.read_ahead.trigger", 2 + random.below(3));
        deal.set("ftl.read_ahead.streams", choose(random, &["1", "4", "16"]));
        // Small areas lose what they hold; a wide slack finds sequences where there are none.
        deal.set("ftl.read_ahead.size", choose(random, &["32KiB", "256KiB", "4MiB"]));
        deal.set("ftl.read_ahead.depth", choose(random, &["4KiB", "16KiB"]));
        deal.set("ftl.read_ahead.slack", choose(random, &["0B", "64KiB", "1GiB"]));
    }
    true
}

/// Sets the capacity of a dealt drive in bytes, in place of an over-provisioning ratio; a multiple of 4 KiB.
fn user_capacity(deal: &mut Deal, random: &mut RandomStream) -> bool {
    let number =
        |deal: &Deal, key: &str| deal.get(key).map_or(1, |text| text.parse::<u64>().expect("a number"));
    let dies = ["geometry.channels", "geometry.ways", "geometry.dies_per_way"];
    let dies: u64 = dies.iter().map(|key| number(deal, key)).product();
    let blocks = dies * number(deal, "nand.planes") * number(deal, "nand.blocks_per_plane");
    let page =
        deal.get("nand.page_size").and_then(|size| size.strip_suffix("KiB")?.parse().ok()).unwrap_or(2);
    let kib: u64 = blocks * number(deal, "nand.pages_per_block") * page;
    let part = 0.35 + random.unit() * 0.5;
    deal.lines.retain(|line| !line.starts_with("ftl.op_ratio="));
    let capacity = ((kib as f64 * part) as u64 / 4 * 4).max(4);
    deal.set("ftl.user_capacity", format!("{capacity}KiB"));
    true
}

/// Turns on the tracking of sectors that hold data in a dealt drive, here with one mapping unit per program; returns
/// false where this is not allowed.
fn sectors(deal: &mut Deal, random: &mut RandomStream) -> bool {
    if !deal.allows(F::Sectors) {
        return false;
    }
    deal.set("ftl.sectors.track", "true");
    deal.set("ftl.sectors.unwritten", choose(random, &["nothing", "flash"]));
    unit_by_unit(deal);
    if random.chance(0.4) {
        deal.set("ftl.buffer.in_flight", "64KiB");
        if deal.has("cache") {
            deal.set("ftl.buffer.keep_rewritten", "100us");
        }
    }
    true
}

fn late_choice(deal: &mut Deal, random: &mut RandomStream) -> bool {
    deal.set("controller.dies_take_turns", random.chance(0.5));
    deal.set("controller.late_choice", "true");
    deal.set("controller.cache_read", "false");
    deal.set("controller.cache_program", "false");
    true
}
