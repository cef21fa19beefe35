//! Which features can be combined? One table of all pairs, from which the messages, the page `docs/reference/compatibility.md` and what
//! the swarm of random drives deals together are made.
//!
//! A pair that stands in no row goes together. What concerns one value alone, or whether a drive has room for all that is
//! asked of it, is no matter of this table: it is refused where the value is read, or where the drive is built.

use config::{ConfigError, Entry, Place, Section};

/// Kind of condition on the value of a configuration key under which the key turns a feature of the drive on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Case of condition under which a feature is on: the key has one of these values.
    Is(&'static [&'static str]),
    /// Case of condition under which a feature is on: the key has a value other than these.
    IsNot(&'static [&'static str]),
    /// Case of condition under which a feature is on: the drive file gives the key, with any value.
    Given,
    /// Case of condition under which a feature is on: the value of the key is a number above zero.
    Positive,
    /// Case of condition under which a feature is on: the value of the key is a number above one.
    Several,
    /// Case of condition under which a feature is on: one program operation of the drive writes more than one mapping
    /// unit (because of small units, several planes or several bits per cell).
    UnitsAProgram,
    /// Case of condition under which a feature is on: none on a key of the drive file, as a command or an option of a
    /// run requests the feature.
    Asked,
}

macro_rules! features {
    ($($name:ident: [$($key:literal),+], $switch:expr, $meaning:literal;)*) => {
        /// Kind of feature that a drive, or one run of it, can have, such as an SLC cache or power cuts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Feature {
            $(#[doc = $meaning] $name,)*
        }

        impl Feature {
            /// Constant: list of all features that a drive or a run can have, in the order of the documentation page.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the configuration keys that turn the feature on, each by itself; for a feature of a run, its
            /// option.
            pub fn keys(self) -> &'static [&'static str] {
                match self { $(Self::$name => &[$($key),+],)* }
            }

            /// Returns a description of the feature in a few words, for messages and the documentation.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)* }
            }

            /// Returns the condition on a key's value under which the feature is on.
            pub fn switch(self) -> Switch {
                match self { $(Self::$name => $switch,)* }
            }
        }
    };
}

use Switch::{Asked, Given, Is, IsNot, Positive, Several, UnitsAProgram};

features! {
    BlockMap: ["ftl.mapping.name"], Is(&["bast", "block", "fast", "replacement"]), "block mapping";
    Dftl: ["ftl.mapping.name"], Is(&["dftl"]), "page mapping with the map on flash, cached";
    Zones: ["ftl.mapping.name"], Is(&["zoned-all", "zoned-on-write", "zoned-width"]), "zones";
    Birrell: ["ftl.mapping.name"], Is(&["birrell"]), "page mapping with the map in RAM, rebuilt at power-up";
    Code: ["ecc.code.name"], IsNot(&["none"]), "bit errors and their correction";
    Regulator: ["ftl.regulator.name"], IsNot(&["mcw-mcr"]), "write cost regulation";
    Refresh: ["ftl.refresh.age"], Positive, "refresh of old data";
    Patrol: ["ftl.scrub.period"], Positive, "patrol scrub";
    WearLevelling: ["ftl.wear.name"], IsNot(&["none"]), "wear levelling";
    SlcCache: ["ftl.slc_cache.name"], IsNot(&["none"]), "an SLC cache";
    OneBitCells: ["nand.cell"], Is(&["slc"]), "a chip with one bit per cell";
    Parity: ["ftl.parity.name"], IsNot(&["none"]), "parity across dies";
    FailedDie: ["ftl.failed_die"], Given, "a die that is dead from the start";
    DieFault: ["fault.die", "fault.channel"], Given, "a die or channel that fails in the middle of a run";
    Snapshots: ["ftl.snapshots.every", "ftl.snapshots.at"], Given, "snapshots of the logical drive";
    MixedStreams: ["ftl.streams.name"], Is(&["mixed"]), "moved data in the host's open superblocks";
    Streams: ["ftl.streams.name"], IsNot(&["mixed", "separate"]), "streams that tell units apart";
    ProgramOrder: ["ftl.program_order.name"], IsNot(&["in-order"]), "streams that swap their open superblocks";
    Copyback: ["controller.copyback"], Is(&["true"]), "copyback";
    Bursts: ["ftl.gc.burst_programs"], Positive, "garbage collection in bursts";
    SeveralUnits: ["ftl.mapping_unit"], UnitsAProgram, "several mapping units per program";
    Sectors: ["ftl.sectors.track"], Is(&["true"]), "sector tracking within units";
    BufferDram: ["ftl.buffer.dram.transfers"], Given, "access times of the buffer's DRAM";
    InFlight: ["ftl.buffer.in_flight"], Given, "a limit on data in flight to the flash";
    KeepRewritten: ["ftl.buffer.keep_rewritten"], Positive, "a buffer that keeps only soon rewritten data";
    ReadMerge: ["ftl.read_merge.name"], IsNot(&["none"]), "shared array reads";
    ReadAhead: ["ftl.read_ahead.name"], IsNot(&["none"]), "read-ahead";
    CacheRead: ["controller.cache_read"], Is(&["true"]), "cache read: an array read overlaps the previous data-out";
    CacheProgram: ["controller.cache_program"], Is(&["true"]), "cache program: a data-in overlaps the previous program";
    LateChoice: ["controller.late_choice"], Is(&["true"]), "a die's next operation is chosen only when the channel is free";
    DiesTakeTurns: ["controller.dies_take_turns"], Is(&["true"]), "the dies of a way work one at a time";
    PairedPlanes: ["controller.paired_planes"], Several, "dies of a way that model the planes of one die";
    Recovery: ["ftl.recovery.name"], IsNot(&["scan"]), "summaries or checkpoints of a map in RAM";
    PowerCut: ["power.cut.at", "power.cut.after", "power.cut.drawn"], Given, "power cuts in the middle of a run";
    DeterministicTrim: ["ftl.trim"], Is(&["deterministic"]), "trims that survive power cuts";
    Instant: ["--precondition instant"], Asked, "a constructed steady state";
    SavedState: ["--save-state, --load-state"], Asked, "a saved state";
    Ageing: ["floatgate age"], Asked, "a drive's lifetime";
    Sampled: ["--sample"], Asked, "a sampled run";
}

