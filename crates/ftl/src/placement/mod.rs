//! Which die does the next program unit of host data go to?

use engine::RandomStream;
use units::{DieId, Lpn};

/// The information that a placement policy may use.
pub struct PlacementView<'a> {
    /// One bit per die: set when the die can take a program unit now (it has room, and its queue is not full).
    pub eligible: &'a [u64],
    /// Number of dies in the drive. Dies are numbered channel first.
    pub dies: u32,
    /// Program operations bound to each die and not yet done.
    pub programs: &'a [u32],
    /// Channels, ways of a channel, dies of a way, and planes of a die that operate separately.
    pub shape: [u32; 4],
    /// The first logical unit that will go to the die.
    pub lpn: Lpn,
    /// Mapping units of one program operation.
    pub program_units: u32,
}

impl PlacementView<'_> {
    /// True when `die` can take a program unit now.
    #[inline]
    pub fn is_eligible(&self, die: DieId) -> bool {
        self.eligible[die.index() / 64] >> (die.index() % 64) & 1 == 1
    }

    /// Returns the first eligible die from `start` on, around the end.
    #[inline]
    pub fn next_eligible(&self, start: u32) -> Option<DieId> {
        let words = self.eligible.len();
        let (word, bit) = (start as usize / 64, start % 64);
        let masked = self.eligible[word] & (u64::MAX << bit);
        if masked != 0 {
            return Some(DieId(word as u32 * 64 + masked.trailing_zeros()));
        }
        (1..=words)
            .map(|step| (word + step) % words)
            .find(|&word| self.eligible[word] != 0)
            .map(|word| DieId(word as u32 * 64 + self.eligible[word].trailing_zeros()))
    }
}

/// The choice of a die.
pub trait PlacementPolicy: Send {
    /// Gives a policy that draws at random a random stream of its own. Called before `attach`.
    fn take_random(&mut self, _random: RandomStream) {}

    /// Tells the policy how many dies there are. Called before anything else on a drive.
    fn attach(&mut self, _dies: u32) {}

    /// Chooses an eligible die, or `None` to wait until something changes.
    fn choose(&mut self, view: &PlacementView<'_>) -> Option<DieId>;

    /// Returns the number of the die that a logical unit's address determines, for policies that place units
    /// by address.
    fn home(&self, view: &PlacementView<'_>) -> u32 {
        view.lpn.0 / view.program_units % view.dies
    }
}

config::policies! {
    seam: "ftl.placement",
    question: "Which die does the next program unit of host data go to?",
    default: "round-robin",
    dyn PlacementPolicy;
    round_robin::RoundRobin,
    shortest_queue::ShortestQueue,
    static_striping::StaticStriping,
}
