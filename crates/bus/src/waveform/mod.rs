//! What do the wires look like while an operation is spoken? For eyes; runs charge the times of [`crate::Bus`].
//!
//! Every level changes at once: no rise times, no skew between lines. Waits, cycles and data last as long as
//! runs charge; what comes later only on its way to the controller (the last data, the strobe's preamble)
//! stands after that and is never charged. Command and address cycles of NV-DDR begin at edges of its clock.

mod canvas;
mod data;
mod onfi;
mod read;

use crate::{Signalling, Strobes};
use canvas::Canvas;
use config::{ConfigError, Section};
use data::Params;
pub use read::DrawnInterface;
use units::Femtos;

/// The operation that a waveform shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveOperation {
    /// A page from the array to the controller.
    Read,
    /// A page from the controller to the array.
    Program,
    /// Erase of a block.
    Erase,
    /// Query of the status of the last operation.
    Status,
}

impl WaveOperation {
    /// Every operation with its name.
    pub const ALL: [(Self, &str); 4] =
        [(Self::Read, "read"), (Self::Program, "program"), (Self::Erase, "erase"), (Self::Status, "status")];

    /// Returns the operation of this name; `write` is another word for `program`.
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == "write" { "program" } else { name };
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(operation, _)| *operation)
    }

    /// Returns the name of the operation.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(operation, _)| *operation == self).expect("every operation is named").1
    }
}

/// Level of a wire, or byte on the bus, from an edge on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// The signal is low.
    Low,
    /// The signal is high.
    High,
    /// The signal is not driven.
    Released,
    /// The signal is driven, but its level is not to be relied on.
    Unknown,
    /// A byte, with the word for it: `30h`, `C1`, `D0`.
    Byte(u8, String),
}

/// A change of level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveEdge {
    /// Time of the edge since the beginning of the waveform.
    pub at: Femtos,
    /// Level of the signal from the edge on.
    pub level: Level,
}

/// A wire, or the bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Name of the signal in its standard or paper.
    pub name: &'static str,
    /// Description of the drawn signal, and the place where it is observed.
    pub what: &'static str,
    /// True for a signal of eight data lines, drawn as a bus; false for a single line.
    pub wide: bool,
    /// Changes, the first at 0, each later than the one before.
    pub edges: Vec<WaveEdge>,
}

/// Kind of timing relation that a mark shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// Setup time: data must be stable before they are captured.
    SetUp,
    /// Hold time: data must be stable after they were captured.
    Hold,
    /// Propagation delay between two edges.
    Delay,
    /// A wait of the protocol, or a busy time of the array.
    Wait,
}

/// A relation between two edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Name of the timing parameter, such as `tDS`.
    pub name: &'static str,
    /// Kind of the timing mark.
    pub kind: MarkKind,
    /// Signal at which the interval begins.
    pub from_signal: &'static str,
    /// Begin of the mark, since the beginning of the waveform.
    pub from: Femtos,
    /// Signal at which the interval ends.
    pub to_signal: &'static str,
    /// End of the mark, since the beginning of the waveform.
    pub to: Femtos,
    /// Least duration that the standard requires between the two edges of the mark; none where the standard
    /// requires none.
    pub least: Option<Femtos>,
}

impl Mark {
    /// Returns the duration of the interval beyond the required least, ns; never negative in a waveform.
    pub fn slack_ns(&self) -> Option<f64> {
        let long = self.to.get() as i64 - self.from.get() as i64;
        self.least.map(|least| (long - least.get() as i64) as f64 / 1e6)
    }
}

/// A part of the operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WavePhase {
    /// Name of the phase, such as `command`, `data out`, `tR`.
    pub name: &'static str,
    /// Begin of the phase, since the beginning of the waveform.
    pub from: Femtos,
    /// End of the phase, since the beginning of the waveform.
    pub to: Femtos,
    /// Time of a byte in this phase; none where no bytes are transferred.
    pub byte: Option<Femtos>,
}

/// A whole operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waveform {
    /// The interface with its mode: `nv-ddr2, mode 5`.
    pub interface: String,
    /// The operation that the waveform shows.
    pub operation: WaveOperation,
    /// Signals of the waveform, from top to bottom.
    pub signals: Vec<Signal>,
    /// Timing marks, in the order in which they begin.
    pub marks: Vec<Mark>,
    /// Instants at which data are taken.
    pub captures: Vec<Femtos>,
    /// Phases, one after the other without gaps.
    pub phases: Vec<WavePhase>,
    /// Assumptions of the drawing, in sentences.
    pub notes: Vec<String>,
    /// End of the waveform, since its beginning.
    pub end: Femtos,
}

/// Returns the waveform of an operation that moves `bytes` bytes of data, by the keys of `root`.
///
/// # Errors
/// When a key is wrong, the interface has no waveform, or the timing does not close.
pub fn draw(root: &mut Section, operation: WaveOperation, bytes: u32) -> Result<Waveform, ConfigError> {
    let request = DrawnInterface::read(root)?;
    if operation != WaveOperation::Erase && operation != WaveOperation::Status {
        request.check(root, bytes)?;
    }
    let waveform = request.draw(operation, bytes);
    let broken = waveform.marks.iter().find(|mark| mark.slack_ns().is_some_and(|slack| slack < 0.0));
    match broken {
        None => Ok(waveform),
        Some(mark) => Err(root.reject(
            "waveform",
            &format!(
                "expected a timing that closes: {} needs {:.2} ns, slack {:.2} ns",
                mark.name,
                mark.least.expect("it has a slack").as_ns(),
                mark.slack_ns().expect("it has a slack"),
            ),
        )),
    }
}

