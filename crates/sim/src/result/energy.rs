//! Where the energy of a run went: controller, wires, arrays.
//!
//! Each part is power times the time it was drawn, or energy per byte times the bytes moved. A part whose power
//! the drive file does not give is not known, and neither is a sum that would need it. Not modelled: DRAM, the
//! host link, voltage conversion, the initial peak of a charge pump.

use crate::run::BusyTimes;
use crate::sections::sections;
use crate::{Drive, measure::Measure};
use controller::{Kind, Work};
use host::Effect;
use nand::ArrayPower;

sections! {
    /// Results on the energy of the drive in the measured window, by part. A part whose power the drive file does not
    /// give is null, and so is a total that needs it. Not included: DRAM and the host link.
    Joules {
        /// Energy in joules of the controller in the measured window: its power for the whole window, and its energy
        /// per byte moved.
        controller: Option<f64> = "J",
        /// Energy in joules of data transfers on the wires of the flash channels in the measured window.
        bus: Option<f64> = "J",
        /// Energy in joules of the flash chips in the measured window, including standby.
        nand: Option<f64> = "J",
        /// Energy in joules of all parts of the drive together in the measured window, without DRAM and host link.
        total: Option<f64> = "J",
        /// Energies in joules, in the result, of the flash chips in the measured window by flash operation (read,
        /// program, erase, copyback) and for standby.
        nand_by_kind: ByOperation = "J",
        /// Energies in joules, in the result, of the chips' flash arrays in the measured window by origin of the work,
        /// without standby.
        nand_by_origin: ByColumn = "J",
        /// Energies in joules, in the result, of each part of the drive per byte that completed requests of the host
        /// read or wrote; null without any.
        per_host_byte: Parts = "J/byte",
        /// Energies in joules, in the result, of each part of the drive per completed request of the host, of any kind;
        /// null without any.
        per_request: Parts = "J/request",
        /// Number of bytes sent to dies over the flash channels in the measured window.
        bytes_to_dies: u64 = "bytes",
        /// Number of bytes fetched from dies over the flash channels in the measured window.
        bytes_from_dies: u64 = "bytes",
    }

    /// Energies in joules by part of the drive, per byte of the host's completed requests or per request; null where
    /// the drive file does not give the power.
    Parts {
        /// Energy in joules of the controller, per byte of the host's completed requests or per request.
        controller: Option<f64>,
        /// Energy in joules of the wires of the flash channels, per byte of the host's completed requests or per
        /// request.
        bus: Option<f64>,
        /// Energy in joules of the flash chips, per byte of the host's completed requests or per request.
        nand: Option<f64>,
        /// Total energy in joules of the parts of the drive (controller, channel wires and flash chips), per byte of
        /// the host's completed requests or per request.
        total: Option<f64>,
    }

    /// Energies of the flash chips by operation (read, program, erase, copyback) and for standby; null where the drive
    /// file does not give their currents.
    ByOperation {
        /// Energy in joules of the flash chips for array reads in the measured window.
        read: Option<f64>,
        /// Energy in joules of the flash chips for programs in the measured window.
        program: Option<f64>,
        /// Energy in joules of the flash chips for erases in the measured window.
        erase: Option<f64>,
        /// Energy in joules of the flash chips for copybacks in the measured window.
        copyback: Option<f64>,
        /// Energy in joules of the flash chips' standby current, for the whole measured window.
        standby: Option<f64>,
    }

    /// Energies of the flash arrays in the measured window by origin of the work; null where the drive file does not
    /// give the chips' currents.
    ByColumn {
        /// Energy in joules that the flash arrays took in the measured window for work for the host, including
        /// read-ahead.
        host: Option<f64>,
        /// Energy in joules that the flash arrays took in the measured window for garbage collection.
        gc: Option<f64>,
        /// Energy in joules that the flash arrays took in the measured window for wear levelling.
        wear: Option<f64>,
        /// Energy in joules that the flash arrays took in the measured window for all origins other than host, garbage
        /// collection and wear levelling.
        other: Option<f64>,
    }
}

/// Makes the section `energy_j` of a result: the energy of the drive's parts in the measured window.
pub(super) fn of(
    drive: &Drive,
    now: &BusyTimes,
    before: &BusyTimes,
    measure: &Measure,
    span_ns: u64,
) -> Joules {
    let model = drive.power();
    let work = now.work.since(&before.work);
    let seconds = span_ns as f64 * 1e-9;
    let moved = (work.bytes_in + work.bytes_out) as f64;
    let controller =
        model.controller.map(|power| power.watts() * seconds + model.controller_per_byte.joules() * moved);
    let bus = model.bus_per_byte.map(|energy| energy.joules() * moved);
    let standby = model.array.map(|array| array.standby_w * seconds * f64::from(drive.geometry().dies()));
    let arrays = model.array.map(|array| array_energy(&array, &work));
    let nand =
        arrays.as_ref().zip(standby).map(|(arrays, standby)| arrays.iter().flatten().sum::<f64>() + standby);
    let total = [controller, bus, nand].into_iter().sum::<Option<f64>>();
    let divided = |by: f64| {
        let share = |part: Option<f64>| part.filter(|_| by > 0.0).map(|joules| joules / by);
        Parts { controller: share(controller), bus: share(bus), nand: share(nand), total: share(total) }
    };
    let of_kind = |kind: Kind| arrays.as_ref().map(|arrays| arrays[kind as usize].iter().sum::<f64>());
    let of_origin =
        |column: usize| arrays.as_ref().map(|arrays| arrays.iter().map(|by| by[column]).sum::<f64>());
    let ops = || Effect::ALL.map(|effect| &measure.ops[effect as usize]).into_iter();
    let moving = Effect::ALL.into_iter().filter(|effect| effect.transfers_data());
    let transferred = moving.map(|effect| measure.ops[effect as usize].bytes).sum::<u64>();
    Joules {
        controller,
        bus,
        nand,
        total,
        nand_by_kind: ByOperation {
            read: of_kind(Kind::Read),
            program: of_kind(Kind::Program),
            erase: of_kind(Kind::Erase),
            copyback: of_kind(Kind::Copyback),
            standby,
        },
        nand_by_origin: ByColumn {
            host: of_origin(0),
            gc: of_origin(1),
            wear: of_origin(2),
            other: of_origin(3),
        },
        per_host_byte: divided(transferred as f64),
        per_request: divided(ops().map(|op| op.requests()).sum::<u64>() as f64),
        bytes_to_dies: work.bytes_in,
        bytes_from_dies: work.bytes_out,
    }
}

fn array_energy(array: &ArrayPower, work: &Work) -> [[f64; 4]; Kind::COUNT] {
    Kind::ALL.map(|kind| {
        let watts = match kind {
            Kind::Read => array.read_w,
            // A copyback is a read and a program; the program takes nearly all of its time.
            Kind::Program | Kind::Copyback => array.program_w,
            Kind::Erase => array.erase_w,
        };
        work.array_ns[kind as usize].map(|ns| watts * ns as f64 * 1e-9)
    })
}
