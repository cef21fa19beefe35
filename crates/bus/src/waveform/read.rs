//! What to draw: the interface, the array's busy times, and what the interface leaves open.

use super::data::Params;
use super::onfi;
use crate::interface;
use crate::{Signalling, Strobes};
use config::{ConfigError, Section};
use units::{Femtos, Nanos};

const NS: u64 = 1_000_000;
const PS: u64 = 1_000;

/// Record of a flash interface with all times that are needed to draw its waveforms.
#[derive(Clone, Debug)]
pub struct DrawnInterface {
    pub(super) signalling: Signalling,
    pub(super) strobes: Strobes,
    pub(super) spoken: String,
    pub(super) params: Params,
    /// Busy times of the flash array in the drawn waveforms: of a page read (tR), a page program (tPROG) and a block
    /// erase (tBERS).
    pub(super) busy: [Femtos; 3],
}

impl DrawnInterface {
    /// Reads the interface from `[bus.interface]`, and the times for a waveform from `[nand]` and `[waveform]`.
    ///
    /// # Errors
    /// When a value is wrong or the interface has no waveform.
    pub(super) fn read(root: &mut Section) -> Result<Self, ConfigError> {
        let mut bus = root.child("bus")?;
        let mut child = bus.child("interface")?;
        let interface = interface::read(&mut child)?();
        let (Some(strobes), Some(set)) = (interface.strobes(), interface.needs()) else {
            return Err(
                child.reject("name", "expected an interface with strobes; plain has a rate and no waveform")
            );
        };
        child.finish()?;
        bus.finish()?;
        let name = set.family.name;
        let spoken = interface.mode().map_or_else(|| name.to_owned(), |mode| format!("{name}, mode {mode}"));
        let mut nand = root.child("nand")?;
        let mut time = |key, default: u64, help| -> Result<Femtos, ConfigError> {
            let time: Nanos = nand.or(key, Nanos::new(default), help)?;
            Ok(Femtos::new(time.ns() * NS))
        };
        let busy = [
            time("t_r", 25_000, "from the array to the page register")?,
            time("t_prog", 200_000, "from the page register to the array")?,
            time("t_bers", 1_500_000, "block erase")?,
        ];
        nand.finish()?;
        let signalling = interface.signalling();
        let params = params(root, strobes, &signalling)?;
        Ok(Self { signalling, strobes, spoken, params, busy })
    }

