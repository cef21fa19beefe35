//! The submission queues: which command the drive fetches next.

use crate::requests::filled::Filled;
use host::link::{LinkShape, QueueClass, QueueOrder};
use std::collections::VecDeque;

/// Round-robin state of the submission queues of one priority class: which queue is served next, and how many more
/// commands are fetched from that queue before the next one (burst).
#[derive(Clone, Debug)]
struct Turn {
    queues: Vec<usize>,
    /// Set of the positions of the class's submission queues that contain commands.
    filled: Filled,
    next: usize,
    /// Number of commands that the drive may still fetch from the current submission queue in this burst.
    left: u32,
    burst: u32,
}

impl Turn {
    fn new(queues: Vec<usize>, burst: u32) -> Self {
        Self { filled: Filled::new(queues.len()), queues, next: 0, left: burst, burst }
    }

    /// Fetches the next command from the submission queues of the class, in round-robin order, and returns its
    /// request's id; `None` if all are empty.
    #[inline]
    fn fetch(&mut self, waiting: &mut [VecDeque<u32>]) -> Option<u32> {
        let at = self.filled.first(self.next)?;
        let queue = &mut waiting[self.queues[at]];
        let request = queue.pop_front();
        if queue.is_empty() {
            self.filled.remove(at);
        }
        self.note_fetched(at);
        request
    }

    /// Records that a command was fetched from the queue at position `at` of the class, and advances to the next queue
    /// after a full burst.
    #[inline]
    fn note_fetched(&mut self, at: usize) {
        if at != self.next {
            (self.next, self.left) = (at, self.burst);
        }
        self.left -= 1;
        if self.left == 0 {
            self.next = if at + 1 == self.queues.len() { 0 } else { at + 1 };
            self.left = self.burst;
        }
    }
}

/// State of the submission queues: commands that the host has submitted and the drive has not fetched yet, and the
/// order in which the drive fetches them.
pub(crate) struct Queues {
    waiting: Vec<VecDeque<u32>>,
    /// Field of the submission queues' state: id and tag of the only submitted command, which skips the queues because
    /// most commands are fetched immediately; none where several wait, and with weighted arbitration.
    alone: Option<(u32, u16)>,
    depth: u32,
    count: u32,
    /// List of round-robin states: one for all queues, or one for each priority class (urgent, high, medium, low).
    turns: Vec<Turn>,
    /// List, by submission queue, of two indices: of the queue's round-robin state, and of the queue's position in that
    /// state.
    places: Vec<(usize, usize)>,
    weights: [u32; 3],
    /// Number of commands that the drive may still fetch from each of the classes high, medium and low in this round of
    /// weighted arbitration.
    credits: [u32; 3],
}

impl Queues {
    pub fn new(shape: &LinkShape) -> Self {
        let all = 0..shape.queues as usize;
        let (turns, weights) = match &shape.order {
            QueueOrder::Single => (vec![Turn::new(vec![0], 1)], [0; 3]),
            QueueOrder::RoundRobin { burst } => (vec![Turn::new(all.collect(), *burst)], [0; 3]),
            QueueOrder::Weighted { burst, classes, weights } => {
                let of = |class: QueueClass| all.clone().filter(|&queue| classes[queue] == class).collect();
                let order = [QueueClass::Urgent, QueueClass::High, QueueClass::Medium, QueueClass::Low];
                (order.map(|class| Turn::new(of(class), *burst)).to_vec(), *weights)
            }
        };
        let mut places = vec![(0, 0); shape.queues as usize];
        for (turn, of) in turns.iter().enumerate() {
            of.queues.iter().enumerate().for_each(|(at, &queue)| places[queue] = (turn, at));
        }
        Self {
            places,
            waiting: (0..shape.queues).map(|_| VecDeque::new()).collect(),
            alone: None,
            depth: shape.queue_depth,
            count: 0,
            turns,
            weights,
            credits: weights,
        }
    }

    /// Returns true while a submission queue has a free entry for a command.
    #[inline]
    pub fn has_place(&self) -> bool {
        self.count < self.waiting.len() as u32 * self.depth
    }

    /// Puts a request into the submission queue that belongs to its tag, or into the next queue with a free entry.
    #[inline]
    pub fn submit(&mut self, request: u32, tag: u16) {
        self.count += 1;
        if self.count == 1 && self.turns.len() == 1 {
            self.alone = Some((request, tag));
        } else {
            self.enqueue(request, tag);
        }
    }

    fn enqueue(&mut self, request: u32, tag: u16) {
        if let Some((request, tag)) = self.alone.take() {
            self.enqueue(request, tag);
        }
        let mut queue = self.preferred(tag);
        while self.waiting[queue].len() as u32 >= self.depth {
            queue = (queue + 1) % self.waiting.len();
        }
        self.waiting[queue].push_back(request);
        let (turn, at) = self.places[queue];
        self.turns[turn].filled.insert(at);
    }

