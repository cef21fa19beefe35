//! From a drive file, its base, its chip and `--set` to a drive that can be run.

mod blocks_kept;
pub(crate) mod catalogue;
pub(crate) mod chip;
pub(crate) mod fault;
pub(crate) mod keys;
pub(crate) mod memory;
pub(crate) mod page_errors;
pub(crate) mod power_cuts;
pub(crate) mod power_model;

use crate::Error;
use crate::drive::catalogue::Catalogue;
use crate::drive::chip::ChipKeys;
use crate::drive::fault::FailurePlan;
use crate::drive::memory::{Checking, MemoryNeeds, check_blocks};
use crate::drive::power_cuts::PowerPlan;
use crate::drive::power_model::PowerModel;
use crate::namespaces::Namespaces;
use crate::translation::LogRules;
use crate::workload::Reach;
use blocks_kept::check_host;
use bus::Bus;
use config::{Bringer, ConfigError, Document, Entry, Section, Value};
use controller::{Controller, ControllerConfig};
use ecc::EccConfig;
use ftl::buffer::Buffer;
use ftl::buffer::eviction::BLOCK_UNITS;
use ftl::compatibility::{Feature, Found, check_idle};
use ftl::{CorrectionParts, Ftl, FtlConfig, Layout};
use host::{HostSpace, LinkConfig};
use nand::errors;
use nand::{ArrayTiming, FlashArray, Geometry, Tables};
use units::{Bytes, Nanos};

/// Configuration of a drive, read and checked for consistency, from which any number of simulated drives can be built.
pub struct Drive {
    /// Field: name of the drive in messages: its name in the catalogue, or its file's name without `.toml`.
    pub name: String,
    /// Field: title of the drive (a few words that describe it), as the drive file gives it.
    pub title: String,
    document: Document,
    entries: Vec<Entry>,
    geometry: Geometry,
    link: LinkConfig,
    namespaces: Namespaces,
    capacity: Bytes,
    pub(crate) features: Vec<Found>,
    needs: MemoryNeeds,
    t_decode: Nanos,
    counted: Vec<String>,
    power: PowerModel,
    pub(crate) cuts: PowerPlan,
    pub(crate) failures: FailurePlan,
}

/// All parts of a simulated drive, read in one go from its configuration: flash, bus, controller, error correction,
/// translation layer, host link, power.
pub(crate) struct WholeDrive {
    pub title: String,
    pub entries: Vec<Entry>,
    pub geometry: Geometry,
    pub tables: Option<Tables>,
    pub timing: ArrayTiming,
    pub power: PowerModel,
    pub cuts: PowerPlan,
    pub failures: FailurePlan,
    pub array: FlashArray,
    pub controller: ControllerConfig,
    pub bus: Bus,
    pub ecc: EccConfig,
    pub errors: errors::Maker,
    pub ftl: FtlConfig,
    pub host: HostOfDrive,
}

/// Set of the parts of a drive that concern its host: link, namespaces, and a host that keeps blocks on zones.
pub(crate) struct HostOfDrive {
    pub link: LinkConfig,
    pub namespaces: Namespaces,
    /// Field: settings of a host that keeps blocks on the drive's zones; `None` where the workload asks the drive
    /// itself.
    pub translation: Option<LogRules>,
}

/// Kind of reason why a drive's configuration is refused: a fault of one key, or of the drive as a whole.
enum Refused {
    /// Case of refusal: one key of the configuration or its value is wrong.
    Key(ConfigError),
    /// Case of refusal: the drive as a whole is not possible, although each key by itself is right.
    Drive(Error),
}

impl From<ConfigError> for Refused {
    fn from(error: ConfigError) -> Self {
        Self::Key(error)
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Drive(error)
    }
}

fn read_whole(document: &Document, seed: u64) -> Result<WholeDrive, Error> {
    let mut root = Section::root(document);
    let read = read_drive(&mut root, seed);
    debug_assert_eq!(keys::unlisted(&root), Vec::<String>::new(), "keys that `floatgate keys` lacks");
    read.map_err(|refused| match refused {
        Refused::Key(error) => keys::hinted(error).into(),
        Refused::Drive(error) => error,
    })
}

