//! Which die does the next program unit of host data go to?

use engine::RandomStream;
use units::{DieId, Lpn};

/// Type of the read-only view of the dies for a placement policy that chooses a die for the next program unit.
pub struct PlacementView<'a> {
    /// Bit mask with one bit per die: set if the die can take a program unit now (it has space, and its queue is not
    /// full).
    pub eligible: &'a [u64],
    /// Number of dies in the drive. Dies are numbered channel first.
    pub dies: u32,
    /// For each die: number of program operations of host data that were assigned to it and have not ended.
    pub programs: &'a [u32],
    /// Field of the view: list of four counts of the drive, or of the reclaim group of the dies: channels, ways of a
    /// channel, dies of a way, and planes of a die that operate separately.
    pub shape: [u32; 4],
    /// Number of the first logical unit of the program unit that a die is chosen for.
    pub lpn: Lpn,
    /// Number of mapping units that one program operation writes.
    pub program_units: u32,
}

impl PlacementView<'_> {
    /// Returns true if `die` can take a program unit now (it has space, and its queue is not full).
    #[inline]
    pub fn is_eligible(&self, die: DieId) -> bool {
        self.eligible[die.index() / 64] >> (die.index() % 64) & 1 == 1
    }

    /// Returns the first die from `start` on that can take a program unit now, searching on from die 0 after the last;
    /// none if no die can.
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

/// Interface of the placement policies, which choose the die for the next program unit of host data.
pub trait PlacementPolicy: Send {
    /// Gives the policy a random stream of its own, which only a policy with random choices uses. Called before
    /// `attach`.
    fn take_random(&mut self, _random: RandomStream) {}

    /// Checks that the policy's parameters suit a drive of this shape: numbers of channels, ways, dies of a way, and
    /// planes that operate separately.
    ///
    /// # Errors
    /// When they do not: name of the parameter to blame, and text with the values that were expected.
    fn check_shape(&self, _shape: [u32; 4]) -> Result<(), (&'static str, String)> {
        Ok(())
    }

    /// Tells the policy the number of dies of the drive. Called before any other question of a drive.
    fn attach(&mut self, _dies: u32) {}

    /// Chooses a die that can take a program unit now. Returns `None` if the program unit is to wait, although some die
    /// could take it; the policy is asked again after the next event.
    fn choose(&mut self, view: &PlacementView<'_>) -> Option<DieId>;

    /// Returns the number of the die that the address of the logical unit `view.lpn` determines, also where the policy
    /// does not place data by address.
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
