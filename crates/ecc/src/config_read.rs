//! `[ecc]`: the times of the decoder and the code.

use crate::{Ladder, Overlap, Pace, code, flow};
use config::{ConfigError, Section, at_least};
use units::{Frequency, Nanos, TransferRate};

/// Set of settings of error correction, as read from `[ecc]`: times of the decoder, read attempts and read flow.
pub struct EccConfig {
    /// Setting: time from data-out to corrected data, for each attempt to decode; the time of iterations is added
    /// ([`Ladder::pace`]).
    pub t_decode: Nanos,
    /// Setting: rate at which the channel's only ECC block empties the read FIFO; none: the FIFO never delays the
    /// channel.
    pub drain: Option<TransferRate>,
    /// Setting: read ladder, the list of ways to read and correct a page, by rising cost; none if bit errors are
    /// ignored.
    pub ladder: Option<Ladder>,
    /// Setting: maker of the read flow, the policy (`ecc.flow`) that chooses the next attempt of a read.
    pub flow: flow::Maker,
}

impl EccConfig {
    /// Reads the configuration of error correction from `[ecc]`, for cells of `bits` bits.
    ///
    /// # Errors
    /// When a key or the code is unknown or wrong.
    pub fn read(root: &mut Section, bits: u32) -> Result<Self, ConfigError> {
        let mut ecc = root.child("ecc")?;
        let t_decode = ecc.or(
            "t_decode",
            Nanos::ZERO,
            "time from data-out to corrected data, for each attempt to decode, without iterations where ecc.decoder.clock is set",
        )?;
        let drain = ecc.optional(
            "drain",
            "rate at which a channel's one ECC block empties the read FIFO before the channel is free again",
        )?;
        let mut section = ecc.child("code")?;
        let code = code::read(&mut section)?();
        section.finish()?;
        let mut ladder = code.ladder(bits);
        let mut section = ecc.child("flow")?;
        let flow = flow::read(&mut section)?;
        section.finish()?;
        read_pace(&mut ecc, ladder.as_mut())?;
        ecc.finish()?;
        Ok(Self { t_decode, drain, ladder, flow })
    }
}

/// Reads the speed of the decoder from `[ecc.decoder]` into the ladder (the drive's ways to read a page): its clock,
/// its messages per cycle, and how the decoding of a read's codewords overlaps. From these follows the time of decoder
/// iterations, for a code with a table of counted iterations.
fn read_pace(ecc: &mut Section, ladder: Option<&mut Ladder>) -> Result<(), ConfigError> {
    let mut decoder = ecc.child("decoder")?;
    let help = "clock of the decoder: iterations, where they were counted, then take time beside ecc.t_decode; default none: any word takes as long";
    let clock: Option<Frequency> = decoder.optional("clock", help)?;
    let edges = decoder.within(at_least(1u32).at_most(1u32 << 20)).or(
        "edges",
        512u32,
        "messages between bits and checks that it works on in a cycle",
    )?;
    if clock.is_some_and(|clock| clock.get() == 0) {
        return Err(decoder.reject("clock", "expected more than 0 Hz"));
    }
    let words = decoder.choice(
        "words",
        &["beside", "overlapped", "in-turn"],
        "beside",
        "when the iterations of a read's words pass: all beside each other after its transfer; one word's while the next crosses the channel; one word after the other after the transfer",
    )?;
    let overlap = match words.as_str() {
        "beside" => Overlap::Beside,
        "overlapped" => Overlap::NextTransfer,
        _ => Overlap::InTurn,
    };
    if let Some(ladder) = ladder {
        ladder.pace = clock.map(|clock| Pace { clock, edges, overlap });
    }
    decoder.finish()
}
