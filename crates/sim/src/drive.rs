//! From a drive file, its base, its chip and `--set` to a drive that can be run.

use crate::ageing_limit::{DriveClass, LimitParts};
use crate::failures::FailurePlan;
use crate::memory_limit::{Checking, Needs, check_blocks};
use crate::namespaces::Namespaces;
use crate::power::PowerPlan;
use crate::result::energy::PowerModel;
use crate::{Error, keys};
use bus::{Bus, Support};
use config::{Bringer, ConfigError, Document, Entry, Section, Value, nearest};
use controller::{Controller, ControllerConfig};
use ecc::EccConfig;
use ftl::buffer::Buffer;
use ftl::buffer::eviction::BLOCK_UNITS;
use ftl::compatibility::{Feature, Found, check_idle};
use ftl::{Ftl, FtlConfig, Layout, RegulationParts};
use host::{LinkConfig, Space};
use nand::cells::CellPhysics;
use nand::chip::{Rig, SimulatedChip, TabledChip};
use nand::errors;
use nand::{ArrayPower, ArrayTiming, FlashArray, Geometry, Tables};
use serde::Serialize;
use std::path::{Path, PathBuf};
use units::{Bytes, Nanos};

/// Where drive and chip files are found by name: folders that have `drives/` and `chips/` in them.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    folders: Vec<PathBuf>,
    bringer: Bringer,
}

/// A line of the listing of drives or chips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DriveSummary {
    /// The name it is called by.
    pub name: String,
    /// What it is.
    pub title: String,
    /// Its file.
    pub path: PathBuf,
}

impl Catalogue {
    /// A catalogue over these folders; earlier ones win.
    pub fn new(folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self { folders: folders.into_iter().map(Into::into).collect(), bringer: Bringer::default() }
    }

    /// The same catalogue; its drives have policies brought from outside.
    #[must_use]
    pub fn with(self, bringer: Bringer) -> Self {
        Self { bringer, ..self }
    }

    /// All drives, by name.
    pub fn drives(&self) -> Vec<DriveSummary> {
        self.list("drives")
    }

    /// All chips, by name.
    pub fn chips(&self) -> Vec<DriveSummary> {
        self.list("chips")
    }

