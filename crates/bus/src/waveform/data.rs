//! Cycles and bursts: where each interface puts its edges, and which relations they keep.

use super::{Level, MarkKind, Pen};
use crate::Strobes;
use crate::signalling::Cadence;

/// Set of times for drawing a waveform that are not part of the interface's signalling, in fs: set-up, hold, strobe
/// delays. Values come from `[waveform]`, else from the ONFI timing mode, else from assumed defaults.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Params {
    pub t_ds: u64,
    pub t_dh: u64,
    /// Time, in fs, that both tCAS and tCAH must have: set-up and hold time of commands and addresses; none for an
    /// interface without times of their own for these.
    pub t_cas: Option<u64>,
    /// High time of a strobe in its cycle, in fs; none: half the cycle.
    pub t_high: Option<u64>,
    pub t_iod: u64,
    pub t_rwebd: u64,
    pub t_dll: u64,
    /// Delay tDQSCK or tDQSRE, in fs: from the clock or RE# to the chip's strobe.
    pub t_strobe: u64,
    pub t_dqsq: u64,
    pub t_qh: u64,
}

/// Constant: least length of the strobe's preamble of NV-DDR2 and later in a waveform, in fs; the standard asks for at
/// least 15 ns (tRPRE, tWPRE).
const PREAMBLE: u64 = 15_000_000;
/// Constant: least length of the postamble of the strobe DQS (NV-DDR and later) in a waveform, in fs; of NV-DDR2 and
/// later the standard asks for at least 6.5 ns (tRPST, tWPST).
const POSTAMBLE: u64 = 6_500_000;

/// Constant: number of bytes at the beginning of a burst at which timing marks are drawn; the other bytes look the
/// same.
const MARKED: u32 = 2;

impl Cadence {
    /// Returns the transfer time of `bytes` bytes at this data rate in fs, computed from the fraction so that rounding
    /// errors do not add up.
    fn after(self, bytes: u32) -> u64 {
        (u128::from(bytes) * u128::from(self.femtos.get()) / u128::from(self.bytes)) as u64
    }
}

fn level(high: bool) -> Level {
    if high { Level::High } else { Level::Low }
}

impl Pen {
    /// Draws a cycle in which the chip takes a byte at a rising edge of the write strobe; `latch` is the latch signal
    /// (CLE, ALE) of a command or address, none for data.
    pub(super) fn latch_cycle(
        &mut self,
        phase: &'static str,
        latch: Option<&'static str>,
        byte: u8,
        word: String,
    ) {
        let (from, cycle) = (self.canvas.now, self.cycle());
        let edge = from + cycle;
        let (before, after) = match (self.strobes, self.params.t_high) {
            (Strobes::Clocked(_), _) => {
                let half = self.signalling.shortest.get() / 2;
                (half, half)
            }
            (_, Some(high)) => (cycle - high, high),
            _ => (cycle / 2, cycle - cycle / 2),
        };
        if let Some(latch) = latch {
            // From the end of the last byte's hold time to the end of this one's.
            self.canvas.set(latch, (edge - before).min(from + after), Level::High);
            self.canvas.set(latch, edge + after, Level::Low);
        }
        let bus = self.canvas.bus();
        let strobe = self.canvas.write_strobe();
        self.canvas.byte(bus, (edge - before, edge + after), (byte, word));
        if !matches!(self.strobes, Strobes::Clocked(_)) {
            self.canvas.set(strobe, edge - before, Level::Low);
            self.canvas.set(strobe, edge, Level::High);
        }
        let first = self.canvas.begins(phase);
        self.canvas.phase(phase, cycle, Some(cycle));
        self.run_clock();
        if first && (latch.is_none() || phase == "command") {
            let (names, least) = match (latch, self.params.t_cas) {
                (Some(_), Some(t_cas)) => (["tCAS", "tCAH"], [t_cas; 2]),
                _ => (["tDS", "tDH"], [self.params.t_ds, self.params.t_dh]),
            };
            self.around(names, (bus, strobe), edge, [before, after], least);
        }
        if latch.is_none() {
            self.canvas.capture(edge);
        }
    }

