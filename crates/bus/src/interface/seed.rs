//! What CONV, SYNC_ONLY and PROPOSED share (Chung et al., Tables 1 and 2): their parameters, and how a clock
//! follows from the shortest period that the equations allow.

use crate::signalling::{CycleWaits, Pins};
use config::{ConfigError, Section, above};
use units::{Femtos, Frequency, Voltage};

pub(super) const NS: u64 = 1_000_000;

/// Constant: nominal supply voltage (3.3 V) of the I/O pads of the interfaces `conv`, `sync-only`, `proposed` and
/// `sdr`; the paper that describes the first three characterises its library at the worst case of 2.7 V.
pub(super) const IO_SUPPLY: Voltage = Voltage::new(3_300_000);

/// Constant: numbers of pins of a channel with one of the interfaces `conv`, `sync-only`, `proposed` and `sdr`: 13 pins
/// shared by its chips (eight data lines, CLE, ALE, WP and two strobes, such as WEB and REB, or RWEB and DVS), of which
/// one strobe switches with the data, and 2 pins for each way.
pub(super) const PINS: Pins = Pins { shared: 13, per_way: 2, strobes: 1 };

/// Constant: protocol waits (such as tWB) of the interfaces `conv`, `sync-only` and `proposed`: all zero, because the
/// paper that describes these interfaces charges none.
pub(super) const WAITS: CycleWaits =
    CycleWaits { t_wb: Femtos::new(0), t_rr: Femtos::new(0), t_adl: Femtos::new(0), t_whr: Femtos::new(0) };

/// Reads `t_byte`, the transfer time of a byte between page register and IO latch (default: reference 28 of the paper,
/// OneNAND, by Table 2).
pub(super) fn t_byte(section: &mut Section) -> Result<Femtos, ConfigError> {
    section.or("t_byte", Femtos::new(12 * NS), "transfer between page register and IO latch")
}

/// Record of a lower bound of the clock period of an interface by an equation of the paper that describes the
/// interface, with the equation's terms for error messages.
pub(super) struct Bound {
    /// Number, in the paper, of the equation that gives this lower bound of the clock period.
    pub equation: u32,
    /// Terms of the paper's equation for this bound of the clock period, as text for error messages.
    pub terms: &'static str,
    /// Shortest clock period that the equation allows.
    pub shortest: Femtos,
}

/// Reads the clock frequency of a flash interface, by default the fastest in whole megahertz that the lower bounds of
/// the clock period in `bounds` allow. Returns it with the shortest period that they allow.
pub(super) fn clock(section: &mut Section, bounds: &[Bound]) -> Result<(Frequency, Femtos), ConfigError> {
    let shortest = bounds.iter().map(|bound| bound.shortest).max().expect("an interface has bounds");
    let fastest = 1_000_000_000 / shortest.get().max(1) * 1_000_000;
    if fastest == 0 {
        return Err(section.reject(
            "clock",
            &format!(
                "expected a period that a clock of 1 MHz can meet, but the timing needs {:.2} ns",
                shortest.as_ns()
            ),
        ));
    }
    let clock: Frequency = section.within(above(Frequency::new(0))).or(
        "clock",
        Frequency::new(fastest),
        "clock; default: the fastest in whole MHz",
    )?;
    let period = clock.period();
    let broken = bounds.iter().filter(|bound| bound.shortest > period).max_by_key(|bound| bound.shortest);
    match broken {
        None => Ok((clock, shortest)),
        Some(bound) => Err(section.reject(
            "clock",
            &format!(
                "expected a period of at least {:.2} ns, which is {} of equation ({}); it has {:.2} ns: slack {:.2} ns",
                bound.shortest.as_ns(),
                bound.terms,
                bound.equation,
                period.as_ns(),
                period.as_ns() - bound.shortest.as_ns(),
            ),
        )),
    }
}
