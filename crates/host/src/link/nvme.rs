//! NVMe over PCI Express: queues in the host's memory, doorbells, packets in both directions at once.
//!
//! Figures: PCI Express Base Specification 3.0 to 5.0: 8, 16 and 32 GT/s a lane, 128b/130b coded; a packet (TLP)
//! of the link adds a 4-byte STP token and a 4-byte LCRC to its header, 16 bytes for reads and writes with 64-bit
//! addresses, 12 for completions with data. NVM Express 1.4: a submission entry has 64 bytes, a completion entry
//! 16, a doorbell 4; round robin, and weighted round robin with urgent priority class (section 4.13).

use super::{Burst, Direction, HostLink, LinkShape, LinkStep, QueueClass, QueueOrder, time_of};
use crate::Effect;
use config::{Card, ConfigError, Policy, Section, at_least};
use units::{Bytes, Nanos};

/// Constant: number of bytes of framing of a PCI Express packet: STP token and LCRC.
const FRAME: u64 = 8;
/// Constant: number of bytes of framing and header of a PCI Express memory request with a 64-bit address.
const REQUEST: u64 = FRAME + 16;
/// Constant: number of bytes of framing and header of a PCI Express completion packet.
const COMPLETION: u64 = FRAME + 12;
const SUBMISSION_ENTRY: u64 = 64;
const COMPLETION_ENTRY: u64 = 16;
/// Constant: number of data bytes of a doorbell write or of an interrupt message (MSI-X) on the NVMe link.
const WORD: u64 = 4;

/// Implementation of the link `nvme`: timing model of a host link with NVMe queues over PCI Express.
#[derive(Clone, Debug)]
pub struct Nvme {
    /// Bit rate of one PCI Express lane in Gbit/s.
    gbit_per_s: u64,
    /// Number of PCI Express lanes of the NVMe link.
    lanes: u64,
    max_payload: u64,
    max_read_request: u64,
    t_round_trip: Nanos,
    queues: u32,
    queue_depth: u32,
    order: QueueOrder,
}

impl Policy for Nvme {
    const CARD: Card = Card {
        name: "nvme",
        rule: "doorbell, fetch of the command, data in packets of `max_payload`, completion entry and interrupt; \
               both directions at once; queues served by round robin or by weights",
        paper: "NVM Express 1.4; PCI Express Base Specification 3.0, 4.0, 5.0",
        not_modelled: "link-layer packets (ACK, flow control) and skip sets, under 2 % of the wires; lists of \
                       physical pages; doorbells for several commands at once; admin queue",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let generation = section.within(at_least(3u32).at_most(5u32)).or(
            "generation",
            3u32,
            "3, 4 or 5: 8, 16 or 32 GT/s a lane",
        )?;
        let lanes = section.or("lanes", 4u32, "lanes of the link")?;
        if ![1, 2, 4, 8, 16].contains(&lanes) {
            return Err(section.reject("lanes", "expected 1, 2, 4, 8 or 16"));
        }
        let max_payload = packet(section, "max_payload", 256, "data of one packet, at most")?;
        let max_read_request = packet(section, "max_read_request", 512, "data asked for at once, at most")?;
        let t_round_trip = section.or(
            "t_round_trip",
            Nanos::new(500),
            "a read of host memory by the drive, without the packets' own time; assumed, of the size measured by \
             Neugebauer et al., SIGCOMM 2018",
        )?;
        let queues = section.within(super::of_queues()).or("queues", 8u32, "submission queues")?;
        let queue_depth =
            section.within(super::of_queues()).or("queue_depth", 1024u32, "commands a queue holds")?;
        let order = read_order(section, queues)?;
        Ok(Self {
            gbit_per_s: 8 << (generation - 3),
            lanes: u64::from(lanes),
            max_payload,
            max_read_request,
            t_round_trip,
            queues,
            queue_depth,
            order,
        })
    }
}

fn packet(section: &mut Section, key: &str, default: u64, help: &'static str) -> Result<u64, ConfigError> {
    let bytes = section.or(key, Bytes::new(default), help)?.get();
    if !bytes.is_power_of_two() || !(128..=4096).contains(&bytes) {
        return Err(section.reject(key, "expected a power of two, 128 B to 4 KiB"));
    }
    Ok(bytes)
}