    fn list(&self, kind: &str) -> Vec<DriveSummary> {
        let mut found: Vec<DriveSummary> = Vec::new();
        for folder in &self.folders {
            for (name, path) in toml_files(&folder.join(kind)) {
                if !found.iter().any(|summary| summary.name == name) {
                    let title = load(&path).ok().and_then(|document| text_at(&document, "title"));
                    found.push(DriveSummary { name, title: title.unwrap_or_default(), path });
                }
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    /// The file behind a name or a path.
    fn resolve(&self, kind: &str, name: &str) -> Result<PathBuf, Error> {
        let listed = self.list(kind);
        if let Some(summary) = listed.iter().find(|summary| summary.name == name) {
            return Ok(summary.path.clone());
        }
        let direct = Path::new(name);
        let family = name.split_once('/').map(|(family, _)| format!("{family}/"));
        let of_family = |family: &String| listed.iter().any(|summary| summary.name.starts_with(family));
        if name.ends_with(".toml")
            || (direct.components().count() > 1 && !family.as_ref().is_some_and(of_family))
        {
            return if direct.is_file() {
                Ok(direct.to_owned())
            } else {
                Err(Error(format!("{name}: no such file; expected a {} file or name", singular(kind))))
            };
        }
        let names = || listed.iter().map(|summary| summary.name.as_str());
        let part_of: Vec<&str> = names().filter(|other| other.contains(name)).collect();
        let hint = match (part_of.as_slice(), nearest(name, names())) {
            ([_, _, ..], _) => format!("did you mean one of {}?", part_of.join(", ")),
            (&[near], _) | (_, Some(near)) => format!("did you mean {near:?}?"),
            ([], None) => format!("`floatgate {kind}` lists them"),
        };
        Err(Error(format!("{name}: unknown {}; {hint}", singular(kind))))
    }

    /// The drive file with its bases and its chip laid together, and `overrides` applied.
    fn document(&self, drive: &str, overrides: &[String]) -> Result<(Document, String), Error> {
        let path = self.resolve("drives", drive)?;
        let name = match drive.ends_with(".toml") {
            true => path.file_stem().and_then(|stem| stem.to_str()).unwrap_or(drive).to_owned(),
            false => drive.to_owned(),
        };
        let mut set = Document::empty();
        for assignment in overrides {
            set.set(assignment)?;
        }
        let mut document = self.with_bases("drives", &path, &mut Vec::new())?;
        let chip = match set.take("chip") {
            Some(node) => {
                document.remove("chip");
                Some(node)
            }
            None => document.take("chip"),
        };
        if let Some(node) = chip {
            let Value::Text(chip) = &node.value else {
                return Err(Error(format!(
                    "{}: chip = {}: expected the name of a chip",
                    node.place, node.value
                )));
            };
            let path = self
                .resolve("chips", chip)
                .map_err(|error| Error(format!("{}: chip: {error}", node.place)))?;
            let mut whole = self.with_bases("chips", &path, &mut Vec::new())?.nested("nand");
            whole.overlay(document);
            document = whole;
        }
        // Two keys for one quantity: naming the one on the command line takes the other away.
        for (given, other) in [("ftl.op_ratio", "ftl.user_capacity"), ("ftl.user_capacity", "ftl.op_ratio")] {
            if set.get(given).is_some() && set.get(other).is_none() {
                document.remove(other);
            }
        }
        document.overlay(set);
        Ok((document.with(self.bringer.clone()), name))
    }

    /// A drive's or chip's file over the one it names as its base.
    fn with_bases(&self, kind: &str, path: &Path, seen: &mut Vec<PathBuf>) -> Result<Document, Error> {
        let one = singular(kind);
        if seen.iter().any(|earlier| earlier == path) {
            return Err(Error(format!("{}: base: the {one} inherits from itself", path.display())));
        }
        seen.push(path.to_owned());
        let mut document = load(path)?;
        let Some(base) = document.take("base") else { return Ok(document) };
        let Value::Text(name) = &base.value else {
            return Err(Error(format!(
                "{}: base = {}: expected the name of a {one}",
                base.place, base.value
            )));
        };
        let beside = path.with_file_name(format!("{name}.toml"));
        // `derived/NAME` stands on `NAME`: a file beside itself is another one.
        let below = if beside.is_file() && beside != path { Ok(beside) } else { self.resolve(kind, name) };
        let below = below.map_err(|error| Error(format!("{}: base: {error}", base.place)))?;
        let mut whole = self.with_bases(kind, &below, seen)?;
        whole.overlay(document);
        Ok(whole)
    }
}

/// The files of a folder and of the families below it, by name: `mlc`, `chung2010/slc-conv-1x4`.
fn toml_files(folder: &Path) -> Vec<(String, PathBuf)> {
    let paths = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let stem = |path: &Path| path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
    let toml = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "toml");
    let mut found = Vec::new();
    for path in paths(folder) {
        if toml(&path) {
            found.push((stem(&path), path));
        } else if path.is_dir() {
            let family = stem(&path);
            let members = paths(&path).into_iter().filter(toml);
            found.extend(members.map(|member| (format!("{family}/{}", stem(&member)), member)));
        }
    }
    found
}

fn singular(kind: &str) -> &str {
    kind.trim_end_matches('s')
}

fn load(path: &Path) -> Result<Document, Error> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| Error(format!("{shown}: {error}")))?;
    Ok(Document::parse(&shown, &text)?)
}

fn text_at(document: &Document, key: &str) -> Option<String> {
    match document.get(key).map(|node| &node.value) {
        Some(Value::Text(text)) => Some(text.clone()),
        _ => None,
    }
}

/// The resolved keys of a chip file, each with its source.
///
/// # Errors
/// When the chip is unknown or its file is faulty.
pub fn explain_chip(catalogue: &Catalogue, chip: &str) -> Result<(String, Vec<Entry>), Error> {
    let path = catalogue.resolve("chips", chip)?;
    let mut document = catalogue.with_bases("chips", &path, &mut Vec::new())?.nested("nand");
    // A chip alone has no geometry of a drive; one channel with one way shows its keys.
    for assignment in ["geometry.channels=1", "geometry.ways=1"] {
        document.set(assignment)?;
    }
    let mut root = Section::root(&document);
    let parts = Parts::read_nand(&mut root)?;
    let entries = parts.nand.entries().into_iter().filter(|entry| entry.key.starts_with("nand.")).collect();
    Ok((parts.title, entries))
}

/// Which of a chip's two models is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChipModel {
    /// Its cells.
    Cells,
    /// The tables that whole drives work with.
    Tables,
}

/// A chip on the bench, as one of its two models.
pub enum BenchChip {
    /// Its cells.
    Cells(Box<SimulatedChip>),
    /// The tables that whole drives work with.
    Tables(Box<TabledChip>),
}