/// Kind of reason, with its text, why two features of a drive cannot be combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Case of reason why two features cannot be combined: the hardware of the drive (chip, controller) cannot do what
    /// both features need.
    Physical(&'static str),
    /// Case of reason why two features cannot be combined: one feature does not provide what the other needs.
    Logical(&'static str),
}

impl Reason {
    /// Returns the text of the reason why two features cannot be combined, for an error message.
    pub fn text(self) -> &'static str {
        match self {
            Self::Physical(text) | Self::Logical(text) => text,
        }
    }
}

/// Record of a rule that a drive cannot have two features together, with the reason and advice for the error message.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    /// First feature of the pair that cannot be combined: the error message blames its key, or the key of the second
    /// feature where the first is on by default.
    pub a: Feature,
    /// Second feature of the pair of features that exclude each other on a drive.
    pub b: Feature,
    /// Field of a rule that two features of a drive exclude each other: kind and text of the reason.
    pub reason: Reason,
    /// Text of the settings that the error message suggests, with which the drive no longer has both features.
    pub change: &'static str,
}

/// Record of a rule that one feature of a drive has no use without another one, with the reason and advice for the
/// error message.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Feature of the rule that has no use on a drive without the other feature, `needed`.
    pub feature: Feature,
    /// Feature without which the other feature has no use.
    pub needed: Feature,
    /// Field of a rule that one feature of a drive needs another: text of the reason, for the error message.
    pub reason: &'static str,
    /// Field of a rule that one feature of a drive needs another: advice in the error message, namely key values that
    /// enable the needed feature, or that disable the feature which needs it.
    pub change: &'static str,
}

/// Macro that makes the rows of the table [`APART`]: two features, the reason why they exclude each other, and the
/// settings that the error message suggests.
macro_rules! apart {
    ($($a:ident, $b:ident: $reason:expr => $change:expr;)*) => {
        &[$(Apart { a: Feature::$a, b: Feature::$b, reason: $reason, change: $change }),*]
    };
}

/// Macro that makes the rows of the table [`NEEDS`]: a feature, the feature that it needs, the reason, and the settings
/// that the error message suggests.
macro_rules! needs {
    ($($feature:ident, $needed:ident: $reason:expr => $change:expr;)*) => {
        &[$(Needs { feature: Feature::$feature, needed: Feature::$needed, reason: $reason, change: $change }),*]
    };
}

use Reason::{Logical, Physical};