/// Reads a drive's configuration and drops the result; serves only to record which configuration keys the reader asks
/// for.
pub(crate) fn read_keys(root: &mut Section) -> Result<(), ConfigError> {
    match read_drive(root, 0) {
        Ok(_) => Ok(()),
        Err(Refused::Key(error)) => Err(error),
        Err(Refused::Drive(error)) => Err(ConfigError {
            place: config::Place::Default,
            key: String::new(),
            value: String::new(),
            expected: error.0,
            hint: None,
        }),
    }
}

fn read_drive(root: &mut Section, seed: u64) -> Result<WholeDrive, Refused> {
    let title = root.or("title", String::new(), "what the drive is")?;
    let mut parts = ChipKeys::read_nand(root)?;
    check_blocks(&parts.geometry)?;
    let controller = ControllerConfig::read(root)?;
    let planes = if controller.multi_plane { parts.geometry.planes } else { 1 };
    let endurance = parts.tables.as_ref().and_then(|tables| tables.endurance.as_ref());
    let array = FlashArray::read(&mut parts.nand, &parts.geometry, planes, endurance, seed)?;
    parts.nand.finish()?;
    let mut bus = Bus::read(root, &parts.support)?;
    let ecc = EccConfig::read(root, parts.geometry.cell.bits())?;
    let mut cuts = PowerPlan::read(root)?;
    let failures = FailurePlan::read(root, &parts.geometry)?;
    let mut ftl = FtlConfig::read(root, &parts.geometry, &controller)?;
    cuts.has_capacitors = ftl.buffer.power_loss_protection;
    ftl.buffer.power_loss_protection = cuts.is_buffer_durable();
    let link = LinkConfig::read(root)?;
    let units = (u64::from(ftl.layout.logical_units), ftl.layout.unit.get());
    let namespaces = Namespaces::place_all(&link.namespaces, units, ftl.zoning(), &root.entries())?;
    if let Some((zones, beside)) = namespaces.beside_zones() {
        ftl.put_beside_zones((beside / ftl.layout.unit.get()) as u32, zones);
    }
    let translation = LogRules::read(root, &ftl.layout, ftl.zoning())?;
    let layout = &ftl.layout;
    let oob = Bytes::new(parts.geometry.oob_size.get() / u64::from(layout.units_per_page));
    let pages = layout.planes * layout.program_rows;
    bus.prepare(ecc.drain, layout.unit, oob, layout.row_units, layout.program_units, pages);
    let entries = root.entries();
    check_host(root, (&link, &ftl), translation.as_ref(), &cuts)?;
    let (namespaces, areas) = namespaces.identify(&link.namespaces, &ftl, &entries)?;
    let kept = translation.as_ref().map(|rules| (rules.bytes(layout.unit.get()), rules.handles()));
    let namespaces = namespaces.with_blocks_kept(kept);
    ftl.destination.areas = areas;
    root.clone().finish()?;
    let power = PowerModel {
        controller: controller.power,
        controller_per_byte: controller.energy_per_byte,
        bus_per_byte: bus.io_energy_per_byte(parts.geometry.dies_per_channel()),
        array: parts.power,
    };
    let ChipKeys { geometry, tables, timing, errors, .. } = parts;
    Ok(WholeDrive {
        title,
        entries,
        geometry,
        tables,
        timing,
        power,
        cuts,
        failures,
        array,
        controller,
        bus,
        ecc,
        errors,
        ftl,
        host: HostOfDrive { link, namespaces, translation },
    })
}

/// Refuses the key `power.hold_up` on a drive whose write buffer is not protected by capacitors against power cuts.
fn check_hold_up(drive: &Drive) -> Result<(), Error> {
    let entry = drive.entries.iter().find(|entry| entry.key == "power.hold_up");
    let Some(Entry { place, key, value, .. }) = entry.filter(|_| !drive.cuts.has_capacitors) else {
        return Ok(());
    };
    let expected = "has no effect with ftl.buffer.power_loss_protection = false: no capacitors keep such a drive at work; \
                    expected none, or ftl.buffer.power_loss_protection = true";
    let (place, key, value) = (place.clone(), key.clone(), value.to_string());
    Err(ConfigError { place, key, value, expected: expected.into(), hint: None }.into())
}