/// A chip for the bench, of its cells or of its tables; everything in it varies with `seed`.
///
/// # Errors
/// When the chip is unknown, its file is faulty or has not what the model needs.
pub fn chip_on_bench(
    catalogue: &Catalogue,
    chip: &str,
    overrides: &[String],
    model: ChipModel,
    seed: u64,
) -> Result<BenchChip, Error> {
    let path = catalogue.resolve("chips", chip)?;
    let mut document = catalogue.with_bases("chips", &path, &mut Vec::new())?.nested("nand");
    for assignment in ["geometry.channels=1", "geometry.ways=1"] {
        document.set(assignment)?;
    }
    let mut set = Document::empty();
    for assignment in overrides {
        set.set(&format!("nand.{assignment}"))?;
    }
    document.overlay(set);
    let mut root = Section::root(&document);
    // The drive's reader finds unknown keys; it reads everything a chip file may hold.
    Parts::read_nand(&mut root)?;
    let mut root = Section::root(&document);
    let mut nand = root.child("nand")?;
    Ok(match model {
        ChipModel::Tables => BenchChip::Tables(Box::new(TabledChip::read(&mut root, &mut nand, seed)?)),
        ChipModel::Cells => BenchChip::Cells(Box::new(SimulatedChip::read(&mut root, &mut nand, seed)?)),
    })
}

/// A drive's configuration, read and found consistent. Makes the drive itself, as often as asked.
pub struct Drive {
    /// The name it was asked for by.
    pub name: String,
    /// What it is.
    pub title: String,
    document: Document,
    entries: Vec<Entry>,
    geometry: Geometry,
    link: LinkConfig,
    namespaces: Namespaces,
    capacity: Bytes,
    pub(crate) features: Vec<Found>,
    needs: Needs,
    t_decode: Nanos,
    counted: Vec<String>,
    power: PowerModel,
    pub(crate) cuts: PowerPlan,
    pub(crate) failures: FailurePlan,
}

struct Parts {
    title: String,
    nand: Section,
    geometry: Geometry,
    tables: Option<Tables>,
    timing: ArrayTiming,
    power: Option<ArrayPower>,
    support: Support,
    errors: errors::Maker,
}

impl Parts {
    fn read_nand(root: &mut Section) -> Result<Self, ConfigError> {
        let mut nand = root.child("nand")?;
        let title = nand.or("title", String::new(), "what the chip is")?;
        let geometry = Geometry::read(root, &mut nand)?;
        let tables = Tables::read(&mut nand, &geometry)?;
        let timing = ArrayTiming::read(&mut nand, &geometry, tables.as_ref())?;
        let power = ArrayPower::read(&mut nand)?;
        let support = Support::read(&mut nand)?;
        CellPhysics::read(&mut nand, geometry.cell)?;
        Rig::read(&mut nand)?;
        let mut section = nand.child("errors")?;
        let errors = errors::read(&mut section)?;
        section.finish()?;
        nand.or("maker", String::new(), "who makes it")?;
        nand.or("device_id", Vec::<u32>::new(), "bytes of READ ID")?;
        nand.or("pe_cycles_rated", 0u32, "program/erase cycles the data sheet promises; 0: not known")?;
        Ok(Self { title, nand, geometry, tables, timing, power, support, errors })
    }
}

struct Whole {
    title: String,
    entries: Vec<Entry>,
    geometry: Geometry,
    tables: Option<Tables>,
    timing: ArrayTiming,
    power: PowerModel,
    cuts: PowerPlan,
    failures: FailurePlan,
    array: FlashArray,
    controller: ControllerConfig,
    bus: Bus,
    ecc: EccConfig,
    errors: errors::Maker,
    ftl: FtlConfig,
    link: LinkConfig,
    namespaces: Namespaces,
}

