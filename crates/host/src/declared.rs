//! Which namespaces a drive file declares: `[host.namespaces]`.

use crate::command::{self, CommandSet, SECTOR};
use config::{ConfigError, Section, above};
use units::Bytes;

/// Constant: greatest number of NVMe namespaces that a drive file may declare.
const MOST: usize = 32;

/// Kind of way in which a drive file gives the size of an NVMe namespace: in bytes, as a fraction of the drive, or as
/// the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NamespaceRoom {
    /// Case: way to give the size of a namespace: the drive file names this number of bytes.
    Bytes(u64),
    /// Case: way to give the size of a namespace: the drive file names this fraction of the drive's bytes, above 0 and
    /// up to 1.
    Share(f64),
    /// Case: way to give the size of a namespace: it gets the rest, all bytes of the drive that the other namespaces do
    /// not take.
    Rest,
}

/// Record of the declaration of an NVMe namespace in a drive file: name, command set and size.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Name of the namespace, by which a workload chooses the namespace.
    pub name: String,
    /// Setting: NVMe command set of the namespace, such as NVM or ZNS.
    pub set: &'static CommandSet,
    /// Setting: size of the namespace as the drive file gives it: in bytes, as a fraction of the drive, or as the rest
    /// of the drive.
    pub room: NamespaceRoom,
    /// Setting `handles`: placement handle list of the namespace (NVMe FDP), by number of the reclaim unit handles;
    /// none where the drive file gives none.
    pub handles: Option<Vec<u16>>,
    /// Setting `groups`: numbers of the reclaim groups in which the namespace lies; none for all of the drive.
    pub groups: Option<Vec<u16>>,
}

impl Declared {
    /// Reads the declared namespaces from `namespaces` of a drive file's `[host]`. The list is empty if the file
    /// declares no namespace, and the whole drive is then one namespace.
    ///
    /// # Errors
    /// When a name or a value is not allowed.
    pub(crate) fn read(host: &mut Section) -> Result<Vec<Self>, ConfigError> {
        let mut section = host.child("namespaces")?;
        let help = "namespaces of the drive, in the order in which they lie on it; else the drive is one";
        let names: Option<Vec<String>> = section.optional("names", help)?;
        let names = names.unwrap_or_default();
        let is_twice = |at: usize| names[..at].contains(&names[at]);
        if let Some(at) = (0..names.len()).find(|at| is_twice(*at)) {
            return Err(
                section.reject("names", &format!("expected each name once: {:?} is there twice", names[at]))
            );
        }
        let fits = |name: &String| {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            (1..=32).contains(&name.len()) && name.chars().all(is_word) && name != "names"
        };
        if let Some(name) = names.iter().find(|name| !fits(name)) {
            let expected = format!(
                "expected names of 1 to 32 letters, digits, - and _, other than \"names\": not {name:?}"
            );
            return Err(section.reject("names", &expected));
        }
        if section.has("names") && !(1..=MOST).contains(&names.len()) {
            return Err(section.reject("names", &format!("expected 1 to {MOST} names")));
        }
        let declared: Vec<Self> =
            names.into_iter().map(|name| Self::read_one(&mut section, name)).collect::<Result<_, _>>()?;
        section.clone().finish()?;
        if declared.iter().filter(|one| one.room == NamespaceRoom::Rest).count() > 1 {
            let rest: Vec<&str> = declared
                .iter()
                .filter(|one| one.room == NamespaceRoom::Rest)
                .map(|one| one.name.as_str())
                .collect();
            let expected = format!("expected a size or a share for all but one of {}", rest.join(", "));
            return Err(section.reject("names", &expected));
        }
        Ok(declared)
    }

    fn read_one(section: &mut Section, name: String) -> Result<Self, ConfigError> {
        let mut of = section.named_child(&name, "NAMESPACE")?;
        let size: Option<Bytes> =
            of.optional("size", "its bytes, in whole zones where it has zones; without size and share it takes what the others leave")?;
        let help = "its part of the drive's bytes, in whole mapping units, or zones where it has zones";
        let share: Option<f64> = of.unit("ratio").within(above(0.0).at_most(1.0)).optional("share", help)?;
        let sets: Vec<&str> = command::SETS.iter().map(|set| set.name).collect();
        let set = of.choice("command_set", &sets, command::USUAL.name, "what may be asked of it")?;
        let set = command::SETS.iter().find(|known| known.name == set).copied().unwrap_or(command::USUAL);
        let room = match (size, share) {
            (Some(_), Some(_)) => return Err(of.reject("share", "expected no share beside a size")),
            (Some(size), None) if size.get() == 0 || !size.get().is_multiple_of(SECTOR) => {
                return Err(of.reject("size", &format!("expected a multiple of {SECTOR} bytes, above 0")));
            }
            (Some(size), None) => NamespaceRoom::Bytes(size.get()),
            (None, Some(share)) => NamespaceRoom::Share(share),
            (None, None) => NamespaceRoom::Rest,
        };
        let help = "its placement handle list: the reclaim unit handles that it may name, the first of which takes what names \
                    none; else handle 0";
        let handles = of.optional("handles", help)?;
        let help = "reclaim groups in which its data lie; else any";
        let groups = of.optional("groups", help)?;
        of.finish()?;
        Ok(Self { name, set, room, handles, groups })
    }
}
