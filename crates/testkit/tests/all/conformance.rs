//! Every registered policy, with its defaults and with each parameter at the edges, against its seam's battery.
//! A policy needs nothing but its line of registration to be tested here.

use config::PolicyEntry;
use testkit::battery::{starvation, ties};
use testkit::{battery, choose};

/// Macro that makes a conformance test of a seam: runs its battery on each policy, with fewer events for variants of
/// the settings.
macro_rules! conformance {
    ($test:ident, $seam:path, $battery:path, $events:literal $(, $allowed:expr)?) => {
        #[test]
        fn $test() {
            use $battery as battery;
            use $seam as seam;
            let entries: Vec<PolicyEntry> = seam::catalogue();
            assert_eq!(entries.iter().filter(|entry| entry.default).count(), 1, "one default");
            for entry in &entries {
                let mut events = $events;
                choose::each_variant(entry, seam::read, |context, maker| {
                    battery::check(context, maker, events $(, $allowed(entry))?);
                    events = $events / 20;
                });
            }
        }
    };
}

conformance!(victims, ftl::gc::victim, battery::victim, 200_000, ties);
conformance!(triggers, ftl::gc::trigger, battery::trigger, 200_000);
conformance!(wear_levelling, ftl::wear, battery::wear, 100_000);
conformance!(mappings, ftl::mapping, battery::mapping, 6_000);
conformance!(parity, ftl::parity, battery::parity, 96);
conformance!(placement, ftl::placement, battery::placement, 10_000);
conformance!(program_orders, ftl::program_order, battery::program_order, 100_000);
conformance!(reads_ahead, ftl::read_ahead, battery::read_ahead, 100_000);
conformance!(read_merging, ftl::read_merge, battery::read_merge, 100);
conformance!(refresh_orders, ftl::refresh_order, battery::refresh_order, 20_000);
conformance!(regulators, ftl::regulator, battery::regulator, 100_000);
conformance!(slc_caches, ftl::slc_cache, battery::slc_cache, 100_000);
conformance!(snapshot_expiries, ftl::snapshot_expiry, battery::snapshot_expiry, 20_000);
conformance!(streams, ftl::streams, battery::streams, 20_000);
conformance!(schedulers, controller::scheduler, battery::scheduler, 200_000, starvation);
conformance!(evictions, ftl::buffer::eviction, battery::eviction, 100_000);
conformance!(places, host::place, battery::place, 20_000);
conformance!(links, host::link, battery::link, 20_000);
conformance!(arbitration, controller::arbitration, battery::arbitration, 100_000, starvation);
conformance!(interfaces, bus::interface, battery::interface, 20_000);
conformance!(codes, ecc::code, battery::code, 1);
conformance!(flows, ecc::flow, battery::flow, 20_000);
conformance!(error_models, nand::errors, battery::errors, 20_000);
