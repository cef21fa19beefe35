//! The moments of a history as numbers, for keeping: what is written is read back the same to the bit.

use super::pilots::PilotAnswer;
use ftl::{GroupMoment, Member, Moment, OpenBlock, SetMoment, UsedBlock, VictimBlock};

impl PilotAnswer for Vec<SetMoment> {
    fn numbers(&self) -> Vec<u64> {
        numbers_of(self)
    }

    fn read(numbers: &[u64]) -> Option<Self> {
        moments_of(numbers)
    }
}

/// Encodes the history of a miniature drive (its states at several times) as numbers, for storage between runs.
fn numbers_of(moments: &[SetMoment]) -> Vec<u64> {
    let mut out = Vec::new();
    many(&mut out, moments, |out, set| {
        many(out, &set.dies, put_moment);
        many(out, &set.groups, |out, group| {
            out.push(group.rank);
            many(out, &group.members, put_member);
        });
    });
    out
}

/// Decodes the history of a miniature (scaled-down trial copy of the drive, simulated for preconditioning) from the
/// numbers that were stored in an earlier run: the states of the miniature at several moments. `None` where the numbers
/// encode no history.
fn moments_of(numbers: &[u64]) -> Option<Vec<SetMoment>> {
    let mut rest = NumbersLeft(numbers);
    let moments = rest.many(|rest| {
        let dies = rest.many(NumbersLeft::moment)?;
        let groups = rest.many(|rest| {
            Some(GroupMoment { rank: rest.next()?, members: rest.many(NumbersLeft::member)? })
        })?;
        Some(SetMoment { dies, groups })
    })?;
    rest.0.is_empty().then_some(moments)
}

fn many<T>(out: &mut Vec<u64>, items: &[T], put: impl Fn(&mut Vec<u64>, &T)) {
    out.push(items.len() as u64);
    items.iter().for_each(|item| put(out, item));
}

fn put_used(out: &mut Vec<u64>, block: &UsedBlock) {
    out.extend([block.valid.to_bits(), block.age.to_bits(), u64::from(block.cycles)]);
}

fn put_open(out: &mut Vec<u64>, block: &OpenBlock) {
    out.extend([block.written.to_bits(), block.valid.to_bits(), u64::from(block.cycles)]);
}

fn put_victim(out: &mut Vec<u64>, block: &VictimBlock) {
    let parts = [block.done, block.valid, block.rate];
    out.extend(parts.map(f64::to_bits));
    out.push(u64::from(block.cycles));
}

fn put_moment(out: &mut Vec<u64>, moment: &Moment) {
    many(out, &moment.closed, put_used);
    for open in &moment.open {
        many(out, open.as_slice(), put_open);
    }
    many(out, moment.victim.as_slice(), put_victim);
    out.push(moment.credit.to_bits());
    many(out, &moment.free, |out, &cycles| out.push(u64::from(cycles)));
    out.extend([u64::from(moment.kept), moment.erases]);
}

fn put_member(out: &mut Vec<u64>, member: &Member) {
    match member {
        Member::Owned(cycles) => out.extend([0, u64::from(*cycles)]),
        Member::Free(cycles) => out.extend([1, u64::from(*cycles)]),
        Member::Open(stream, block) => {
            out.extend([2, *stream as u64]);
            put_open(out, block);
        }
        Member::Closed(block) => {
            out.push(3);
            put_used(out, block);
        }
    }
}

/// Reader that decodes the history of a miniature drive (its states at several moments) from a stored sequence of
/// numbers, one after the other; contains the numbers still to be read.
struct NumbersLeft<'a>(&'a [u64]);

impl NumbersLeft<'_> {
    fn next(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn real(&mut self) -> Option<f64> {
        self.next().map(f64::from_bits)
    }

    fn small(&mut self) -> Option<u32> {
        self.next()?.try_into().ok()
    }

    fn many<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.next()?;
        // Each item takes a number at least: a wrong count asks for no memory.
        (count <= self.0.len() as u64).then(|| (0..count).map(|_| read(self)).collect())?
    }

    fn one<T>(&mut self, read: impl FnMut(&mut Self) -> Option<T>) -> Option<Option<T>> {
        let mut found = self.many(read)?;
        (found.len() < 2).then(|| found.pop())
    }

    fn used(&mut self) -> Option<UsedBlock> {
        Some(UsedBlock { valid: self.real()?, age: self.real()?, cycles: self.small()? })
    }

    fn open(&mut self) -> Option<OpenBlock> {
        Some(OpenBlock { written: self.real()?, valid: self.real()?, cycles: self.small()? })
    }

    fn victim(&mut self) -> Option<VictimBlock> {
        let (done, valid, rate) = (self.real()?, self.real()?, self.real()?);
        Some(VictimBlock { done, valid, rate, cycles: self.small()? })
    }

    fn moment(&mut self) -> Option<Moment> {
        Some(Moment {
            closed: self.many(Self::used)?,
            open: [self.one(Self::open)?, self.one(Self::open)?],
            victim: self.one(Self::victim)?,
            credit: self.real()?,
            free: self.many(Self::small)?,
            kept: self.small()?,
            erases: self.next()?,
        })
    }

    fn member(&mut self) -> Option<Member> {
        Some(match self.next()? {
            0 => Member::Owned(self.small()?),
            1 => Member::Free(self.small()?),
            2 => Member::Open(self.small()? as usize, self.open()?),
            3 => Member::Closed(self.used()?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> Vec<SetMoment> {
        let used = UsedBlock { valid: 0.1 + 0.2, age: 7.5, cycles: 3 };
        let open = OpenBlock { written: 0.25, valid: -0.0, cycles: u32::MAX };
        let victim = VictimBlock { done: 0.5, valid: 1.0 / 3.0, rate: f64::MAX, cycles: 9 };
        let die = |open, victim| Moment {
            closed: vec![used; 2],
            open,
            victim,
            credit: -1.5,
            free: vec![1, 2, 3],
            kept: 4,
            erases: u64::MAX,
        };
        let members = vec![Member::Owned(1), Member::Free(2), Member::Open(1, open), Member::Closed(used)];
        vec![
            SetMoment { dies: vec![die([Some(open), None], Some(victim))], groups: Vec::new() },
            SetMoment {
                dies: vec![die([None, Some(open)], None), die([None; 2], None)],
                groups: vec![GroupMoment { rank: 1, members }],
            },
        ]
    }

    #[test]
    fn a_history_is_read_back_as_it_was_written() {
        assert_eq!(moments_of(&numbers_of(&history())), Some(history()));
    }

    #[test]
    fn numbers_that_are_no_history_are_none() {
        let whole = numbers_of(&history());
        for end in 0..whole.len() {
            assert_eq!(moments_of(&whole[..end]), None, "cut off after {end}");
        }
        assert_eq!(moments_of(&[&whole[..], &[0]].concat()), None);
        assert_eq!(moments_of(&[u64::MAX]), None);
    }
}
