//! Flows of reads: a first attempt, attempts that the drive can make, the same answer to the same view, and an end.

use ecc::flow::{ATTEMPTS_MOST, Flow, FlowView, Maker, Next, Steps};
use engine::RandomStream;

/// Record of a random page for the test of read flows (policies that choose the next read attempt: first attempt, read
/// retries, soft reads), with the attempts that its drive allows.
struct Page {
    first: u32,
    soft_bits: u32,
    steps: u32,
    best_step: u32,
    kind: Steps,
    good_step: Option<u32>,
    halves: Vec<f64>,
    page_type: usize,
    /// Raw bit error rate of the random page, in the test of read flows, at the default read reference voltages.
    rate: f64,
    /// Factor, 0.7 to 1, by which each read retry step multiplies the raw bit error rate of the random page, in the
    /// test of read flows.
    fall: f64,
}

impl Page {
    fn drawn(random: &mut RandomStream, notes: ecc::flow::Notes) -> Self {
        let soft_bits = 1 + random.below(3) as u32;
        let steps = random.below(21) as u32;
        let best_step = random.below(u64::from(steps) + 1) as u32;
        let noted = random.chance(0.5) && notes.good_steps;
        let halves = (0..soft_bits).map(|more| 0.008 * (1.0 + f64::from(more)));
        Self {
            first: 1 + random.below(u64::from(soft_bits)) as u32,
            soft_bits,
            steps,
            best_step,
            kind: if random.chance(0.5) { Steps::Table } else { Steps::Share },
            good_step: noted.then(|| random.below(u64::from(best_step) + 1) as u32),
            halves: if notes.estimates { halves.collect() } else { Vec::new() },
            page_type: random.below(3) as usize,
            rate: 0.002 + 0.06 * random.unit(),
            fall: 0.7 + 0.3 * random.unit(),
        }
    }

    fn view(&self) -> FlowView<'_> {
        FlowView {
            page_type: self.page_type,
            attempts: 0,
            last: None,
            estimate: None,
            first: self.first,
            soft_bits: self.soft_bits,
            steps: self.steps,
            best_step: self.best_step,
            kind: self.kind,
            good_step: self.good_step,
            halves: &self.halves,
        }
    }
}

/// Tests a read flow (policy that chooses the next attempt to read a page: retry step and soft bits) with reads of
/// random pages on which every attempt fails, until it has made `events` choices, those to give up included.
///
/// # Panics
/// When the flow breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    let (mut flow, mut twin) = (maker(), maker());
    let notes = flow.notes();
    assert_eq!(flow.notes(), notes, "{context}: wants other notes than before");
    let mut random = RandomStream::new(37, "battery.flow");
    let mut asked = 0;
    while asked < events {
        let page = Page::drawn(&mut random, notes);
        asked += 1 + u64::from(read(context, [&mut *flow, &mut *twin], &page, notes, &mut random));
    }
}

/// Simulates a read of a page on which every attempt fails, until the read flow under test gives the page up as
/// uncorrectable; returns the number of attempts.
fn read(
    context: &str,
    [flow, twin]: [&mut dyn Flow; 2],
    page: &Page,
    notes: ecc::flow::Notes,
    random: &mut RandomStream,
) -> u32 {
    let mut view = page.view();
    loop {
        let next = flow.next(&view);
        assert_eq!(flow.next(&view), next, "{context}: asked again, it answers otherwise on {view:?}");
        assert_eq!(twin.next(&view), next, "{context}: two of a kind disagree on {view:?}");
        let Next::Read(attempt) = next else { break };
        assert!(view.takes(&attempt), "{context}: no drive can make {attempt:?} of {view:?}");
        assert!(view.attempts < ATTEMPTS_MOST, "{context}: does not give up after {ATTEMPTS_MOST} attempts");
        let rate = page.rate * page.fall.powi(attempt.step as i32);
        let estimate = notes.estimates.then(|| rate * (0.9 + 0.2 * random.unit()));
        (view.attempts, view.last, view.estimate) = (view.attempts + 1, Some(attempt), estimate);
    }
    assert!(view.attempts > 0, "{context}: gives up before the first attempt of {view:?}");
    view.attempts
}