impl DrawnInterface {
    fn draw(&self, operation: WaveOperation, bytes: u32) -> Waveform {
        let mut pen = Pen {
            signalling: self.signalling,
            strobes: self.strobes,
            params: self.params,
            canvas: Canvas::new(self.strobes),
        };
        pen.begin();
        let [t_r, t_prog, t_bers] = self.busy;
        let waits = self.signalling.waits;
        match operation {
            WaveOperation::Read => {
                pen.command(0x00);
                pen.address(&["C1", "C2", "R1", "R2", "R3"]);
                pen.command(0x30);
                pen.busy("tR", t_r);
                pen.wait("tRR", "R/B#", waits.t_rr);
                pen.data_out(bytes, |byte| (byte as u8, format!("D{byte}")));
            }
            WaveOperation::Program => {
                pen.command(0x80);
                pen.address(&["C1", "C2", "R1", "R2", "R3"]);
                pen.wait("tADL", pen.canvas.write_strobe(), waits.t_adl);
                pen.data_in(bytes);
                pen.command(0x10);
                pen.busy("tPROG", t_prog);
            }
            WaveOperation::Erase => {
                pen.command(0x60);
                pen.address(&["R1", "R2", "R3"]);
                pen.command(0xD0);
                pen.busy("tBERS", t_bers);
            }
            WaveOperation::Status => {
                pen.command(0x70);
                pen.wait("tWHR", pen.canvas.write_strobe(), waits.t_whr);
                // Both edges carry the one byte.
                let times = if self.signalling.double_data_rate { 2 } else { 1 };
                pen.data_out(times, |_| (0xE0, "E0h".into()));
            }
        }
        pen.finish(self.spoken.clone(), operation, self.notes())
    }
}

/// Draws one operation, phase after phase.
struct Pen {
    signalling: Signalling,
    strobes: Strobes,
    params: Params,
    canvas: Canvas,
}

impl Pen {
    /// Selects the chip, in an idle cycle.
    fn begin(&mut self) {
        let cycle = self.cycle();
        self.canvas.set("CE#", cycle / 2, Level::Low);
        self.canvas.phase("select", cycle, Some(cycle));
        self.run_clock();
    }

    /// Returns the duration of a command or address cycle, fs.
    fn cycle(&self) -> u64 {
        self.on_clock(self.signalling.cycle.get())
    }

    /// Returns a time rounded up to the clock period, where the interface has a clock.
    fn on_clock(&self, time: u64) -> u64 {
        match self.strobes {
            Strobes::Clocked(_) => time.next_multiple_of(self.signalling.shortest.get()),
            _ => time,
        }
    }

    fn command(&mut self, byte: u8) {
        self.latch_cycle("command", Some("CLE"), byte, format!("{byte:02X}h"));
    }

    fn address(&mut self, names: &[&str]) {
        for name in names {
            self.latch_cycle("address", Some("ALE"), 0, (*name).to_owned());
        }
    }

    fn wait(&mut self, name: &'static str, after: &'static str, time: Femtos) {
        if time.get() == 0 {
            return;
        }
        let from = self.canvas.now;
        self.canvas.phase(name, self.on_clock(time.get()), None);
        self.canvas.mark(name, MarkKind::Wait, (after, from), (after, from + time.get()), None);
        self.run_clock();
    }

    fn busy(&mut self, name: &'static str, time: Femtos) {
        self.wait("tWB", self.canvas.write_strobe(), self.signalling.waits.t_wb);
        let from = self.canvas.now;
        let to = from + time.get();
        self.canvas.set("R/B#", from, Level::Low);
        self.canvas.set("R/B#", to, Level::High);
        self.canvas.phase(name, self.on_clock(time.get()), None);
        self.canvas.mark(name, MarkKind::Wait, ("R/B#", from), ("R/B#", to), None);
        if matches!(self.strobes, Strobes::Clocked(_)) {
            // A clock may rest only while the chip is not selected.
            let period = self.signalling.shortest.get();
            self.canvas.set("CE#", from + 2 * period, Level::High);
            self.canvas.set("CE#", self.canvas.now - 2 * period, Level::Low);
            self.canvas.rest(from + 2 * period, self.canvas.now - 3 * period);
            self.run_clock();
        }
    }

    /// Lets the clock run up to now.
    fn run_clock(&mut self) {
        if matches!(self.strobes, Strobes::Clocked(_)) {
            self.canvas.run_clock(self.signalling.shortest.get());
        }
    }

    fn finish(mut self, interface: String, operation: WaveOperation, notes: Vec<String>) -> Waveform {
        let cycle = self.cycle();
        let from = self.canvas.now;
        self.canvas.phase("release", cycle, Some(cycle));
        self.run_clock();
        self.canvas.set("CE#", from + cycle / 2, Level::High);
        self.canvas.finish(interface, operation, notes)
    }
}
