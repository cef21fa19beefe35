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

/// Kind of flash operation that a waveform shows on the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveOperation {
    /// Case of flash operation in a waveform: read of a page, from the array to the controller.
    Read,
    /// Case of flash operation in a waveform: program of a page, from the controller to the array.
    Program,
    /// Case of flash operation in a waveform: erase of a block of the chip.
    Erase,
    /// Case of flash operation in a waveform: query for the status of the last operation of the chip.
    Status,
}

impl WaveOperation {
    /// Constant: list of all operations that a waveform can show, each with its name.
    pub const ALL: [(Self, &str); 4] =
        [(Self::Read, "read"), (Self::Program, "program"), (Self::Erase, "erase"), (Self::Status, "status")];

    /// Returns the operation with this name, where `write` is another word for `program`; none for an unknown name.
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == "write" { "program" } else { name };
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(operation, _)| *operation)
    }

    /// Returns the name of the operation that the waveform shows.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(operation, _)| *operation == self).expect("every operation is named").1
    }
}

/// Kind of state that a signal of a waveform has from an edge on: the level of a single line, or the byte on the bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// Case of state of a signal in a drawn waveform of a flash channel: low level.
    Low,
    /// Case of state of a waveform's signal: high level.
    High,
    /// Case of state of a waveform's signal: not driven (high impedance).
    Released,
    /// Case of state of a waveform's signal: driven, but with a level (high or low) that is not valid, such as data
    /// that are changing.
    Unknown,
    /// Case of state of a waveform's signal: a byte on the bus, with its label: `30h`, `C1`, `D0`.
    Byte(u8, String),
}

/// Record of a change of a signal's level in a waveform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveEdge {
    /// Time of the edge, from the beginning of the waveform on.
    pub at: Femtos,
    /// Field of an edge's record: state (level or byte) of the signal from this edge on, until the next edge.
    pub level: Level,
}

/// Record of a signal of a waveform: a single wire, or the bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Name of the waveform's signal, as in the ONFI standard or the paper that describes the flash interface, such as
    /// `RE#`.
    pub name: &'static str,
    /// Field of a signal's record: text on its meaning, and on the place where it is observed.
    pub what: &'static str,
    /// True for a signal of eight data lines, drawn as a bus; false for a single line.
    pub wide: bool,
    /// List of edges of the signal, the first at time 0, each later than the one before.
    pub edges: Vec<WaveEdge>,
}

/// Kind of timing relation that a mark in a waveform shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// Case of timing relation in a waveform: set-up time, for which data must be stable before they are captured.
    SetUp,
    /// Case of timing relation in a waveform: hold time, for which data must stay stable after they were captured.
    Hold,
    /// Case of timing relation in a waveform: propagation delay from one edge to another.
    Delay,
    /// Case of timing relation that a waveform marks: any wait, whether the protocol prescribes it (such as tADL) or
    /// the flash array is busy meanwhile (such as tR).
    Wait,
}

/// Record of a mark in a waveform for a timing relation between two edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Name of the timing parameter, such as `tDS`.
    pub name: &'static str,
    /// Kind of timing relation between the two edges that this mark of a waveform shows.
    pub kind: MarkKind,
    /// Name of the signal at which the time interval that the mark shows begins.
    pub from_signal: &'static str,
    /// Beginning of the time interval that the mark shows, as time since the beginning of the waveform.
    pub from: Femtos,
    /// Name of the signal at which the time interval that the mark shows ends.
    pub to_signal: &'static str,
    /// End of the time interval that the mark shows, as time since the beginning of the waveform.
    pub to: Femtos,
    /// Least duration that the interface's timing parameters require between the two edges of the mark; none where they
    /// require none.
    pub least: Option<Femtos>,
}

impl Mark {
    /// Returns the slack in ns: by how much the interval between the mark's two edges exceeds its required least
    /// duration, never negative in a finished waveform. None where no least duration is required.
    pub fn slack_ns(&self) -> Option<f64> {
        let long = self.to.get() as i64 - self.from.get() as i64;
        self.least.map(|least| (long - least.get() as i64) as f64 / 1e6)
    }
}

/// Record of one phase of the flash operation that a waveform shows, such as a command, a wait or a data transfer, with
/// its begin and end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WavePhase {
    /// Name of the phase of the operation, such as `command`, `data out`, `tR`.
    pub name: &'static str,
    /// Beginning of the phase, as time since the beginning of the waveform.
    pub from: Femtos,
    /// End of the phase, as time since the beginning of the waveform.
    pub to: Femtos,
    /// Time in which one byte is transferred in this phase; in the idle phases `select` and `release`, the time of
    /// their cycle; none for waits and busy times.
    pub byte: Option<Femtos>,
}

/// Record of the waveform of a whole flash operation on a channel: signals, timing marks, phases and notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waveform {
    /// Name of the flash interface of this waveform with its timing mode: `nv-ddr2, mode 5`.
    pub interface: String,
    /// Field of a waveform: kind of flash operation that it shows.
    pub operation: WaveOperation,
    /// List of the waveform's signals, from top to bottom.
    pub signals: Vec<Signal>,
    /// List of the timing marks of the waveform, in the order in which they begin.
    pub marks: Vec<Mark>,
    /// List of the instants in the waveform at which the receiver, chip or controller, captures a byte of data; in
    /// order of time.
    pub captures: Vec<Femtos>,
    /// List of the phases of the operation, one after the other without gaps.
    pub phases: Vec<WavePhase>,
    /// List of assumptions that the waveform rests on, such as timing values that were not given; one sentence each.
    pub notes: Vec<String>,
    /// End of the waveform, as time since its beginning.
    pub end: Femtos,
}

/// Draws the waveform of the flash operation `operation` with `bytes` bytes of data, for the interface and the times in
/// the configuration `root`.
///
/// # Errors
/// When a key is wrong, the interface has no waveform, `bytes` does not suit a read or program, or the timing does not
/// close.
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

/// State of drawing one operation into a waveform, phase after phase.
struct Pen {
    signalling: Signalling,
    strobes: Strobes,
    params: Params,
    canvas: Canvas,
}

impl Pen {
    /// Draws the selection of the chip (CE#), in an idle cycle.
    fn begin(&mut self) {
        let cycle = self.cycle();
        self.canvas.set("CE#", cycle / 2, Level::Low);
        self.canvas.phase("select", cycle, Some(cycle));
        self.run_clock();
    }

    /// Returns the duration of a command or address cycle in the waveform, in fs.
    fn cycle(&self) -> u64 {
        self.on_clock(self.signalling.cycle.get())
    }

    /// Returns `time` (fs), rounded up to whole clock periods where the interface has a clock.
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

    /// Draws the clock of the waveform up to the present phase, where the interface has a clock.
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