    /// Checks that a waveform with `bytes` data bytes can be drawn.
    ///
    /// # Errors
    /// When there are no bytes, more than 4096, or an odd number on an interface with double data rate.
    pub(super) fn check(&self, root: &Section, bytes: u32) -> Result<(), ConfigError> {
        let pairs = self.signalling.double_data_rate;
        match bytes {
            0 => Err(root.reject("bytes", "expected at least one byte of data")),
            4097.. => Err(root.reject("bytes", "expected at most 4096 bytes of data")),
            _ if pairs && !bytes.is_multiple_of(2) => {
                Err(root.reject("bytes", "expected an even number: both edges of the strobe carry data"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the assumptions that the drawing of the waveform rests on, one sentence each.
    pub(super) fn notes(&self) -> Vec<String> {
        let ns = |time: u64| format!("{:.2} ns", time as f64 / 1e6);
        let Params { t_ds, t_dh, t_iod, t_rwebd, t_strobe, t_dqsq, t_qh, .. } = self.params;
        let own = match self.strobes {
            Strobes::Returned { .. } => vec![format!(
                "tDS and tDH of the chip, {} and {}, assumed: as ONFI SDR mode 5",
                ns(t_ds),
                ns(t_dh)
            )],
            Strobes::Accompanied { t_ios, .. } => vec![
                format!(
                    "tDLL = tIOD - tRWEBD + tIOS = {} - {} + {} = {} (equation 2)",
                    ns(t_iod),
                    ns(t_rwebd),
                    ns(t_ios.get()),
                    ns(self.params.t_dll),
                ),
                "tIOD and tRWEBD assumed: the paper gives neither; tDIFF is part of tIOS".into(),
                format!("tDS and tDH of the chip, {} each, assumed: as ONFI NV-DDR mode 4", ns(t_ds)),
            ],
            Strobes::Asynchronous(_) => {
                vec!["data are taken in the middle of the time for which they are good".into()]
            }
            Strobes::Clocked(_) => vec![
                format!(
                    "tDQSCK {} assumed, within 3 to 25 ns; the controller delays DQS by a quarter",
                    ns(t_strobe)
                ),
                "commands and addresses on the first clock edge after tCAD; the clock rests with CE# high"
                    .into(),
            ],
            Strobes::Toggled => vec![format!(
                "tDQSRE {}, tDQSQ {}, tQH {} assumed; the controller delays DQS by a quarter",
                ns(t_strobe),
                ns(t_dqsq),
                ns(t_qh)
            )],
        };
        own.into_iter().chain(["busy times are cut short in the picture, whole in the VCD".into()]).collect()
    }
}

/// Reads the times for drawing a waveform from `[waveform]`; missing keys take the values of the ONFI timing mode or
/// assumed defaults.
fn params(root: &mut Section, strobes: Strobes, signalling: &Signalling) -> Result<Params, ConfigError> {
    let pair = 2 * signalling.data_out.byte().get();
    // t_ds, t_dh, of commands: t_cas, t_cah, and the high time of a strobe that is not even.
    let (t_ds, t_dh, t_cas, t_high) = match strobes {
        Strobes::Returned { .. } => (7 * NS, 5 * NS, None, None),
        Strobes::Accompanied { .. } => (1100 * PS, 1100 * PS, None, None),
        Strobes::Asynchronous(mode) => {
            let mode = &onfi::SDR[mode as usize];
            (mode.t_ds * NS, mode.t_dh * NS, None, Some(mode.t_high * NS))
        }
        Strobes::Clocked(mode) => {
            let mode = &onfi::NV_DDR[mode as usize];
            (mode.t_ds * PS, mode.t_dh * PS, Some(mode.t_cas * PS), None)
        }
        // assumed: the share of a cycle that mode 7 of revision 3.2 asks for.
        Strobes::Toggled => (pair * 8 / 100, pair * 8 / 100, Some(5 * NS), None),
    };
    let mut section = root.child("waveform")?;
    let mut time = |key, default: u64, help| -> Result<u64, ConfigError> {
        section.or(key, Femtos::new(default), help).map(Femtos::get)
    };
    let t_ds = time("t_ds", t_ds, "set-up time of data at the chip")?;
    let t_dh = time("t_dh", t_dh, "hold time of data at the chip")?;
    let mut params = Params { t_ds, t_dh, t_cas, t_high, ..Params::default() };
    match strobes {
        Strobes::Accompanied { t_ios, .. } => {
            params.t_iod = time("t_iod", 5 * NS, "data from the chip's latch to its pad")?;
            params.t_rwebd = time("t_rwebd", 2 * NS, "RWEB from the chip's pad to its delay-locked loop")?;
            let after = params.t_iod + t_ios.get();
            let Some(t_dll) = after.checked_sub(params.t_rwebd) else {
                let text =
                    "expected t_rwebd within t_iod + t_ios: the loop of equation (2) cannot go back in time";
                return Err(section.reject("t_rwebd", text));
            };
            params.t_dll = t_dll;
        }
        Strobes::Clocked(mode) => {
            let mode = &onfi::NV_DDR[mode as usize];
            params.t_strobe = time("t_dqsck", 5 * NS, "from the clock to the chip's strobe")?;
            params.t_dqsq = time("t_dqsq", mode.t_dqsq * PS, "from the chip's strobe to good data")?;
            let t_qhs = time("t_qhs", mode.t_qhs * PS, "by which data end before half a cycle")?;
            params.t_qh = (pair / 2).saturating_sub(t_qhs);
        }
        Strobes::Toggled => {
            params.t_strobe = time("t_dqsre", 5 * NS, "from RE# to the chip's strobe")?;
            params.t_dqsq = time("t_dqsq", pair * 8 / 100, "from the chip's strobe to good data")?;
            params.t_qh = time("t_qh", pair * 37 / 100, "from the chip's strobe to the end of good data")?;
        }
        Strobes::Returned { .. } | Strobes::Asynchronous(_) => {}
    }
    if matches!(strobes, Strobes::Clocked(_) | Strobes::Toggled)
        && !(params.t_dqsq < pair / 4 && pair / 4 < params.t_qh && params.t_qh < pair / 2 + params.t_dqsq)
    {
        let text = "expected t_dqsq before a quarter of the cycle, t_qh after it and before the next data";
        return Err(section.reject("t_dqsq", text));
    }
    section.finish()?;
    Ok(params)
}