/// Why a drive's configuration is refused.
enum Refused {
    /// A key or a value.
    Key(ConfigError),
    /// The drive as a whole.
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

fn read_whole(document: &Document, seed: u64) -> Result<Whole, Error> {
    let mut root = Section::root(document);
    let read = read_drive(&mut root, seed);
    debug_assert_eq!(keys::unlisted(&root), Vec::<String>::new(), "keys that `floatgate keys` lacks");
    read.map_err(|refused| match refused {
        Refused::Key(error) => keys::hinted(error).into(),
        Refused::Drive(error) => error,
    })
}

/// Reads a drive for the keys that it asks for.
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

fn read_drive(root: &mut Section, seed: u64) -> Result<Whole, Refused> {
    let title = root.or("title", String::new(), "what the drive is")?;
    let mut parts = Parts::read_nand(root)?;
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
    let layout = &ftl.layout;
    let oob = Bytes::new(parts.geometry.oob_size.get() / u64::from(layout.units_per_page));
    let pages = layout.planes * layout.program_rows;
    bus.prepare(ecc.drain, layout.unit, oob, layout.row_units, layout.program_units, pages);
    let entries = root.entries();
    let units = u64::from(layout.logical_units);
    let namespaces = Namespaces::place(&link.namespaces, units, layout.unit.get(), &entries)?;
    root.clone().finish()?;
    let power = PowerModel {
        controller: controller.power,
        controller_per_byte: controller.energy_per_byte,
        bus_per_byte: bus.io_energy_per_byte(parts.geometry.dies_per_channel()),
        array: parts.power,
    };
    let Parts { geometry, tables, timing, errors, .. } = parts;
    Ok(Whole {
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
        link,
        namespaces,
    })
}

/// Refuses a limit of capacitors that are not there.
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
    /// Reads the drive `name` (or file), with `overrides` of the form `key=value` on top.
    ///
    /// # Errors
    /// When a file, a key or a value is wrong, or the drive could not sustain writes.
    pub fn load(catalogue: &Catalogue, name: &str, overrides: &[String]) -> Result<Self, Error> {
        let (document, name) = catalogue.document(name, overrides)?;
        let drive = Self::of(document, name)?;
        // A resolved configuration says every key; a file or `--set` should say none in vain.
        check_idle(&drive.entries, &drive.features)?;
        check_hold_up(&drive)?;
        Ok(drive)
    }

    /// The drive of a resolved configuration: key paths with their values, as a result embeds them.
    ///
    /// # Errors
    /// As for [`Self::load`].
    pub fn from_resolved(name: &str, assignments: &[String]) -> Result<Self, Error> {
        Self::from_resolved_with(name, assignments, Bringer::default())
    }

    /// The same with policies brought from outside.
    ///
    /// # Errors
    /// As for [`Self::load`].
    pub fn from_resolved_with(name: &str, assignments: &[String], bringer: Bringer) -> Result<Self, Error> {
        let mut document = Document::empty().with(bringer);
        for assignment in assignments {
            document.set(assignment)?;
        }
        Self::of(document, name.to_owned())
    }

    fn of(document: Document, name: String) -> Result<Self, Error> {
        let whole = read_whole(&document, 0)?;
        Ok(Self {
            name,
            title: whole.title,
            entries: whole.entries,
            features: whole.ftl.features.clone(),
            needs: Needs::of(&whole.geometry, &whole.ftl, whole.ecc.ladder.as_ref()),
            geometry: whole.geometry,
            link: whole.link,
            namespaces: whole.namespaces,
            capacity: whole.ftl.layout.capacity(),
            t_decode: whole.ecc.t_decode,
            counted: whole.ecc.ladder.as_ref().map_or(Vec::new(), ecc::Ladder::provenance),
            power: whole.power,
            cuts: whole.cuts,
            failures: whole.failures,
            document,
        })
    }

    /// Every key in force, with its place and source.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// True when its configuration says something of a key or table.
    pub(crate) fn writes(&self, key: &str) -> bool {
        self.document.get(key).is_some()
    }

    /// True when one of its policies is brought from outside: what that does stands in no configuration.
    pub(crate) fn has_foreign_policies(&self) -> bool {
        let text = |entry: &Entry| match &entry.value {
            Value::Text(name) => self.document.is_foreign(name),
            _ => false,
        };
        self.entries.iter().any(text)
    }

    /// Bytes the host sees.
    pub fn capacity(&self) -> Bytes {
        self.capacity
    }

    /// Its namespaces.
    pub(crate) fn namespaces(&self) -> &Namespaces {
        &self.namespaces
    }

    /// What a workload sees of it.
    pub fn space(&self) -> Space {
        self.namespaces.space()
    }

    /// The physical layout.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The host link.
    pub fn link(&self) -> &LinkConfig {
        &self.link
    }

    /// What its parts draw.
    pub(crate) fn power(&self) -> &PowerModel {
        &self.power
    }

    /// The fixed delay of the ECC.
    pub fn t_decode(&self) -> Nanos {
        self.t_decode
    }

    /// What was counted that reads rest on, one line for each number of soft bits; none where nothing was.
    pub fn counted(&self) -> &[String] {
        &self.counted
    }

