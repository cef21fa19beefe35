//! SLC caches: never smaller than what is reserved, never larger because data need more of the drive.

use engine::RandomStream;
use ftl::slc_cache::{CacheShape, CacheView, Maker};
use units::Bytes;

/// Tests an SLC cache policy, which sets the least and greatest number of superblocks in the cache, on `events` random
/// drives, each with a random number of spare superblocks (not needed by data or garbage collection).
///
/// # Panics
/// When the policy breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    let (cache, twin) = (maker(), maker());
    let mut random = RandomStream::new(12, "battery.slc_cache");
    for _ in 0..events {
        let shape = CacheShape {
            dies: 1 + random.below(64) as u32,
            superblocks: 4 + random.below(2000) as u32,
            superblock: Bytes::new(4096 * (1 + random.below(1 << 14))),
        };
        let spare = random.below(u64::from(shape.superblocks)) as u32;
        let view = CacheView { shape, spare };
        let (reserved, most) = (cache.reserved(&shape), cache.most(&view));
        assert_eq!(
            (reserved, most),
            (twin.reserved(&shape), twin.most(&view)),
            "{context}: two of a kind disagree on {view:?}"
        );
        assert!(most >= reserved, "{context}: at most {most}, {reserved} at all times: {view:?}");
        let fuller = cache.most(&CacheView { spare: spare / 2, ..view });
        assert!(fuller <= most, "{context}: grows as the drive fills: {view:?}");
        let full = cache.most(&CacheView { spare: 0, ..view });
        assert!(full == reserved, "{context}: takes from a full drive what data need: {view:?}");
        if cache.folding().is_none() {
            assert_eq!(most, 0, "{context}: a cache that is never folded");
        }
    }
}