const PAGES: &str = "ftl.mapping.name = page, dftl or birrell";
const ONE_UNIT: &str = "one unit per program: controller.multi_plane = false, nand.program = page, ftl.mapping_unit as large as the page";
const CODE: &str = "a code, such as ecc.code.name = ldpc";
const TRACK: &str = "ftl.sectors.track = true";

/// Constant: table of all pairs of features that exclude each other. A pair that follows from another row by way of
/// [`NEEDS`] is not listed.
pub const APART: &[Apart] = apart! {
    SlcCache, BlockMap: Logical("the map can only point to a unit's block or log block, not to the cache")
        => PAGES;
    Parity, BlockMap:
        Logical("a merge erases the replaced block at once, while the rest of its stripe still needs it")
        => PAGES;
    Snapshots, BlockMap:
        Logical("the map can only point to a unit's block or log block, not to an overwritten version")
        => PAGES;
    ProgramOrder, BlockMap:
        Logical("a unit's address determines its block and the order of programs: there is nothing to swap")
        => "ftl.program_order.name = in-order, or ftl.mapping.name = page, dftl or birrell";
    Bursts, BlockMap: Logical("a merge is asked for by the write that waits for it")
        => "ftl.gc.burst_programs = 0, or ftl.mapping.name = page, dftl or birrell";
    Bursts, SlcCache: Logical("folding takes turns with the host by a credit of its own, which a burst would not see")
        => "ftl.gc.burst_programs = 0, or ftl.slc_cache.name = none";
    Bursts, Zones: Logical("nothing is collected in zones, and bursts beside them are not modelled")
        => "ftl.gc.burst_programs = 0";
    SlcCache, Zones: Logical("a zone lies where its number says, and nothing is folded out of a cache")
        => "ftl.slc_cache.name = none";
    Parity, Zones: Logical("superblocks of a zone are filled and reset by themselves, not in groups of neighbours")
        => "ftl.parity.name = none, and a ftl.mapping.zone_capacity below the size of its superblocks";
    Snapshots, Zones: Logical("a zone is reset as a whole, and no version of it outlives that")
        => "no ftl.snapshots";
    MixedStreams, Zones: Logical("nothing is moved: a zone has superblocks of its own")
        => "ftl.streams.name = separate";
    Streams, Zones: Logical("a zone has superblocks of its own, which say what streams could")
        => "ftl.streams.name = separate";
    ProgramOrder, Zones: Logical("a unit's address determines its place: there is nothing to swap")
        => "ftl.program_order.name = in-order";
    Sectors, Zones: Logical("a zone is written in whole mapping units") => "ftl.sectors.track = false";
    Refresh, Zones: Logical("moving a zone's data to keep them is not modelled") => "ftl.refresh.age = 0";
    Patrol, Zones: Logical("moving a zone's data to keep them is not modelled") => "no ftl.scrub.period";
    FailedDie, Zones: Logical("every zone over the die would be offline, which is not modelled") => "no ftl.failed_die";
    DieFault, Zones: Logical("every zone over the die would turn offline, which is not modelled")
        => "no fault.die and fault.channel";
    Recovery, Zones: Logical("summaries and checkpoints name units, and the map of zones names superblocks")
        => "ftl.recovery.name = scan";
    DeterministicTrim, Zones: Logical("a zoned drive knows resets, and no trims") => "ftl.trim = not";
    Instant, Zones: Logical("a zone has no steady state of collection") => "--precondition none";
    Ageing, Zones: Logical("a drive's life is written by overwrites of blocks, which zones do not take")
        => "ftl.mapping.name = page, dftl or birrell";
    SlcCache, OneBitCells: Physical("this chip already stores one bit per cell")
        => "ftl.slc_cache.name = none";
    SlcCache, MixedStreams:
        Logical("the host's open superblock is in SLC mode, the one for folded and moved data is not")
        => "ftl.streams.name = separate";
    SlcCache, Streams:
        Logical("the cache takes all that the host writes and folds it into one stream")
        => "ftl.streams.name = separate, or ftl.slc_cache.name = none";
    Parity, Streams:
        Logical("the superblocks of a group are filled in step, each by what comes to its die, and units of a stream do not come in step")
        => "ftl.streams.name = separate or mixed, or ftl.parity.name = none";
    SlcCache, ProgramOrder:
        Physical("the two open superblocks of a die have different numbers of bits per cell, so they cannot be swapped")
        => "ftl.program_order.name = in-order, or ftl.slc_cache.name = none";
    Parity, Copyback:
        Physical("parity is computed from data that passes through the controller, which copyback data never does")
        => "controller.copyback = false, or ftl.parity.name = none";
    Parity, ProgramOrder:
        Logical("the superblocks of a group are filled in step by one stream, so none can go to another stream")
        => "ftl.program_order.name = in-order, or ftl.parity.name = none";
    ProgramOrder, MixedStreams:
        Logical("host data and moved data share one open superblock: there is no other to swap it with")
        => "ftl.streams.name = separate, or ftl.program_order.name = in-order";
    ProgramOrder, Streams: Logical("there are more than two open superblocks to swap")
        => "ftl.streams.name = separate, or ftl.program_order.name = in-order";
    Instant, Streams: Logical("a state is constructed for units that are all alike")
        => "ftl.streams.name = separate or mixed, or another --precondition";
    Copyback, SeveralUnits: Physical("a copyback moves one page within a plane")
        => ONE_UNIT;
    Recovery, BlockMap: Logical("summaries and checkpoints name units, and the map names blocks")
        => "ftl.recovery.name = scan";
    Recovery, Dftl: Logical("the map lies on flash anyway") => "ftl.recovery.name = scan";
    Recovery, Birrell: Logical("its summaries and checkpoints are part of the map")
        => "ftl.recovery.name = scan, or ftl.mapping.name = page";
    DieFault, BlockMap: Logical("a merge needs the replaced block of the die that is dead")
        => "ftl.failed_die, or ftl.mapping.name = page, dftl or birrell";
    DeterministicTrim, BlockMap: Logical("records of trims name units, and the map names blocks")
        => "ftl.trim = not, or ftl.mapping.name = page, dftl or birrell";
    DeterministicTrim, Snapshots: Logical("a snapshot keeps what a trim would forget, and rolling back brings it back")
        => "ftl.trim = not, or no ftl.snapshots";
    Sampled, BlockMap: Logical("merges are not carried forward without a clock") => PAGES;
    Sampled, Zones: Logical("pointers of zones are not carried forward without a clock")
        => "ftl.mapping.name = page";
    Sampled, Dftl: Logical("which map entries are cached depends on reads, which are not carried forward")
        => "ftl.mapping.name = page";
    Sampled, Birrell: Logical("summaries of a map are written by time, which is not carried forward")
        => "ftl.mapping.name = page";
    Sampled, Regulator: Logical("costs of writes depend on how busy dies are, which is not carried forward")
        => "ftl.regulator.name = mcw-mcr";
    Sampled, Refresh: Logical("refreshes are due by time, which is not carried forward") => "ftl.refresh.age = 0";
    Sampled, Patrol: Logical("patrol reads are due by time, which is not carried forward") => "no ftl.scrub.period";
    Sampled, SlcCache: Logical("how full the cache is depends on time, which is not carried forward")
        => "ftl.slc_cache.name = none";
    Sampled, Parity: Logical("groups that are filled in step are not carried forward between windows")
        => "ftl.parity.name = none";
    Sampled, Bursts: Logical("turns of the host and of collections take place in time, which is not carried forward")
        => "ftl.gc.burst_programs = 0";
    Sampled, KeepRewritten: Logical("what the buffer keeps depends on reads and flushes, which are not carried forward")
        => "ftl.buffer.keep_rewritten = 0";
    Sampled, FailedDie: Logical("rebuilds of the dead die's data are not carried forward") => "no ftl.failed_die";
    Sampled, DieFault: Logical("a fault comes once, at a time that may lie between windows")
        => "no fault.die and fault.channel";
    Sampled, Snapshots: Logical("versions that snapshots see are not carried forward without a clock")
        => "no ftl.snapshots";
    Sampled, Sectors: Logical("which sectors are known depends on reads, which are not carried forward")
        => "ftl.sectors.track = false";
    Sampled, Recovery: Logical("summaries and checkpoints are written by time, which is not carried forward")
        => "ftl.recovery.name = scan";
    Sampled, PowerCut: Logical("a cut comes once, at a time that may lie between windows") => "no power.cut";
    Sampled, DeterministicTrim: Logical("records of trims are not carried forward without a clock")
        => "ftl.trim = not";
    LateChoice, CacheRead:
        Logical("a read that overlaps the previous one is chosen before the channel is free")
        => "controller.cache_read = false, or controller.late_choice = false";
    LateChoice, CacheProgram:
        Logical("a program that overlaps the previous one is chosen before the channel is free")
        => "controller.cache_program = false, or controller.late_choice = false";
};

