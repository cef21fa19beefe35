//! `flow`: jobs that keep their numbers of requests in the proportion of their weights.
//!
//! fio's rule: before each request a clone looks whether its share of all requests of its flow exceeds its share of the
//! weights; if so it stands back until others have made some, or have ended. Flows that have not begun count, too.

use super::job::{JobFile, JobSpec};
use crate::WorkloadError;
use std::collections::BTreeMap;

/// Set of a fio job's options for `flow`, which keeps the numbers of requests of several jobs in proportion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowOptions {
    /// Weight of each clone of the job in its fio flow (a set of jobs whose numbers of requests fio keeps in proportion
    /// to their weights); 0: the job belongs to no flow.
    pub weight: u64,
    /// Number of the fio flow (`flow_id`) that the job belongs to; jobs with one number keep their requests in
    /// proportion.
    pub id: u64,
    /// Time in nanoseconds that a clone of a fio job rests when it has made more than its share of the requests of its
    /// fio flow (`flow_sleep`); 0: it does not rest.
    pub rest_ns: u64,
}

/// Record of the totals of one fio flow over all its clones: the requests that they made, and their weights.
#[derive(Clone, Copy, Debug, Default)]
struct FioFlow {
    requests: u64,
    weight: u64,
}

/// Record of one clone's membership in a fio flow (jobs whose numbers of requests are kept in proportion): index of the
/// flow, number of requests that the clone issued, and the clone's weight.
#[derive(Clone, Copy, Debug)]
struct FlowShare {
    flow: u32,
    requests: u64,
    weight: u64,
}

/// State of all flows of a fio job file (`flow`: jobs whose numbers of requests are kept in proportion), with the share
/// of each clone, and the clones that wait because they have issued more than their share of requests.
#[derive(Clone, Debug, Default)]
pub struct FioFlows {
    flows: Vec<FioFlow>,
    ids: BTreeMap<u64, u32>,
    /// List with one entry for each clone of all fio jobs: its membership in a fio flow; `None` for a clone without a
    /// flow.
    shares: Vec<Option<FlowShare>>,
    /// List of the clones of fio jobs that wait until other clones of their fio flow have made requests: number of the
    /// clone, and time in nanoseconds at which the clone's run time ends.
    pub parked: Vec<(u32, u64)>,
}

impl FioFlows {
    /// Adds the next clone of a fio job to the fio flow that its options name, or to no flow if its weight is 0.
    pub fn add(&mut self, options: FlowOptions) {
        if options.weight == 0 {
            return self.shares.push(None);
        }
        let next = self.flows.len() as u32;
        let flow = *self.ids.entry(options.id).or_insert(next);
        if flow == next {
            self.flows.push(FioFlow::default());
        }
        self.flows[flow as usize].weight += options.weight;
        self.shares.push(Some(FlowShare { flow, requests: 0, weight: options.weight }));
    }

    /// Returns true if the fio flow of `clone` allows the clone a request now, because the clone is not ahead of its
    /// share of the flow's requests, and then counts the request; always true for a clone without a flow.
    pub fn admits(&mut self, clone: u32) -> bool {
        let Some(share) = &mut self.shares[clone as usize] else { return true };
        let flow = &mut self.flows[share.flow as usize];
        // fio begins to count the requests of a flow at one.
        let own = u128::from(share.requests) * u128::from(flow.weight);
        let admits = own <= u128::from(share.weight) * u128::from(flow.requests + 1);
        if admits {
            share.requests += 1;
            flow.requests += 1;
        }
        admits
    }

    /// Removes `clone`, a clone of a fio job that has ended, from its fio flow: its weight and its requests no longer
    /// count there.
    pub fn leave(&mut self, clone: u32) {
        if let Some(share) = self.shares[clone as usize].take() {
            let flow = &mut self.flows[share.flow as usize];
            flow.weight -= share.weight;
            flow.requests -= share.requests;
        }
    }

    /// Returns true if the fio job file has no flows (jobs whose numbers of requests are kept in proportion).
    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }
}

/// Checks the flow options of a fio job against the job's other options, once the whole section is known.
///
/// # Errors
/// With the pair of texts found and expected, at options that are not modelled together with a flow.
pub fn check(job: &JobSpec) -> Result<(), (&'static str, &'static str)> {
    if job.flow.weight == 0 {
        return Ok(());
    }
    let flushes = job.flush_every != [0; 2] || job.end_fsync;
    if flushes || job.verify.is_some() || job.think_ns > 0 {
        return Err((
            "flow beside fsync, fdatasync, end_fsync, verify or thinktime",
            "one of them: what they do together is not modelled",
        ));
    }
    Ok(())
}

/// Checks that all jobs of each flow (`flow`: jobs whose numbers of requests are kept in proportion) in a job file run
/// at the same time: in fio, clones wait also for clones of their flow that have not begun.
///
/// # Errors
/// At a job that begins after another job of its flow has ended: each would wait for the other.
pub fn check_file(file: &JobFile) -> Result<(), WorkloadError> {
    let mut begun: BTreeMap<u64, usize> = BTreeMap::new();
    let mut group = 0;
    for job in &file.jobs {
        group += usize::from(job.stonewall);
        if job.flow.weight == 0 {
            continue;
        }
        let is_late = job.wait_for.is_some() || *begun.entry(job.flow.id).or_insert(group) != group;
        if is_late {
            return Err(job.place.error(
                format!(
                    "job {}: flow_id {} of jobs that do not run beside each other",
                    job.name, job.flow.id
                ),
                "another flow_id: in fio the one would wait for the requests of the other",
            ));
        }
    }
    Ok(())
}
