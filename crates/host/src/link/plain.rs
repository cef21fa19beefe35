//! A bandwidth and nothing else: what simulators and many papers give.

use super::{Burst, Direction, HostLink, LinkShape, LinkStep, QueueOrder};
use crate::Effect;
use config::{Card, ConfigError, Policy, Section};
use units::{Bytes, Nanos, TransferRate};

/// Implementation of the link `plain`: timing model of a plain host link with one transfer rate, without protocol
/// messages: `host.t_command` alone is the overhead of a command.
#[derive(Clone, Debug)]
pub struct PlainLink {
    rate: TransferRate,
    full_duplex: bool,
    queues: u32,
    queue_depth: u32,
}

impl Policy for PlainLink {
    const CARD: Card = Card {
        name: "plain",
        rule: "data is transferred at `rate`; commands and completions take no time, and queues are served in turn",
        paper: "the usual host model of simulators and papers",
        not_modelled: "framing, command and completion messages, waits for write data",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self {
            rate: section.or(
                "rate",
                TransferRate::from_bytes_per_s(3_200_000_000),
                "payload bandwidth of a direction",
            )?,
            full_duplex: section.or("full_duplex", true, "both directions at once, or one at a time")?,
            queues: section.within(super::of_queues()).or("queues", 8u32, "submission queues")?,
            queue_depth: section.within(super::of_queues()).or(
                "queue_depth",
                1024u32,
                "commands a queue holds",
            )?,
        })
    }
}

impl HostLink for PlainLink {
    fn shape(&self) -> LinkShape {
        LinkShape {
            full_duplex: self.full_duplex,
            queues: self.queues,
            queue_depth: self.queue_depth,
            order: QueueOrder::RoundRobin { burst: 1 },
            commands_most: 1 << 20,
            commands_usual: 256,
        }
    }

    fn command(&self, _: Effect) -> LinkStep {
        LinkStep::default()
    }

    fn data(&self, _direction: Direction, bytes: Bytes) -> Burst {
        Burst { holds: self.rate.time_for(bytes), against: Nanos::ZERO, ..Burst::default() }
    }

    fn answer(&self, _: Effect) -> LinkStep {
        LinkStep::default()
    }
}