/// Constant: table of all features that have no use without another feature.
pub const NEEDS: &[Needs] = needs! {
    Regulator, Code: "without a code, a coarser step does not make reads slower" => CODE;
    Refresh, Code: "without a code, data has no errors" => CODE;
    Patrol, Code: "without a code, data has no errors" => CODE;
    BufferDram, Sectors: "its time depends on which sectors are present" => TRACK;
    InFlight, Sectors: "it is counted in sectors" => TRACK;
    KeepRewritten, Sectors: "rewritten data is identified by its sectors" => TRACK;
    DiesTakeTurns, LateChoice: "the die to work next is known only when the channel is free"
        => "controller.late_choice = true";
    PairedPlanes, DiesTakeTurns: "planes of one die cannot work independently"
        => "controller.dies_take_turns = true, or controller.paired_planes = 1";
};

/// Record of a rule that certain configuration keys have no effect on a drive that has a certain feature, or on a drive
/// that lacks it.
#[derive(Clone, Copy, Debug)]
pub struct Idle {
    /// List of the configuration keys without effect; the name of a section stands for all its keys.
    pub keys: &'static [&'static str],
    /// Feature of a drive with which, or without which, the keys have no effect.
    pub feature: Feature,
    /// True if the keys have no effect on a drive with the feature; false if they have no effect on a drive without it.
    pub with: bool,
    /// Field of a rule about configuration keys without effect: text of the reason, for the error message.
    pub reason: &'static str,
    /// Field of a rule about configuration keys without effect: settings that the error message suggests so that the
    /// keys have an effect, such as `ftl.mapping.name = page, dftl or birrell`.
    pub change: &'static str,
}

