//! A volume as a source of requests for one drive.

use super::layout::VolumeLayout;
use super::parameters::Parameters;
use super::requests::{VolumeRequest, VolumeRequests};
use super::{FORMAT, SYNTHETIC};
use crate::{Completion, Extent, HostRequest, Poll, Workload, WorkloadError, WorkloadReport};
use units::SimTime;

/// Workload that plays the requests of a synthetic volume on a drive.
pub struct VolumeWorkload {
    parameters: Parameters,
    requests: VolumeRequests,
    layout: VolumeLayout,
    waiting: Option<VolumeRequest>,
    outstanding: u32,
    handed_out: u64,
    origin: Option<SimTime>,
}

impl VolumeWorkload {
    /// Makes the workload of the synthetic volume that `spec` describes, for a drive of `drive_bytes` bytes.
    ///
    /// # Errors
    /// When the volume or a parameter is unknown, a value is out of its range, or the drive is too small and `fit` was
    /// not given.
    pub fn new(spec: &str, drive_bytes: u64, seed: u64) -> Result<Self, WorkloadError> {
        let parameters = Parameters::parse(spec)?;
        let layout = VolumeLayout::new(&parameters, Some(drive_bytes))?;
        let requests = VolumeRequests::new(parameters.clone(), &layout, seed);
        Ok(Self { parameters, requests, layout, waiting: None, outstanding: 0, handed_out: 0, origin: None })
    }

    /// Returns this workload of a synthetic volume with its random numbers drawn anew from `seed`, for repetition
    /// number `pass` where the volume is played several times in a row, as for preconditioning: records stay at their
    /// addresses.
    pub fn drawn_anew(mut self, seed: u64, pass: u32) -> Self {
        self.requests.draw_anew(seed, pass);
        self
    }

    /// Returns the parameters of the synthetic volume.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the number of bytes that the addresses of the synthetic volume take.
    pub fn bytes(&self) -> u64 {
        self.layout.bytes
    }

    /// Returns the fraction of the synthetic volume's addresses that are used, where not all fit the drive (parameter
    /// `fit`); `None` where all fit.
    pub fn fitted(&self) -> Option<f64> {
        let (used, all) = (self.layout.distinct, self.parameters.distinct);
        (used < all).then(|| used as f64 / all as f64)
    }
}

impl Workload for VolumeWorkload {
    fn lay_out(&mut self, _count: u64, name: &mut dyn FnMut(Extent)) -> Result<Option<f64>, WorkloadError> {
        name(Extent { offset: 0, bytes: self.layout.bytes });
        Ok(None)
    }

    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        let origin = *self.origin.get_or_insert(now);
        if let Some(depth) = self.parameters.depth
            && self.outstanding == depth
        {
            return Ok(Poll::Blocked);
        }
        let Some(next) = self.waiting.take().or_else(|| self.requests.next()) else { return Ok(Poll::Done) };
        let arrive = match self.parameters.depth {
            Some(_) => now,
            None => SimTime::from_ns(origin.ns().saturating_add(next.after_first_ns)),
        };
        if arrive > now {
            self.waiting = Some(next);
            return Ok(Poll::At(arrive));
        }
        self.outstanding += 1;
        self.handed_out += 1;
        Ok(Poll::Ready(HostRequest::plain(arrive, next.op, next.offset, next.bytes)))
    }

    fn is_open_loop(&self) -> bool {
        self.parameters.depth.is_none()
    }

    fn complete(&mut self, _: &HostRequest, _: &Completion) {
        self.outstanding = self.outstanding.checked_sub(1).expect("a completion has its request");
    }

    fn fraction_done(&self, _now: SimTime) -> Option<f64> {
        Some(self.handed_out as f64 / self.parameters.requests as f64)
    }

    fn report(&self) -> WorkloadReport {
        let mut notes = vec![("synthetic".to_owned(), SYNTHETIC.to_owned())];
        notes.extend(
            self.parameters
                .settings()
                .into_iter()
                .map(|(name, value, source)| (name.to_owned(), format!("{value} ({source})"))),
        );
        notes.push(("addresses_used".into(), self.layout.distinct.to_string()));
        if let Some(share) = self.fitted() {
            notes.push(("fitted".into(), format!("{share:.4} of the volume's addresses, to fit the drive")));
        }
        WorkloadReport {
            name: self.parameters.spec.clone(),
            format: FORMAT.to_owned(),
            requests: self.handed_out,
            skipped_lines: 0,
            notes,
            tags: vec![self.parameters.volume.name.to_owned()],
            ..WorkloadReport::default()
        }
    }
}