impl Drive {
    /// Reads the configuration of the drive `name` (a catalogue name or a file), with `overrides` of the form
    /// `key=value` on top.
    ///
    /// # Errors
    /// When a file, a key or a value is wrong, or the drive could not sustain writes.
    pub fn load(catalogue: &Catalogue, name: &str, overrides: &[String]) -> Result<Self, Error> {
        let (document, name) = catalogue.document(name, overrides)?;
        Self::checked(Self::of(document, name)?)
    }

    /// Reads the configuration of a drive from the `text` of a drive file, with `overrides` of the form `key=value` on
    /// top; messages call the drive `name`.
    ///
    /// # Errors
    /// When a base file, the chip file, a key or a value is wrong, or the drive could not sustain writes.
    pub fn load_text(
        catalogue: &Catalogue,
        name: &str,
        text: &str,
        overrides: &[String],
    ) -> Result<Self, Error> {
        Self::checked(Self::of(catalogue.document_of(name, text, overrides)?, name.to_owned())?)
    }

    fn checked(drive: Self) -> Result<Self, Error> {
        // A resolved configuration says every key; a file or `--set` should say none in vain.
        let has_blocks = drive.namespaces.beside_zones().is_some_and(|(_, beside)| beside > 0);
        let is_at_work = |found: &&Found| found.feature != Feature::Zones || !has_blocks;
        let features: Vec<Found> = drive.features.iter().filter(is_at_work).cloned().collect();
        check_idle(&drive.entries, &features)?;
        check_hold_up(&drive)?;
        Ok(drive)
    }

    /// Makes a drive from a resolved configuration: all keys with their values in the form `key=value`, as a run's
    /// result contains them.
    ///
    /// # Errors
    /// When a key or a value is wrong, or the drive could not sustain writes.
    pub fn from_resolved(name: &str, assignments: &[String]) -> Result<Self, Error> {
        Self::from_resolved_with(name, assignments, Bringer::default())
    }

    /// Makes a drive from a resolved configuration (`key=value` for all keys), with policies that `bringer` brings from
    /// outside the simulator.
    ///
    /// # Errors
    /// When a key or a value is wrong, a policy cannot be brought, or the drive could not sustain writes.
    pub fn from_resolved_with(name: &str, assignments: &[String], bringer: Bringer) -> Result<Self, Error> {
        let mut document = Document::empty().with(bringer);
        for assignment in assignments {
            document.set(assignment)?;
        }
        Self::of(document, name.to_owned())
    }

    fn of(document: Document, name: String) -> Result<Self, Error> {
        let whole = read_whole(&document, 0)?;
        let needs = blocks_kept::needs_of(&whole);
        Ok(Self {
            name,
            title: whole.title,
            entries: whole.entries,
            features: whole.ftl.features.clone(),
            needs,
            geometry: whole.geometry,
            link: whole.host.link,
            namespaces: whole.host.namespaces,
            capacity: whole.ftl.layout.capacity(),
            t_decode: whole.ecc.t_decode,
            counted: whole.ecc.ladder.as_ref().map_or(Vec::new(), ecc::Ladder::provenance),
            power: whole.power,
            cuts: whole.cuts,
            failures: whole.failures,
            document,
        })
    }

    /// Reads all parts of the drive anew from its stored configuration, with random properties (such as bad blocks)
    /// from `seed`.
    pub(crate) fn read(&self, seed: u64) -> Result<WholeDrive, Error> {
        read_whole(&self.document, seed)
    }