    /// The power fails at least once in a run.
    pub(crate) fn has_power_cuts(&self) -> bool {
        self.has(Feature::PowerCut)
    }

    /// True when a feature is on.
    pub(crate) fn has(&self, feature: Feature) -> bool {
        self.features.iter().any(|found| found.feature == feature)
    }

    /// What it takes of memory.
    pub(crate) fn needs(&self) -> &Needs {
        &self.needs
    }

    /// Bytes of memory that it takes, as reckoned before it is made, and that its observers take.
    pub fn memory_bytes(&self, checking: Checking) -> u64 {
        self.needs.bytes(checking)
    }

    /// A fresh drive. Everything random in it follows from `seed`.
    ///
    /// # Errors
    /// When it could not sustain writes, or does not fit into memory.
    pub fn build(&self, seed: u64) -> Result<Ftl, Error> {
        self.needs.check(None, Checking::Off)?;
        self.make(seed)
    }

    /// As [`Self::build`], where the caller has seen to memory.
    pub(crate) fn make(&self, seed: u64) -> Result<Ftl, Error> {
        self.make_anew(seed, seed)
    }

    /// An empty buffer as a drive of this layout that maps pages has it.
    ///
    /// # Errors
    /// When the drive's file cannot be read again.
    pub(crate) fn buffer(&self, layout: &Layout, seed: u64) -> Result<Buffer, Error> {
        let config = read_whole(&self.document, seed)?.ftl.buffer;
        Ok(Buffer::of(&config, 0, layout.logical_units, BLOCK_UNITS, seed))
    }

    /// As [`Self::make`], with the flash of `seed` and policies that draw from `draws`: the layer that takes over a flash has
    /// the bad blocks that it had.
    pub(crate) fn make_anew(&self, seed: u64, draws: u64) -> Result<Ftl, Error> {
        let whole = read_whole(&self.document, seed)?;
        let mut errors = (whole.errors)();
        let about = |reason: String| Error(format!("{}: {reason}", self.name));
        errors.attach(whole.tables.as_ref()).map_err(about)?;
        let regulation = RegulationParts {
            ladder: whole.ecc.ladder,
            flow: (whole.ecc.flow)(),
            errors,
            page_types: whole.geometry.cell.bits(),
            page_bytes: whole.geometry.page_size.get(),
            pe_cycles: whole.array.pe_cycles(0, 0),
        };
        let (config, t_decode) = (&whole.controller, whole.ecc.t_decode);
        let controller = Controller::new(config, &whole.geometry, whole.timing, whole.bus, t_decode);
        Ftl::new(&whole.ftl, whole.array, controller, config, regulation, draws).map_err(about)
    }

    /// What tells until when its code reads worn flash, and of which class it is; the text says what is missing.
    pub(crate) fn limit_parts(&self) -> Result<(Result<LimitParts, String>, DriveClass), Error> {
        let whole = read_whole(&self.document, 0)?;
        let said = |key: &str| self.entries.iter().find(|entry| entry.key == key);
        let capacitors = said("ftl.buffer.power_loss_protection").is_some_and(|entry| {
            entry.value == Value::Boolean(true) && entry.place != config::Place::Default
        });
        let class = if capacitors { DriveClass::Enterprise } else { DriveClass::Client };
        let model = said("nand.errors.name").map(|entry| entry.value.to_string()).unwrap_or_default();
        let missing = |what: &str| Ok((Err(what.to_owned()), class));
        let Some(ladder) = whole.ecc.ladder else { return missing("ecc.code.name = none") };
        if model != "tables" && model != "\"tables\"" {
            return missing(&format!("nand.errors.name = {model}: not the chip's tables"));
        }
        let Some(table) = whole.tables.and_then(|tables| tables.errors) else {
            return missing("this chip has no [tables.errors]");
        };
        let refresh = whole.ftl.upkeep.refresh_age;
        let parts = LimitParts {
            table,
            ladder,
            page_types: whole.geometry.cell.bits(),
            page_bytes: whole.geometry.page_size.get(),
            stripe: *whole.ftl.said_of::<ftl::Stripes>(),
            refresh_s: (refresh > Nanos::ZERO).then(|| refresh.ns() as f64 * 1e-9),
            reads: whole.ftl.said_of::<ftl::Regulation>().reckoned.reads,
            blocks_per_die: whole.geometry.blocks_per_die(),
        };
        Ok((Ok(parts), class))
    }

    /// A drive of so many dies with the same superblocks and policies, `superblocks` of them on each, holding
    /// `logical_units`, in blocks of so many pages: small enough to bring to steady state in no time.
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
