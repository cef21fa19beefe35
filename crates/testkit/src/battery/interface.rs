//! Interfaces: the same wires whenever asked, more bytes never sooner, a burst never dearer than its parts nor faster than
//! its pace, and a family that chips can name.

use bus::interface::{Interface, Maker};
use bus::{Cadence, Family};
use engine::RandomStream;
use units::{Bytes, Femtos};

/// Constant: greatest number of bytes in one data transfer (burst) of the randomised test of flash interfaces.
const BYTES_MAX: u64 = 1 << 20;

/// Tests a flash interface: its signalling and family (such as NV-DDR), and the times of `events` random pairs of data
/// transfers (bursts) in each direction.
///
/// # Panics
/// When the interface breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    let (interface, twin) = (maker(), maker());
    let signalling = interface.signalling();
    assert_eq!(signalling, twin.signalling(), "{context}: other wires from the same settings");
    check_family(context, &*interface);
    let edges = if signalling.double_data_rate { 2 } else { 1 };
    // What a byte takes is a fraction, which `byte` cuts down to whole femtoseconds.
    let period = Femtos::new((signalling.data_out.byte().get() + 1) * edges);
    assert!(period >= signalling.shortest, "{context}: data faster than the shortest period allows");
    assert!(
        signalling.pins.shared >= 8 + signalling.pins.strobes,
        "{context}: fewer wires than data and strobes"
    );
    assert_eq!(
        signalling.io_energy_per_byte(1e-12).is_some(),
        signalling.io_supply.is_some(),
        "{context}: energy is known where the supply is"
    );
    let mut random = RandomStream::new(7, "battery.interface");
    for _ in 0..events {
        let [one, two] = [(); 2].map(|()| 1 + random.below(BYTES_MAX));
        for cadence in [signalling.data_in, signalling.data_out] {
            check_bursts(context, cadence, one, two);
        }
    }
}

fn check_family(context: &str, interface: &dyn Interface) {
    let Some(set) = interface.needs() else {
        assert_eq!(interface.mode(), None, "{context}: a mode, and any chip will do");
        return;
    };
    let Family { name, highest, older } = set.family;
    assert!(context.contains(&format!("name={name}")), "{context}: chips know it as {name}");
    assert_eq!(interface.mode(), highest.map(|_| set.mode), "{context}: the mode that a chip must offer");
    assert!(set.mode <= highest.unwrap_or(0), "{context}: a mode above the highest");
    assert!(!older.contains(&name), "{context}: falls back to itself");
}

fn check_bursts(context: &str, cadence: Cadence, one: u64, two: u64) {
    let of = |bytes: u64| cadence.time_for(Bytes::new(bytes)).ns();
    let (first, second, both) = (of(one), of(two), of(one + two));
    assert!(first > 0, "{context}: {one} bytes in no time");
    assert!(both >= first.max(second), "{context}: {one} + {two} bytes end too soon");
    // Each burst is rounded up to a whole nanosecond, and by less than one.
    assert!(both <= first + second && first + second <= both + 1, "{context}: {one} + {two} bytes by parts");
    let paced = one as f64 * 1e9 / cadence.bytes_per_s();
    assert!((first as f64) >= paced * (1.0 - 1e-9), "{context}: {one} bytes faster than their pace");
}