    #[inline]
    fn preferred(&self, tag: u16) -> usize {
        if self.waiting.len() == 1 { 0 } else { usize::from(tag) % self.waiting.len() }
    }

    /// Fetches the next request in the order of the link's arbitration; `None` if all submission queues are empty.
    #[inline]
    pub fn fetch(&mut self) -> Option<u32> {
        if self.count == 0 { None } else { self.fetch_one() }
    }

    #[inline(never)]
    fn fetch_one(&mut self) -> Option<u32> {
        self.count -= 1;
        if let Some((request, tag)) = self.alone.take() {
            let (turn, at) = self.places[self.preferred(tag)];
            self.turns[turn].note_fetched(at);
            return Some(request);
        }
        match self.turns.as_mut_slice() {
            [all] => all.fetch(&mut self.waiting),
            _ => self.fetch_weighted(),
        }
    }

    /// Fetches the next command by weighted arbitration: urgent queues first, then as many commands of each class in a
    /// round as its weight says.
    fn fetch_weighted(&mut self) -> Option<u32> {
        if let Some(request) = self.turns[0].fetch(&mut self.waiting) {
            return Some(request);
        }
        for _round in 0..2 {
            for class in 0..3 {
                if self.credits[class] == 0 {
                    continue;
                }
                if let Some(request) = self.turns[class + 1].fetch(&mut self.waiting) {
                    self.credits[class] -= 1;
                    return Some(request);
                }
            }
            self.credits = self.weights;
        }
        unreachable!("a command is counted that no queue holds")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::RandomStream;

    fn shape(order: QueueOrder) -> LinkShape {
        LinkShape {
            full_duplex: true,
            queues: 4,
            queue_depth: 1000,
            order,
            commands_most: 1,
            commands_usual: 1,
        }
    }

    /// Returns, for a test, the index of the queue from which each of the next `count` commands is fetched when all
    /// queues are full.
    fn drawn(order: QueueOrder, count: usize) -> Vec<u32> {
        let mut queues = Queues::new(&shape(order));
        for request in 0..4000 {
            queues.submit(request, (request % 4) as u16);
        }
        (0..count).map(|_| queues.fetch().unwrap() % 4).collect()
    }

    #[test]
    fn round_robin_gives_each_queue_its_burst() {
        assert_eq!(drawn(QueueOrder::RoundRobin { burst: 1 }, 5), [0, 1, 2, 3, 0]);
        assert_eq!(drawn(QueueOrder::RoundRobin { burst: 2 }, 5), [0, 0, 1, 1, 2]);
    }

    #[test]
    fn weights_divide_what_the_urgent_queues_leave() {
        let order = |first| QueueOrder::Weighted {
            burst: 1,
            classes: vec![first, QueueClass::High, QueueClass::Low, QueueClass::High],
            weights: [6, 3, 2],
        };
        assert_eq!(drawn(order(QueueClass::Urgent), 1000), [0; 1000], "urgent queues come before all others");
        let fetched = drawn(order(QueueClass::Low), 800);
        let of = |queue| fetched.iter().filter(|&&drawn| drawn == queue).count();
        // Six of the class high for two of the class low; in each class the queues take turns.
        assert_eq!([of(0), of(1), of(2), of(3)], [100, 300, 100, 300]);
    }

    /// Test: checks that a command which is fetched before the next one is submitted, and so skips the queues, advances
    /// the round-robin order as if it had been queued.
    #[test]
    fn a_command_alone_takes_the_turn_that_it_would_have_taken_in_its_queue() {
        let mut random = RandomStream::new(5, "queues");
        for (burst, count) in [(1, 4), (2, 4), (3, 7), (1, 1)] {
            let shape = LinkShape { queues: count, ..shape(QueueOrder::RoundRobin { burst }) };
            let (mut queues, mut plain) = (Queues::new(&shape), Queues::new(&shape));
            for request in 0..5_000 {
                let tag = random.below(9) as u16;
                queues.submit(request, tag);
                plain.count += 1;
                plain.enqueue(request, tag);
                while random.chance(0.6) && queues.count > 0 {
                    assert_eq!(queues.fetch(), plain.fetch());
                }
            }
        }
    }

    #[test]
    fn a_class_that_has_nothing_leaves_its_share_to_the_others() {
        let order = QueueOrder::Weighted {
            burst: 1,
            classes: vec![QueueClass::High, QueueClass::Medium, QueueClass::Low, QueueClass::Low],
            weights: [200, 1, 1],
        };
        let mut queues = Queues::new(&shape(order));
        for request in 0..50 {
            queues.submit(request, 3);
        }
        assert_eq!((0..50).map(|_| queues.fetch().unwrap()).collect::<Vec<_>>(), (0..50).collect::<Vec<_>>());
        assert_eq!(queues.fetch(), None);
    }
}