    /// Returns the list of the configuration keys that are in force on the drive, each with its value, place and
    /// source.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the entry of the configuration key `key` that is in force on the drive; `None` if there is none.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.key == key)
    }

    /// Returns true if the drive's configuration sets the key or table `key`.
    pub(crate) fn writes(&self, key: &str) -> bool {
        self.document.get(key).is_some()
    }

    /// Returns true if one of the drive's policies is defined outside the simulator, so that the configuration does not
    /// fully describe the drive's behaviour.
    pub(crate) fn has_foreign_policies(&self) -> bool {
        let text = |entry: &Entry| match &entry.value {
            Value::Text(name) => self.document.is_foreign(name),
            _ => false,
        };
        self.entries.iter().any(text)
    }

    /// Returns the capacity in bytes that the host sees of the drive with this configuration.
    pub fn capacity(&self) -> Bytes {
        self.capacity
    }

    /// Returns the namespaces of the drive with this configuration.
    pub(crate) fn namespaces(&self) -> &Namespaces {
        &self.namespaces
    }

    /// Returns the drive's address space as a workload sees it: bytes, namespaces, placement handles and zones.
    pub fn space(&self) -> HostSpace {
        self.namespaces.space()
    }

    /// Returns the address space of the drive as the host's policy of placement handles sees it, without the gaps
    /// between zones.
    pub(crate) fn reach(&self) -> HostSpace {
        let space = self.space();
        HostSpace { bytes: if self.is_translated() { space.bytes } else { self.capacity.get() }, ..space }
    }

    /// Returns a description of what the host sees of the drive (bytes, namespaces, placement handles, zones), together
    /// with the settings of the host's policy that gives writes their placement handles.
    pub(crate) fn reach_of_host(&self) -> Reach {
        Reach { space: self.space(), place: self.link.place.clone() }
    }

    /// Returns the physical geometry of the drive's flash: channels, ways, dies, planes, blocks, pages.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the configuration of the drive's host link (interface, queues, namespaces).
    pub fn link(&self) -> &LinkConfig {
        &self.link
    }

    /// Returns the power and energy of the drive's parts (controller, bus, flash array), as configured.
    pub(crate) fn power(&self) -> &PowerModel {
        &self.power
    }

    /// Returns the fixed time that the decoder takes for each attempt to decode a read, iterations not included.
    pub fn t_decode(&self) -> Nanos {
        self.t_decode
    }

    /// Returns lines of text, one for each number of soft bits, on a code whose failure rates were counted in
    /// simulations: what was counted, and from where the rates are extrapolated; empty for another code.
    pub fn counted(&self) -> &[String] {
        &self.counted
    }

    /// Returns true if the configuration plans at least one power cut in a run.
    pub(crate) fn has_power_cuts(&self) -> bool {
        self.has(Feature::PowerCut)
    }

    /// Returns true if the optional feature `feature` of the drive is enabled.
    pub(crate) fn has(&self, feature: Feature) -> bool {
        self.features.iter().any(|found| found.feature == feature)
    }

    /// Returns the sizes of the drive from which the simulator's memory for the drive is calculated.
    pub(crate) fn needs(&self) -> &MemoryNeeds {
        &self.needs
    }

    /// Calculates the number of bytes of the simulator's memory that the drive takes once built, with its checking
    /// observers if `checking` is `On`.
    pub fn memory_bytes(&self, checking: Checking) -> u64 {
        self.needs.bytes(checking)
    }

    /// Builds a new simulated drive without data after a check of the memory; all its random properties follow from
    /// `seed`.
    ///
    /// # Errors
    /// When the drive could not sustain writes, or does not fit into memory.
    pub fn build(&self, seed: u64) -> Result<Ftl, Error> {
        self.needs.check(None, Checking::Off)?;
        self.make(seed)
    }

    /// Builds a new simulated drive without data, without a check of the memory, which the caller has made; all random
    /// properties follow from `seed`.
    pub(crate) fn make(&self, seed: u64) -> Result<Ftl, Error> {
        self.make_anew(seed, seed)
    }

    /// Makes an empty write buffer with the settings of this drive's write buffer, for a page-mapped flash translation
    /// layer with the geometry `layout`.
    ///
    /// # Errors
    /// When the drive's stored configuration cannot be read again.
    pub(crate) fn buffer(&self, layout: &Layout, seed: u64) -> Result<Buffer, Error> {
        let config = read_whole(&self.document, seed)?.ftl.buffer;
        Ok(Buffer::of(&config, 0, layout.logical_units, BLOCK_UNITS, seed))
    }

    /// Returns true if the drive's write buffer keeps units, for reads and overwrites, after they are on flash.
    ///
    /// # Errors
    /// When the drive's file cannot be read again.
    pub(crate) fn keeps_in_buffer(&self) -> Result<bool, Error> {
        Ok(read_whole(&self.document, 0)?.ftl.buffer.keep > 0)
    }

    /// Builds a simulated drive without a check of the memory. Flash properties, such as bad blocks, follow from
    /// `seed`, and the random number sequences (streams) of the policies from `draws`; a drive that is to take over the
    /// flash of another one needs the `seed` of that flash.
    pub(crate) fn make_anew(&self, seed: u64, draws: u64) -> Result<Ftl, Error> {
        let whole = read_whole(&self.document, seed)?;
        let correction = self.correction_parts(&whole)?;
        let (config, t_decode) = (&whole.controller, whole.ecc.t_decode);
        let controller = Controller::new(config, &whole.geometry, whole.timing, whole.bus, t_decode);
        Ftl::new(&whole.ftl, whole.array, controller, config, correction, draws)
            .map_err(|reason| Error(format!("{}: {reason}", self.name)))
    }

    /// Makes the parts of the drive's read correction: code, read flow, and the error model with the chip's tables.
    ///
    /// # Errors
    /// When the error model needs tables that the chip does not have.
    pub(crate) fn correction_parts(&self, whole: &WholeDrive) -> Result<CorrectionParts, Error> {
        let mut errors = (whole.errors)();
        let about = |reason: String| Error(format!("{}: {reason}", self.name));
        errors.attach(whole.tables.as_ref()).map_err(about)?;
        Ok(CorrectionParts {
            ladder: whole.ecc.ladder.clone(),
            flow: (whole.ecc.flow)(),
            errors,
            page_types: whole.geometry.cell.bits(),
            page_bytes: whole.geometry.page_size.get(),
            pe_cycles: whole.array.pe_cycles(0, 0),
        })
    }

    /// Makes the configuration of a miniature of this drive (a drive with fewer dies and superblocks, simulated to find
    /// steady state quickly): `dies` dies of `superblocks` superblocks, in blocks of `pages_per_block` pages, with
    /// `logical_units` logical units. The policies are those of this drive.
    pub(crate) fn miniature(
        &self,
        dies: u32,
        superblocks: u32,
        pages_per_block: u32,
        logical_units: u64,
    ) -> Result<Self, Error> {
        let mut document = self.document.clone();
        let whole = read_whole(&document, 0)?;
        // Fewer pages lie in one plane: a program takes as small a part of a superblock as it did, or less.
        let fewer = pages_per_block < whole.geometry.pages_per_block;
        let (planes, pages) = match fewer && whole.ftl.layout.planes == whole.geometry.planes {
            true => (1, pages_per_block * whole.geometry.planes),
            false => (whole.geometry.planes, pages_per_block),
        };
        let blocks = superblocks * whole.ftl.layout.planes.min(planes) / planes;
        let capacity = logical_units * whole.ftl.layout.unit.get();
        if superblocks < whole.ftl.layout.superblocks_per_die {
            // What an idle die reaches with fewer superblocks is another level; untimed work has no idle time.
            document.remove("ftl.gc.trigger.high");
        }
        for key in ["op_ratio", "user_capacity", "slc_cache", "snapshots", "failed_die"] {
            document.remove(&format!("ftl.{key}"));
        }
        document.remove("host.namespaces");
        document.remove("fault"); // It comes in the run, and no miniature has one.
        for assignment in [
            "geometry.channels=1".to_owned(),
            format!("geometry.ways={dies}"),
            "geometry.dies_per_way=1".to_owned(),
            format!("nand.blocks_per_plane={blocks}"),
            format!("nand.planes={planes}"),
            format!("nand.pages_per_block={pages}"),
            "nand.bad_blocks.factory_ratio=0.0".to_owned(),
            "nand.bad_blocks.program_fail_ratio=0.0".to_owned(),
            "nand.bad_blocks.erase_fail_ratio=0.0".to_owned(),
            format!("ftl.user_capacity=\"{capacity}B\""),
        ] {
            document.set(&assignment)?;
        }
        Self::of(document, format!("{} (miniature)", self.name))
    }
}