/// Constant: table of the configuration keys that have no effect on a drive with, or without, a certain feature: a
/// drive on which the user set one of them is refused with an error.
pub const IDLE: &[Idle] = &[
    Idle {
        keys: &["controller.copyback", "ftl.gc.trigger", "ftl.gc.victim", "ftl.placement", "ftl.streams"],
        feature: Feature::BlockMap,
        with: true,
        reason: "the address determines where data goes, and merges replace garbage collection",
        change: PAGES,
    },
    Idle {
        keys: &["controller.copyback", "ftl.gc.trigger", "ftl.gc.victim", "ftl.placement", "ftl.streams"],
        feature: Feature::Zones,
        with: true,
        reason: "a zone's number determines where data goes, and a reset replaces garbage collection, where no \
                 namespace of the drive is without zones",
        change: PAGES,
    },
    Idle {
        keys: &["ftl.reading.reclaim"],
        feature: Feature::Code,
        with: false,
        reason: "without a code, data has no errors",
        change: CODE,
    },
];

/// Record of a feature that a drive file turns on, with the key that does so.
#[derive(Clone, Debug)]
pub struct Found {
    /// Feature of this record: the one that the key in `entry` turns on.
    pub feature: Feature,
    /// Field of a feature that a drive file turns on: the key that does so, with its value and its place in the file.
    pub entry: Entry,
}

impl Feature {
    /// Returns true if `value` of one of the feature's keys turns the feature on, false for a feature that a command or
    /// option requests; `units` is the number of mapping units that one program writes.
    pub fn is_on(self, value: &str, units: u32) -> bool {
        let value = value.trim_matches('"');
        let number = || value.trim_end_matches(char::is_alphabetic).trim().parse::<f64>().unwrap_or(0.0);
        match self.switch() {
            Is(names) => names.contains(&value),
            IsNot(names) => !names.contains(&value),
            Given => true,
            Positive => number() > 0.0,
            Several => number() > 1.0,
            UnitsAProgram => units > 1,
            Asked => false,
        }
    }

    /// Returns the feature itself first, then all features that it needs, directly or indirectly.
    fn with_needs(self) -> Vec<Self> {
        let mut all = vec![self];
        let mut at = 0;
        while let Some(&feature) = all.get(at) {
            all.extend(NEEDS.iter().filter(|row| row.feature == feature).map(|row| row.needed));
            at += 1;
        }
        all
    }
}

/// Returns the first row of [`APART`] that excludes two features, or features that they need, from each other.
pub fn between(a: Feature, b: Feature) -> Option<&'static Apart> {
    let (of_a, of_b) = (a.with_needs(), b.with_needs());
    APART.iter().find(|row| {
        of_a.contains(&row.a) && of_b.contains(&row.b) || of_a.contains(&row.b) && of_b.contains(&row.a)
    })
}

