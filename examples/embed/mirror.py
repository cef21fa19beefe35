"""A mirror of two drives below a host with one processor: an event loop that steps both."""

import floatgate as fg

REQUESTS, THREADS = 4000, 16
CPU_NS = 3000  # of the host's processor for each request
LENGTH, SPAN = 8192, 1 << 30  # bytes
READS = 70  # percent


class Mirror:
    """Reads go to the drive with fewer requests, writes to both; each thread waits for its answer."""

    def __init__(self) -> None:
        self.drives = [fg.Drive("small-tlc", seed=seed, precondition="fill") for seed in (1, 2)]
        self.cpu_free, self.state = 0, 88172645463325252
        self.asked: dict[int, tuple[int, list[int]]] = {}  # by number: when, and what each drive answers
        self.owner: list[dict[int, int]] = [{}, {}]  # of each drive: a request's number by the id
        self.latencies: list[int] = []
        self.reads = [0, 0]

    def random(self) -> int:
        """Draw a number, as mirror.c does."""
        self.state ^= self.state << 13 & (1 << 64) - 1
        self.state ^= self.state >> 7
        self.state ^= self.state << 17 & (1 << 64) - 1
        return self.state

    def ask(self, now: int) -> None:
        """A thread asks for something: the processor works on it, then the drives."""
        number = len(self.asked)
        self.cpu_free = max(self.cpu_free, now) + CPU_NS
        offset = self.random() % (SPAN // LENGTH) * LENGTH
        if self.random() % 100 < READS:
            chosen, op = [int(self.drives[1].outstanding < self.drives[0].outstanding)], "read"
            self.reads[chosen[0]] += 1
        else:
            chosen, op = [0, 1], "write"
        self.asked[number] = (now, chosen)
        for one in chosen:
            self.owner[one][self.drives[one].submit(self.cpu_free, op, offset, LENGTH)] = number

    def run(self) -> None:
        """Let every event of both drives happen in its order."""
        for _ in range(THREADS):
            self.ask(0)
        while len(self.latencies) < REQUESTS:
            now = min(drive.next_event_ns or 0 for drive in self.drives)
            for one, drive in enumerate(self.drives):
                drive.run_until(now)
                for found in drive.completions():
                    asked, waited = self.asked[self.owner[one].pop(found.id)]
                    waited.remove(one)
                    if not waited:
                        self.latencies.append(now - asked)
                        self.ask(now)
        counted = sorted(self.latencies[:REQUESTS])
        rate, mean, last = REQUESTS * 10**9 // now, sum(counted) // REQUESTS, counted[REQUESTS * 99 // 100]
        print(f"requests {REQUESTS}, {rate} a second, reads {self.reads[0]} + {self.reads[1]}")  # noqa: T201
        print(f"latency mean {mean} ns, p99 {last} ns, now {now} ns")  # noqa: T201


Mirror().run()