fn read_order(section: &mut Section, queues: u32) -> Result<QueueOrder, ConfigError> {
    let names = ["round-robin", "weighted-round-robin"];
    let name =
        section.choice("arbitration", &names, "round-robin", "which submission queue is served next")?;
    let burst = section.within(at_least(1u32)).or(
        "arbitration_burst",
        1u32,
        "commands fetched from a queue before the next has its turn",
    )?;
    if name == "round-robin" {
        return Ok(QueueOrder::RoundRobin { burst });
    }
    let weights =
        section.or("weights", vec![4u32, 2, 1], "commands a round of the classes high, medium, low")?;
    let weights =
        <[u32; 3]>::try_from(weights).ok().filter(|weights| weights.iter().all(|w| (1..=256).contains(w)));
    let Some(weights) = weights else {
        return Err(section.reject("weights", "expected three numbers from 1 to 256: high, medium, low"));
    };
    let names =
        section.or("classes", vec!["medium".to_owned()], "class of each queue, the last for the rest")?;
    let class = |name: &String| match name.as_str() {
        "urgent" => Some(QueueClass::Urgent),
        "high" => Some(QueueClass::High),
        "medium" => Some(QueueClass::Medium),
        "low" => Some(QueueClass::Low),
        _ => None,
    };
    let classes: Option<Vec<QueueClass>> = names.iter().map(class).collect();
    match classes {
        Some(mut classes) if !classes.is_empty() && classes.len() <= queues as usize => {
            let last = classes[classes.len() - 1];
            classes.resize(queues as usize, last);
            Ok(QueueOrder::Weighted { burst, classes, weights })
        }
        _ => Err(section.reject(
            "classes",
            "expected urgent, high, medium or low for each queue, and no more of them than queues",
        )),
    }
}

impl Nvme {
    /// Returns the time that `bytes` bytes take on the wires of all lanes together, with 128b/130b encoding.
    fn wire(&self, bytes: u64) -> Nanos {
        time_of(bytes, 8 * 130, 128 * self.gbit_per_s * self.lanes)
    }
}

impl HostLink for Nvme {
    fn shape(&self) -> LinkShape {
        LinkShape {
            full_duplex: true,
            queues: self.queues,
            queue_depth: self.queue_depth,
            order: self.order.clone(),
            commands_most: 1 << 20,
            commands_usual: 256,
        }
    }

    /// Returns the times of submitting a command over NVMe: the host writes the doorbell, then the drive reads the
    /// submission queue entry from host memory.
    fn command(&self, _: Effect) -> LinkStep {
        let doorbell = self.wire(REQUEST + WORD);
        let (ask, entry) = (self.wire(REQUEST), self.wire(COMPLETION + SUBMISSION_ENTRY));
        let half = Nanos::new(self.t_round_trip.ns() / 2);
        LinkStep { holds: [doorbell + entry, ask], takes: doorbell + half + ask + self.t_round_trip + entry }
    }

    /// Returns the times of a data transfer over NVMe: the drive sends data to the host as posted writes, and reads the
    /// data of a write from host memory.
    fn data(&self, direction: Direction, bytes: Bytes) -> Burst {
        let packets = bytes.get().div_ceil(self.max_payload);
        let half = Nanos::new(self.t_round_trip.ns() / 2);
        match direction {
            Direction::ToHost => {
                let holds = self.wire(bytes.get() + packets * REQUEST);
                Burst { holds, lead_out: half, ..Burst::default() }
            }
            Direction::ToDrive => Burst {
                holds: self.wire(bytes.get() + packets * COMPLETION),
                against: self.wire(bytes.get().div_ceil(self.max_read_request) * REQUEST),
                lead_in: self.wire(REQUEST) + self.t_round_trip,
                lead_out: Nanos::ZERO,
            },
        }
    }

    /// Returns the times of a command's completion over NVMe, that is, of the completion queue entry and of the
    /// interrupt. The host's doorbell write for the completion queue occupies the wires, but no request waits for it.
    fn answer(&self, effect: Effect) -> LinkStep {
        let entry = self.wire(REQUEST + COMPLETION_ENTRY) + self.wire(REQUEST + WORD);
        // After data, the way to the host has been counted: the entry follows them in order.
        let way = if effect == Effect::Read { Nanos::ZERO } else { Nanos::new(self.t_round_trip.ns() / 2) };
        LinkStep { holds: [self.wire(REQUEST + WORD), entry], takes: entry + way }
    }
}
