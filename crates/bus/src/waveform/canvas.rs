//! Edges as they are drawn, in any order; sorted in the end.

use super::{Level, Mark, MarkKind, Signal, WaveEdge, WaveOperation, WavePhase, Waveform};
use crate::Strobes;
use units::Femtos;

pub(super) struct Canvas {
    /// Time, since the beginning of the waveform in fs, at which the next phase of the operation begins.
    pub now: u64,
    signals: Vec<Signal>,
    marks: Vec<Mark>,
    captures: Vec<Femtos>,
    phases: Vec<WavePhase>,
    write_strobe: &'static str,
    clocked_to: u64,
    rests: Vec<(u64, u64)>,
}

impl Canvas {
    pub fn new(strobes: Strobes) -> Self {
        let signals = signals(strobes);
        let write_strobe = signals[3].name;
        Self {
            now: 0,
            signals,
            marks: Vec::new(),
            captures: Vec::new(),
            phases: Vec::new(),
            write_strobe,
            clocked_to: 0,
            rests: Vec::new(),
        }
    }

    /// Returns the name of the waveform signal that is the strobe for writing: WEB, WE#, RWEB or CLK.
    pub fn write_strobe(&self) -> &'static str {
        self.write_strobe
    }

    /// Returns the name of the waveform signal that stands for the data lines: IO or DQ.
    pub fn bus(&self) -> &'static str {
        self.signals.iter().find(|signal| signal.wide).expect("there is a bus").name
    }

    pub fn set(&mut self, name: &str, at: u64, level: Level) {
        let signal = self.signals.iter_mut().find(|signal| signal.name == name);
        signal
            .expect("the signal is one of the interface's")
            .edges
            .push(WaveEdge { at: Femtos::new(at), level });
    }

    /// Draws a byte on signal `bus` in the interval `[from, to)` (fs); a later byte may cut it short.
    pub fn byte(&mut self, bus: &str, (from, to): (u64, u64), (byte, name): (u8, String)) {
        let signal = self.signals.iter_mut().find(|signal| signal.name == bus);
        let edges = &mut signal.expect("the signal is one of the interface's").edges;
        if edges.len() > 1 && edges.last().is_some_and(|edge| edge.at.get() >= from) {
            edges.pop();
        }
        edges.push(WaveEdge { at: Femtos::new(from), level: Level::Byte(byte, name) });
        edges.push(WaveEdge { at: Femtos::new(to), level: Level::Released });
    }

    /// Returns true if a phase with the name `name` would begin a new phase of the waveform; false if the last phase
    /// has that name and would be continued.
    pub fn begins(&self, name: &str) -> bool {
        self.phases.last().is_none_or(|last| last.name != name)
    }

    pub fn mark(
        &mut self,
        name: &'static str,
        kind: MarkKind,
        (from_signal, from): (&'static str, u64),
        (to_signal, to): (&'static str, u64),
        least: Option<u64>,
    ) {
        let [from, to] = [from, to].map(Femtos::new);
        let least = least.map(Femtos::new);
        self.marks.push(Mark { name, kind, from_signal, from, to_signal, to, least });
    }

    pub fn capture(&mut self, at: u64) {
        self.captures.push(Femtos::new(at));
    }

    pub fn phase(&mut self, name: &'static str, length: u64, byte: Option<u64>) {
        let from = Femtos::new(self.now);
        self.now += length;
        let to = Femtos::new(self.now);
        match self.phases.last_mut() {
            Some(last) if last.name == name && byte.is_some() => last.to = to,
            _ => self.phases.push(WavePhase { name, from, to, byte: byte.map(Femtos::new) }),
        }
    }

    /// Notes an interval `[from, to)` (fs) of the waveform in which its clock signal is drawn without edges.
    pub fn rest(&mut self, from: u64, to: u64) {
        self.rests.push((from, to));
    }

    pub fn run_clock(&mut self, period: u64) {
        while self.clocked_to < self.now {
            let at = self.clocked_to;
            let resting = self.rests.last().filter(|(from, to)| (*from..*to).contains(&at));
            if let Some((_, to)) = resting {
                self.clocked_to = to.next_multiple_of(period);
                continue;
            }
            self.set("CLK", at, Level::High);
            self.set("CLK", at + period / 2, Level::Low);
            self.clocked_to += period;
        }
    }

    pub fn finish(mut self, interface: String, operation: WaveOperation, notes: Vec<String>) -> Waveform {
        for signal in &mut self.signals {
            tidy(&mut signal.edges);
        }
        self.marks.sort_by_key(|mark| (mark.from, mark.to));
        // A strobe that no edge was drawn of and a controller's inner signal without work say nothing.
        self.signals
            .retain(|signal| signal.edges.len() > 1 || !["CLK", "DCLK", "RFIFO"].contains(&signal.name));
        Waveform {
            interface,
            operation,
            signals: self.signals,
            marks: self.marks,
            captures: self.captures,
            phases: self.phases,
            notes,
            end: Femtos::new(self.now),
        }
    }
}

/// Sorts the edges of a signal by time, keeps the last edge of each instant, and removes edges that change nothing.
fn tidy(edges: &mut Vec<WaveEdge>) {
    edges.sort_by_key(|edge| edge.at);
    edges.reverse();
    edges.dedup_by_key(|edge| edge.at);
    edges.reverse();
    edges.dedup_by(|next, last| next.level == last.level && !matches!(next.level, Level::Byte(..)));
}

fn signals(strobes: Strobes) -> Vec<Signal> {
    let (write, read, bus) = match strobes {
        Strobes::Returned { .. } => (
            ("WEB", "write strobe, from the controller"),
            ("REB", "read strobe, at the controller's register"),
            ("IO", "commands, addresses, data, at the controller's pads"),
        ),
        Strobes::Accompanied { .. } => (
            ("RWEB", "strobe of the controller, both ways"),
            ("DVS", "strobe of the chip, beside its data"),
            ("IO", "commands, addresses, data, at the pads"),
        ),
        Strobes::Asynchronous(_) => {
            (("WE#", "write strobe"), ("RE#", "read strobe"), ("IO", "commands, addresses, data"))
        }
        Strobes::Clocked(_) => (
            ("CLK", "clock, on the pin of WE#"),
            ("W/R#", "who drives the bus: high the controller, low the chip"),
            ("DQ", "commands, addresses, data"),
        ),
        Strobes::Toggled => (
            ("WE#", "write strobe of commands and addresses"),
            ("RE#", "asks for data"),
            ("DQ", "commands, addresses, data"),
        ),
    };
    let wire = |(name, what), level| {
        let edges = vec![WaveEdge { at: Femtos::new(0), level }];
        Signal { name, what, wide: false, edges }
    };
    let wide = |pair| Signal { wide: true, ..wire(pair, Level::Released) };
    let idle = if write.0 == "CLK" { Level::Low } else { Level::High };
    let mut all = vec![
        wire(("CE#", "chip enable"), Level::High),
        wire(("CLE", "command latch enable"), Level::Low),
        wire(("ALE", "address latch enable"), Level::Low),
        wire(write, idle),
        wire(read, Level::High),
    ];
    if matches!(strobes, Strobes::Clocked(_) | Strobes::Toggled) {
        all.push(wire(("DQS", "strobe of the sender of the data"), Level::Released));
    }
    all.push(wide(bus));
    if matches!(strobes, Strobes::Returned { .. }) {
        all.push(wide(("RFIFO", "data at the controller's FIFO")));
        all.push(wire(("CLK", "the controller's clock"), Level::Low));
        all.push(wire(("DCLK", "the same, delayed by D_CON: takes the data"), Level::Low));
    }
    all.push(wire(("R/B#", "ready (high) or busy"), Level::High));
    all
}
