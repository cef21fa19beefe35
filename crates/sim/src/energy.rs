//! Where the energy of a run went: controller, wires, arrays.
//!
//! Each part is power times the time it was drawn, or energy per byte times the bytes moved. A part whose power
//! the drive file does not give is not known, and neither is a sum that would need it. Not modelled: DRAM, the
//! host link, voltage conversion, the initial peak of a charge pump.

use crate::run::BusyTimes;
use crate::{Drive, measure::Measure};
use controller::{Kind, Work};
use host::Op;
use nand::ArrayPower;
use serde_json::{Value, json};
use units::{Energy, Power};

/// What the configuration says about power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PowerModel {
    pub controller: Option<Power>,
    pub controller_per_byte: Energy,
    pub bus_per_byte: Option<Energy>,
    pub array: Option<ArrayPower>,
}

/// Column names of controller waits.
const ORIGINS: [&str; 4] = ["host", "gc", "wear", "other"];

/// `energy_j` of a result. Parts in joules; `per_host_byte` and `per_request` divide by what the host moved.
pub(crate) fn of(
    drive: &Drive,
    now: &BusyTimes,
    before: &BusyTimes,
    measure: &Measure,
    span_ns: u64,
) -> Value {
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
    let parts = [("controller", controller), ("bus", bus), ("nand", nand)];
    let total = parts.iter().map(|(_, part)| *part).sum::<Option<f64>>();
    let divided = |by: f64| -> Value {
        let share = |part: Option<f64>| part.filter(|_| by > 0.0).map(|joules| joules / by);
        let all = parts.into_iter().chain([("total", total)]);
        all.map(|(name, part)| (name.to_owned(), json!(share(part))))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let of_kind = |kind: Kind| arrays.as_ref().map(|arrays| arrays[kind as usize].iter().sum::<f64>());
    let of_origin =
        |column: usize| arrays.as_ref().map(|arrays| arrays.iter().map(|by| by[column]).sum::<f64>());
    let ops = || Op::ALL.iter().map(|op| &measure.ops[*op as usize]);
    json!({
        "controller": controller,
        "bus": bus,
        "nand": nand,
        "total": total,
        "nand_by_kind": {
            "read": of_kind(Kind::Read), "program": of_kind(Kind::Program), "erase": of_kind(Kind::Erase),
            "copyback": of_kind(Kind::Copyback), "standby": standby,
        },
        "nand_by_origin": ORIGINS.iter().enumerate()
            .map(|(column, name)| ((*name).to_owned(), json!(of_origin(column))))
            .collect::<serde_json::Map<_, _>>(),
        "per_host_byte": divided(ops().map(|op| op.bytes).sum::<u64>() as f64),
        "per_request": divided(ops().map(|op| op.requests()).sum::<u64>() as f64),
        "bytes_to_dies": work.bytes_in,
        "bytes_from_dies": work.bytes_out,
    })
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
