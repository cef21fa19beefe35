//! Placement of the host's writes: a handle that there is, and the same from the same settings.

use engine::RandomStream;
use host::place::{Maker, PlaceView};
use units::SimTime;

const DRIVE_BYTES: u64 = 64 << 20;

/// Tests a policy that chooses the placement handle (reclaim unit handle of NVMe Flexible Data Placement) of host
/// writes, with `events` random writes in all on drives with 1 to 31 handles.
///
/// # Panics
/// When the policy breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    for handles in [1, 2, 8, 31] {
        let mut random = RandomStream::new(u64::from(handles), "battery.place");
        let mut policies = [maker(), maker()];
        policies.iter_mut().for_each(|policy| policy.attach(handles, DRIVE_BYTES));
        for event in 0..events / 4 {
            let bytes = (1 + random.below(256)) * 512;
            let part = if random.chance(0.7) { DRIVE_BYTES / 16 } else { DRIVE_BYTES };
            let view = PlaceView {
                offset: random.below((part - bytes) / 512 + 1) * 512,
                bytes: bytes as u32,
                job: random.below(5) as u16,
                arrive: SimTime::from_ns(event * 1_000),
                named: random.chance(0.5).then(|| random.below(u64::from(handles)) as u16),
                process: random.chance(0.5).then(|| random.below(40) as u32),
                life: random.chance(0.5).then(|| random.below(u64::from(handles)) as u16),
                handles,
                drive_bytes: DRIVE_BYTES,
            };
            let [answer, again] = policies.each_mut().map(|policy| policy.place(&view));
            assert_eq!(answer, again, "{context}: two of a kind disagree on {view:?}");
            assert!(answer.is_none_or(|handle| handle < handles), "{context}: {answer:?} for {view:?}");
            if policies[0].keeps() {
                assert_eq!(answer, view.named, "{context}: says that it keeps what is named");
            }
        }
    }
}