    /// Draws the timing marks of set-up before, and hold after, an edge of `strobe`.
    fn around(
        &mut self,
        [set_up, hold]: [&'static str; 2],
        (bus, strobe): (&'static str, &'static str),
        edge: u64,
        [before, after]: [u64; 2],
        [least_before, least_after]: [u64; 2],
    ) {
        let canvas = &mut self.canvas;
        canvas.mark(set_up, MarkKind::SetUp, (bus, edge - before), (strobe, edge), Some(least_before));
        canvas.mark(hold, MarkKind::Hold, (strobe, edge), (bus, edge + after), Some(least_after));
    }

    /// Draws the transfer of `bytes` data bytes to the chip.
    pub(super) fn data_in(&mut self, bytes: u32) {
        if !self.signalling.double_data_rate {
            for byte in 0..bytes {
                self.latch_cycle("data in", None, byte as u8, format!("D{byte}"));
            }
            return;
        }
        let cadence = self.signalling.data_in;
        let begin = self.canvas.now;
        let (strobe, first, mut high) = match self.strobes {
            Strobes::Clocked(_) => {
                let period = self.signalling.shortest.get();
                for latch in ["CLE", "ALE"] {
                    self.canvas.set(latch, begin + period / 2, Level::High);
                    self.canvas.set(latch, begin + period / 2 + cadence.after(bytes), Level::Low);
                }
                self.canvas.set("DQS", begin + period / 2, Level::Low);
                // The first edge tDQSS, one period, after that of the clock which begins the burst.
                let first = begin + 2 * period;
                self.canvas.mark("tDQSS", MarkKind::Delay, ("CLK", begin + period), ("DQS", first), None);
                ("DQS", first, true)
            }
            Strobes::Toggled => {
                let first = begin + cadence.after(1);
                self.canvas.set("DQS", first - PREAMBLE.max(cadence.after(1)), Level::Low);
                ("DQS", first, true)
            }
            _ => {
                // The first edge follows the last address within its hold time: ALE makes way for the byte.
                self.canvas.set("ALE", begin + cadence.after(1) / 2, Level::Low);
                (self.canvas.write_strobe(), begin + cadence.after(1), false)
            }
        };
        let half = cadence.after(1) / 2;
        let bus = self.canvas.bus();
        for byte in 0..bytes {
            let edge = first + cadence.after(byte);
            self.canvas.set(strobe, edge, level(high));
            high = !high;
            self.canvas.byte(bus, (edge - half, edge + half), (byte as u8, format!("D{byte}")));
            self.canvas.capture(edge);
            if byte < MARKED {
                let least = [self.params.t_ds, self.params.t_dh];
                self.around(["tDS", "tDH"], (bus, strobe), edge, [half, half], least);
            }
        }
        let last = first + cadence.after(bytes - 1);
        if strobe == "DQS" {
            self.canvas.set("DQS", last + POSTAMBLE.max(half), Level::Released);
        }
        let length = self.on_clock(last - begin);
        self.canvas.phase("data in", length, Some(cadence.after(1)));
        self.run_clock();
    }

    /// Draws the transfer of `bytes` data bytes from the chip; `value` gives each byte and its label.
    pub(super) fn data_out(&mut self, bytes: u32, value: impl Fn(u32) -> (u8, String)) {
        let begin = self.canvas.now;
        let end = match self.strobes {
            Strobes::Returned { .. } => self.returned(bytes, value),
            Strobes::Accompanied { .. } => self.accompanied(bytes, value),
            Strobes::Asynchronous(mode) => self.asynchronous(mode, bytes, value),
            Strobes::Clocked(_) | Strobes::Toggled => self.edge_aligned(bytes, value),
        };
        let length = self.on_clock(end - begin);
        self.canvas.phase("data out", length, Some(self.signalling.data_out.after(1)));
        self.run_clock();
    }

    /// Draws data-out of the interface CONV: REB goes to the chip, data come back and are captured by DCLK a clock
    /// period and the delay tD later (equation 4). Returns the end in fs.
    fn returned(&mut self, bytes: u32, value: impl Fn(u32) -> (u8, String)) -> u64 {
        let Strobes::Returned { t_out, t_rea, t_in, t_s, t_h, t_d } = self.strobes else {
            unreachable!("asked for CONV only");
        };
        let [t_out, t_rea, t_in, t_s, t_h, t_d] = [t_out, t_rea, t_in, t_s, t_h, t_d].map(units::Femtos::get);
        let cadence = self.signalling.data_out;
        let period = cadence.after(1);
        let start = self.canvas.now + period / 2;
        for edge in 0..=bytes {
            let at = start + cadence.after(edge);
            for (name, delay) in [("CLK", 0), ("DCLK", t_d)] {
                self.canvas.set(name, at + delay, Level::High);
                self.canvas.set(name, at + delay + period / 2, Level::Low);
            }
        }
        for byte in 0..bytes {
            let fall = start + cadence.after(byte);
            self.canvas.set("REB", fall, Level::Low);
            self.canvas.set("REB", fall + period / 2, Level::High);
            let pad = fall + t_out + t_rea;
            self.canvas.byte("IO", (pad, pad + period), value(byte));
            self.canvas.byte("RFIFO", (pad + t_in, pad + t_in + period), value(byte));
            let taken = fall + period + t_d;
            self.canvas.capture(taken);
            if byte == 0 {
                self.canvas.mark("tOUT", MarkKind::Delay, ("REB", fall), ("REB", fall + t_out), None);
                self.canvas.mark("tREA", MarkKind::Delay, ("IO", fall + t_out), ("IO", pad), None);
                self.canvas.mark("tIN", MarkKind::Delay, ("IO", pad), ("RFIFO", pad + t_in), None);
                self.canvas.mark("tD", MarkKind::Delay, ("CLK", fall + period), ("DCLK", taken), None);
                let [before, after] = [taken - (pad + t_in), pad + t_in + period - taken];
                self.around(["tS", "tH"], ("RFIFO", "DCLK"), taken, [before, after], [t_s, t_h]);
            }
        }
        start + cadence.after(bytes) + t_out + t_rea + t_in
    }

    /// Draws data-out of the interfaces `sync-only` and `proposed`: the controller's strobe RWEB requests data, which
    /// come back with the chip's strobe (equation 2). Returns the end in fs.
    fn accompanied(&mut self, bytes: u32, value: impl Fn(u32) -> (u8, String)) -> u64 {
        let Strobes::Accompanied { t_ios, t_ioh } = self.strobes else {
            unreachable!("asked for strobes of the chip only");
        };
        let Params { t_iod, t_rwebd, t_dll, .. } = self.params;
        let cadence = self.signalling.data_out;
        let pairs = self.signalling.double_data_rate;
        let slot = cadence.after(1);
        let start = self.canvas.now + self.signalling.cycle.get() / 2;
        let strobe_delay = t_rwebd + t_dll;
        for byte in 0..bytes {
            let ask = start + cadence.after(byte);
            for (name, delay) in [("RWEB", 0), ("DVS", strobe_delay)] {
                self.canvas.set(name, ask + delay, level(pairs && byte % 2 == 1));
                if !pairs {
                    self.canvas.set(name, ask + delay + slot / 2, Level::High);
                }
            }
            let (good, taken) = (ask + t_iod, ask + strobe_delay);
            self.canvas.byte("IO", (good, good + slot), value(byte));
            self.canvas.capture(taken);
            if byte == 0 {
                self.canvas.mark("tRWEBD", MarkKind::Delay, ("RWEB", ask), ("RWEB", ask + t_rwebd), None);
                self.canvas.mark("tDLL", MarkKind::Delay, ("DVS", ask + t_rwebd), ("DVS", taken), None);
                self.canvas.mark("tIOD", MarkKind::Delay, ("RWEB", ask), ("IO", good), None);
            }
            if byte < MARKED {
                let [before, after] = [taken - good, good + slot - taken];
                let least = [t_ios.get(), t_ioh.get()];
                self.around(["tIOS", "tIOH"], ("IO", "DVS"), taken, [before, after], least);
            }
        }
        start + cadence.after(bytes) + strobe_delay
    }

    /// Draws data-out of ONFI SDR: data are valid some time after RE# falls, until some time after it rises or falls
    /// again. Returns the end in fs.
    fn asynchronous(&mut self, mode: u32, bytes: u32, value: impl Fn(u32) -> (u8, String)) -> u64 {
        const NS: u64 = 1_000_000;
        let mode = &super::onfi::SDR[mode as usize];
        let cadence = self.signalling.data_out;
        let low = cadence.after(1) - mode.t_high * NS;
        let bus = self.canvas.bus();
        let begin = self.canvas.now;
        let mut end = begin;
        for byte in 0..bytes {
            let fall = begin + cadence.after(byte) + mode.t_high * NS;
            let rise = fall + low;
            self.canvas.set("RE#", fall, Level::Low);
            self.canvas.set("RE#", rise, Level::High);
            let good = fall + mode.t_rea * NS;
            let next = fall + cadence.after(1);
            // Data outlast RE#'s rise by tRHOH; where tRLOH is named, its next fall by that, if it comes first.
            let by_rise = rise + mode.t_rhoh * NS;
            let by_fall = next + mode.t_rloh * NS;
            let over = if byte + 1 < bytes && mode.t_rloh > 0 { by_rise.min(by_fall) } else { by_rise };
            let over = over.min(good + cadence.after(1));
            self.canvas.byte(bus, (good, over), value(byte));
            let taken = good + (over - good) / 2;
            self.canvas.capture(taken);
            if byte == 0 {
                self.canvas.mark("tREA", MarkKind::Delay, ("RE#", fall), (bus, good), None);
                self.canvas.mark("set-up", MarkKind::SetUp, (bus, good), (bus, taken), None);
                self.canvas.mark("hold", MarkKind::Hold, (bus, taken), (bus, over), None);
                let outlast = if over == by_fall { ("tRLOH", next) } else { ("tRHOH", rise) };
                if over > outlast.1 {
                    self.canvas.mark(outlast.0, MarkKind::Delay, ("RE#", outlast.1), (bus, over), None);
                }
            }
            end = over;
        }
        end
    }

    /// Draws data-out of ONFI NV-DDR and later: data change with DQS, and the controller captures them a quarter of a
    /// cycle later. Returns the end in fs.
    fn edge_aligned(&mut self, bytes: u32, value: impl Fn(u32) -> (u8, String)) -> u64 {
        let Params { t_strobe, t_dqsq, t_qh, .. } = self.params;
        let cadence = self.signalling.data_out;
        let slot = cadence.after(1);
        let begin = self.canvas.now;
        let clocked = matches!(self.strobes, Strobes::Clocked(_));
        let asked = if clocked { begin + self.signalling.shortest.get() } else { begin + PREAMBLE };
        let asks = if clocked { "CLK" } else { "RE#" };
        let after_last = asked + cadence.after(bytes - 1) + POSTAMBLE.max(slot);
        if clocked {
            let half = self.signalling.shortest.get() / 2;
            for latch in ["CLE", "ALE"] {
                self.canvas.set(latch, asked - half, Level::High);
                self.canvas.set(latch, asked - half + cadence.after(bytes), Level::Low);
            }
            self.canvas.set("W/R#", begin, Level::Low);
            self.canvas.set("W/R#", after_last + t_strobe, Level::High);
            self.canvas.set("DQS", asked - half, Level::Low);
        } else {
            self.canvas.set("RE#", begin, Level::Low);
            self.canvas.set("RE#", after_last, Level::High);
            self.canvas.set("DQS", begin + t_strobe, Level::Low);
            self.canvas.mark("tRPRE", MarkKind::Delay, ("RE#", begin), ("RE#", asked), None);
        }
        let name = if clocked { "tDQSCK" } else { "tDQSRE" };
        self.canvas.mark(name, MarkKind::Delay, (asks, asked), ("DQS", asked + t_strobe), None);
        for byte in 0..bytes {
            let ask = asked + cadence.after(byte);
            let edge = ask + t_strobe;
            if !clocked {
                self.canvas.set("RE#", ask, level(byte % 2 == 0));
            }
            self.canvas.set("DQS", edge, level(byte % 2 == 0));
            self.canvas.byte("DQ", (edge + t_dqsq, edge + t_qh), value(byte));
            if byte + 1 < bytes {
                self.canvas.set("DQ", edge + t_qh, Level::Unknown);
            }
            let taken = edge + slot / 2;
            self.canvas.capture(taken);
            if byte == 0 {
                self.canvas.mark("tDQSQ", MarkKind::Delay, ("DQS", edge), ("DQ", edge + t_dqsq), None);
                self.canvas.mark("tQH", MarkKind::Delay, ("DQS", edge), ("DQ", edge + t_qh), None);
                self.canvas.mark("set-up", MarkKind::SetUp, ("DQ", edge + t_dqsq), ("DQ", taken), None);
                self.canvas.mark("hold", MarkKind::Hold, ("DQ", taken), ("DQ", edge + t_qh), None);
            }
        }
        self.canvas.set("DQS", after_last + t_strobe, Level::Released);
        after_last + t_strobe
    }
}