/// Returns the features that a drive file turns on, judged from all keys read below `root`; `units` is the number of
/// mapping units that one program writes.
pub(crate) fn find(root: &Section, units: u32) -> Vec<Found> {
    let entries = root.entries();
    let entry = |key: &str| entries.iter().rev().find(|entry| entry.key == key);
    let found = |&feature: &Feature| {
        let mut keys = feature.keys().iter().filter_map(|key| entry(key));
        let mut entry = keys.find(|entry| feature.is_on(&entry.value.to_string(), units))?.clone();
        // The reader of a message looks for the value as written.
        entry.value = root.written(&entry.key).unwrap_or(&entry.value).clone();
        Some(Found { feature, entry })
    };
    Feature::ALL.iter().filter_map(found).collect()
}

/// Checks that all features of a drive file can be combined, and that each has the features that it needs.
///
/// # Errors
/// Names both features of the first row that is violated, its reason and what to change.
pub(crate) fn check(found: &[Found]) -> Result<(), ConfigError> {
    let of = |feature: Feature| found.iter().find(|found| found.feature == feature).map(|found| &found.entry);
    for row in APART {
        if let (Some(a), Some(b)) = (of(row.a), of(row.b)) {
            // The fault is in the value that was written, not in the default.
            let (blamed, other) = if a.place == Place::Default { (b, a) } else { (a, b) };
            return Err(refusal(blamed, &format!("{} = {}", other.key, other.value), row));
        }
    }
    for row in NEEDS {
        if let (Some(entry), None) = (of(row.feature), of(row.needed)) {
            let expected = format!("needs {}: {}; expected {}", row.needed.keys()[0], row.reason, row.change);
            return Err(error(entry, expected));
        }
    }
    Ok(())
}

/// Checks that the user set no key without effect. Exempt are the value `false`, and keys of another file than the key
/// that decides on the feature, or of any file where `--set` decides: the drive inherits them.
///
/// # Errors
/// Names the key and the reason why it has no effect.
pub fn check_idle(entries: &[Entry], found: &[Found]) -> Result<(), ConfigError> {
    let is_off = |entry: &Entry| entry.value.to_string() == "false";
    for row in IDLE {
        let on = found.iter().find(|found| found.feature == row.feature);
        let switch = row.feature.keys()[0];
        let switch = entries.iter().find(|entry| entry.key == switch);
        if on.is_some() != row.with {
            continue;
        }
        let place = switch.map_or(&Place::Default, |switch| &switch.place);
        let is_his = |entry: &&Entry| match (&entry.place, place) {
            (Place::Set, _) => true,
            (Place::Line(file, _), Place::Line(other, _)) => file == other,
            (Place::Line(..), Place::Default) => true,
            (Place::Line(..), Place::Set) | (Place::Default, _) => false,
        };
        let names = |entry: &&Entry| {
            let rest = |key: &&str| {
                entry.key.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            row.keys.iter().any(rest)
        };
        if let Some(entry) = entries.iter().filter(names).filter(is_his).find(|entry| !is_off(entry)) {
            let said =
                switch.map_or(String::new(), |switch| format!(" with {} = {}", switch.key, switch.value));
            return Err(self::error(
                entry,
                format!("has no effect{said}: {}; expected {}", row.reason, row.change),
            ));
        }
    }
    Ok(())
}

/// Checks that a drive has no feature that excludes `asked`, a feature that an option of the run requests.
///
/// # Errors
/// As for a pair of the drive's own features; the key of the drive is blamed.
pub fn check_asked(asked: Feature, found: &[Found]) -> Result<(), ConfigError> {
    let rows = APART.iter().filter(|row| row.a == asked);
    let wrong = rows.filter_map(|row| Some((row, found.iter().find(|found| found.feature == row.b)?)));
    match wrong.into_iter().next() {
        Some((row, found)) => Err(refusal(&found.entry, asked.keys()[0], row)),
        None => Ok(()),
    }
}

fn refusal(blamed: &Entry, other: &str, row: &Apart) -> ConfigError {
    error(blamed, format!("cannot be combined with {other}: {}; expected {}", row.reason.text(), row.change))
}

fn error(entry: &Entry, expected: String) -> ConfigError {
    let (place, key, value) = (entry.place.clone(), entry.key.clone(), entry.value.to_string());
    ConfigError { place, key, value, expected, hint: None }
}
