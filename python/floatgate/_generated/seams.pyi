"""The policies by the seam they answer, for type checkers. Made by `floatgate.generate`."""

from collections.abc import Sequence
from typing import Literal, SupportsFloat, SupportsIndex, TypeAlias

from floatgate.commands import bus as _bus, ecc as _ecc
from floatgate.inputs.policies import Policy as _Policy
from floatgate.own import (
    arbitration as _arbitration,
    eviction as _eviction,
    flow as _flow,
    place as _place,
    placement as _placement,
    refresh_order as _refresh_order,
    regulator as _regulator,
    scheduler as _scheduler,
    slc_cache as _slc_cache,
    snapshot_expiry as _snapshot_expiry,
    streams as _streams,
    trigger as _trigger,
    victim as _victim,
    wear as _wear,
)

class bus:
    path: str
    explore = staticmethod(_bus.explore)
    waveform = staticmethod(_bus.waveform)
    class interface:
        path: str
        class Conv(_Policy):
            """asynchronous, one byte per cycle; shortest period max{(t_out + t_rea + t_in + t_s) / (1
            + alpha), t_byte}
            """
            def __init__(
                self,
                *,
                t_out: str = ...,
                t_rea: str = ...,
                t_in: str = ...,
                t_s: str = ...,
                t_h: str = ...,
                t_byte: str = ...,
                alpha: SupportsFloat = ...,
                clock: str = ...,
            ) -> None:
                """t_out: strobe from the controller's register to the chip (time (fs, ps, ns, us);
                default "7820ps")
                t_rea: data from the chip's latch to the controller's pad (time (fs, ps, ns, us);
                default "20ns")
                t_in: data from the controller's pad to its FIFO (time (fs, ps, ns, us); default
                "1650ps")
                t_s: set-up time of the FIFO (time (fs, ps, ns, us); default "250ps")
                t_h: hold time of the FIFO (time (fs, ps, ns, us); default "20ps")
                t_byte: transfer between page register and IO latch (time (fs, ps, ns, us); default
                "12ns")
                alpha: delay of the capture clock, in periods (equation 1) (number (periods), 0 to
                0.5; default 0.5)
                clock: clock; default: the fastest in whole MHz (frequency (Hz, kHz, MHz, GHz), more
                than 0Hz; default "50MHz")
                """

        class NvDdr(_Policy):
            """two bytes per tCK of the mode, commands and addresses one per tCAD, in whole clocks,
            tWB, tRR, tADL and tWHR charged
            """
            def __init__(self, *, mode: SupportsIndex) -> None:
                """mode: ONFI timing mode: 0 to 5 of SDR and NV-DDR, to 10 of NV-DDR2, to 19 of NV-DDR3
                and NV-LPDDR4 (whole number; required)
                """

        class NvDdr2(_Policy):
            """two bytes per tDSC of the mode, commands and addresses at 25 ns, tWB, tRR, tADL and tWHR
            charged
            """
            def __init__(self, *, mode: SupportsIndex) -> None:
                """mode: ONFI timing mode: 0 to 5 of SDR and NV-DDR, to 10 of NV-DDR2, to 19 of NV-DDR3
                and NV-LPDDR4 (whole number; required)
                """

        class NvDdr3(_Policy):
            """NV-DDR2 at 1.2 V: two bytes per tDSC of the mode, commands and addresses at 25 ns"""
            def __init__(self, *, mode: SupportsIndex) -> None:
                """mode: ONFI timing mode: 0 to 5 of SDR and NV-DDR, to 10 of NV-DDR2, to 19 of NV-DDR3
                and NV-LPDDR4 (whole number; required)
                """

        class NvLpddr4(_Policy):
            """two bytes per tDSC of the mode, commands and addresses at 25 ns"""
            def __init__(self, *, mode: SupportsIndex) -> None:
                """mode: ONFI timing mode: 0 to 5 of SDR and NV-DDR, to 10 of NV-DDR2, to 19 of NV-DDR3
                and NV-LPDDR4 (whole number; required)
                """

        class Plain(_Policy):
            """data at `rate`, commands and addresses at one `cycle` each, no waits between them"""
            def __init__(self, *, cycle: str = ..., rate: str) -> None:
                """cycle: length of a command or address cycle (time (fs, ps, ns, us); default "25ns")
                rate: transfer rate of a channel, eight wires wide (rate (B/s, kB/s, MB/s, GB/s,
                KiB/s, MiB/s, GiB/s, MT/s); required)
                """

        class Proposed(_Policy):
            """the chip's strobe travels with its data, two bytes per cycle; shortest period max{(t_s +
            t_h + t_diff) x 2, t_byte}, or max{(t_ios + t_ioh) x 2, t_byte} when those are given
            """
            def __init__(
                self,
                *,
                t_byte: str = ...,
                t_s: str = ...,
                t_h: str = ...,
                t_diff: str = ...,
                clock: str = ...,
                t_ios: str,
                t_ioh: str,
            ) -> None:
                """t_byte: transfer between page register and IO latch (time (fs, ps, ns, us); default
                "12ns")
                t_s: set-up time of the FIFO (time (fs, ps, ns, us); default "250ps")
                t_h: hold time of the FIFO (time (fs, ps, ns, us); default "20ps")
                t_diff: between strobe and data at the FIFO, from the board (time (fs, ps, ns, us);
                default "4690ps")
                clock: clock; default: the fastest in whole MHz (frequency (Hz, kHz, MHz, GHz), more
                than 0Hz; default "83MHz")
                t_ios: set-up time of data before the chip's strobe (time (fs, ps, ns, us);
                required)
                t_ioh: hold time of data after the chip's strobe (time (fs, ps, ns, us); required)
                """

        class Sdr(_Policy):
            """one byte per tRC out and per tWC in, commands and addresses per tWC, tWB, tRR, tADL and
            tWHR charged
            """
            def __init__(self, *, mode: SupportsIndex) -> None:
                """mode: ONFI timing mode: 0 to 5 of SDR and NV-DDR, to 10 of NV-DDR2, to 19 of NV-DDR3
                and NV-LPDDR4 (whole number; required)
                """

        class SyncOnly(_Policy):
            """the chip's strobe travels with its data, one byte per cycle; the clock is that of the
            proposed interface
            """
            def __init__(
                self,
                *,
                t_byte: str = ...,
                t_s: str = ...,
                t_h: str = ...,
                t_diff: str = ...,
                clock: str = ...,
                t_ios: str,
                t_ioh: str,
            ) -> None:
                """t_byte: transfer between page register and IO latch (time (fs, ps, ns, us); default
                "12ns")
                t_s: set-up time of the FIFO (time (fs, ps, ns, us); default "250ps")
                t_h: hold time of the FIFO (time (fs, ps, ns, us); default "20ps")
                t_diff: between strobe and data at the FIFO, from the board (time (fs, ps, ns, us);
                default "4690ps")
                clock: clock; default: the fastest in whole MHz (frequency (Hz, kHz, MHz, GHz), more
                than 0Hz; default "83MHz")
                t_ios: set-up time of data before the chip's strobe (time (fs, ps, ns, us);
                required)
                t_ioh: hold time of data after the chip's strobe (time (fs, ps, ns, us); required)
                """

class controller:
    path: str
    class arbitration:
        path: str
        Policy: TypeAlias = _arbitration.Policy
        View: TypeAlias = _arbitration.ChannelView
        class Fifo(_Policy):
            """the die that has waited longest; among equals commands first, then the lowest die"""
            def __init__(self) -> None: ...

        class ReadsFirst(_Policy):
            """commands, then data-out, then data-in; in turn within each"""
            def __init__(self) -> None: ...

        class RoundRobin(_Policy):
            """commands before data, since they are short and start an array; data in turn, die by die"""
            def __init__(self) -> None: ...

    class scheduler:
        path: str
        Policy: TypeAlias = _scheduler.Policy
        View: TypeAlias = _scheduler.DieView
        class Fcfs(_Policy):
            """the operation queued first, of any kind"""
            def __init__(
                self,
                *,
                suspend_program: bool = ...,
                suspend_erase: bool = ...,
                suspend_limit: SupportsIndex = ...,
                suspend_for_waiting: bool = ...,
            ) -> None:
                """suspend_program: a host read suspends a running program (switch; default false)
                suspend_erase: a host read suspends a running erase (switch; default false)
                suspend_limit: how often one operation may be suspended (whole number; default 8)
                suspend_for_waiting: a host read that waits when a program or erase begins suspends
                it, too (switch; default false)
                """

        class ReadPriority(_Policy):
            """host reads first, then garbage collection if the die is short of space, then the oldest
            operation; an operation queued earlier that has waited longer than max_wait goes first
            """
            def __init__(
                self,
                *,
                max_wait: str = ...,
                suspend_program: bool = ...,
                suspend_erase: bool = ...,
                suspend_limit: SupportsIndex = ...,
                suspend_for_waiting: bool = ...,
            ) -> None:
                """max_wait: an operation that waited longer passes the reads (time (ns, us, ms, s,
                min, h, d); default "20ms")
                suspend_program: a host read suspends a running program (switch; default false)
                suspend_erase: a host read suspends a running erase (switch; default false)
                suspend_limit: how often one operation may be suspended (whole number; default 8)
                suspend_for_waiting: a host read that waits when a program or erase begins suspends
                it, too (switch; default false)
                """

        class Strict(_Policy):
            """the first waiting class in `order`; within a class the oldest operation"""
            def __init__(
                self,
                *,
                order: str | Sequence[str] = ...,
                suspend_program: bool = ...,
                suspend_erase: bool = ...,
                suspend_limit: SupportsIndex = ...,
                suspend_for_waiting: bool = ...,
            ) -> None:
                """order: classes of operations, the one that goes first at the front (one text or a
                list of texts; default ["host-read", "internal-read", "host-program", "internal-
                program", "erase"])
                suspend_program: a host read suspends a running program (switch; default false)
                suspend_erase: a host read suspends a running erase (switch; default false)
                suspend_limit: how often one operation may be suspended (whole number; default 8)
                suspend_for_waiting: a host read that waits when a program or erase begins suspends
                it, too (switch; default false)
                """

class ecc:
    path: str
    codes = staticmethod(_ecc.codes)
    measure = staticmethod(_ecc.measure)
    class code:
        path: str
        class Bch(_Policy):
            """corrects `t` errors in each codeword of `data` bytes plus the parity of a primitive BCH
            code, and how often more occur is the binomial tail, in closed form: no word is decoded;
            a failed read is repeated with other references, up to `retries` times, each of which
            removes the share `retry_gain` of the raw errors; with `retry_step`, on a chip whose
            tables know its best references, retries read with references so far apart until those
            are reached
            """
            def __init__(
                self,
                *,
                data: str = ...,
                t: SupportsIndex = ...,
                uber: SupportsFloat = ...,
                retries: SupportsIndex = ...,
                retry_gain: SupportsFloat = ...,
                retry_step: str = ...,
                retry_pipelined: bool = ...,
            ) -> None:
                """data: data bytes of a codeword (size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), 64B to
                64KiB; default "1KiB")
                t: errors corrected in a codeword (whole number, at least 1; default 40)
                uber: acceptable uncorrectable codewords per bit read (number (per bit), more than 0
                and less than 0.001; default 0.000000000000001)
                retries: reads with other references after all other attempts failed (whole number,
                at most 64; default 4)
                retry_gain: share of the raw errors that each of those removes (number (ratio), at
                least 0 and less than 1; default 0.2)
                retry_step: how far apart the references of a retry table lie; default none: retries
                follow `retry_gain` (voltage (uV, mV, V); default none)
                retry_pipelined: each attempt is sensed while the one before it crosses the channel
                and is decoded (switch; default false)
                """

        class Ldpc(_Policy):
            """reads fail, and take iterations, as often as words of a code that was decoded and
            counted did (`table`), with 2^k - 1 comparisons at each boundary between states for k
            soft bits; or, with `limits`, the k-th of them is the raw bit error rate that is
            corrected, and errors beyond it fail as if a fixed number of a codeword's bits could be;
            the first attempt uses as many comparisons as the page's cost and wear require; if
            decoding fails, each further attempt uses the next, then repeats the last with other
            references up to `retries` times, each of which removes the share `retry_gain` of the
            raw errors; with `retry_step`, on a chip whose tables know its best references, up to
            `retries` reads with references so far apart come first, and soft reads with the last of
            them
            """
            def __init__(
                self,
                *,
                limits: SupportsFloat | Sequence[SupportsFloat] = ...,
                table: Literal["nand-4k-889", "nand-4k-928"] = ...,
                decode: Literal["tables", "words"] = ...,
                uber: SupportsFloat = ...,
                retries: SupportsIndex = ...,
                retry_gain: SupportsFloat = ...,
                retry_step: str = ...,
                retry_pipelined: bool = ...,
                data: str = ...,
                rate: SupportsFloat = ...,
            ) -> None:
                """limits: raw bit error rates corrected with 1, 3, 7, ... comparisons at each
                boundary, instead of a table (one number or a list of numbers (ratio); default none)
                table: failures and iterations of a code that was decoded and counted, by the name
                of a table that comes along (one of nand-4k-889, nand-4k-928; default "nand-4k-889")
                decode: where what a read comes to is taken from: `words` decodes every word that is
                read, in small runs (one of tables, words; default "tables")
                uber: acceptable uncorrectable codewords per bit read (number (per bit), more than 0
                and less than 0.001; default 0.000000000000001)
                retries: reads with other references after all other attempts failed (whole number,
                at most 64; default 4)
                retry_gain: share of the raw errors that each of those removes (number (ratio), at
                least 0 and less than 1; default 0.2)
                retry_step: how far apart the references of a retry table lie; default none: retries
                follow `retry_gain` (voltage (uV, mV, V); default none)
                retry_pipelined: each attempt is sensed while the one before it crosses the channel
                and is decoded (switch; default false)
                data: data bytes of a codeword (size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), 64B to
                64KiB; default "4KiB")
                rate: data bits over all bits of a codeword (number (ratio), more than 0.1 and less
                than 1; default 0.8888888888888888)
                """

        class None_(_Policy):
            """no errors: every read takes the chip's t_r, one transfer and ecc.t_decode"""
            def __init__(self) -> None: ...

    class flow:
        path: str
        Policy: TypeAlias = _flow.Policy
        View: TypeAlias = _flow.FlowView
        class HardRetrySoft(_Policy):
            """the first attempt is at the usual references, with the soft bits that the page's cost
            and wear require; then step by step of the retry table to the best references or its
            end, then there with one soft bit more each time; on a drive without `retry_step` one
            soft bit more each time first, then `retries` with the most; then it gives up
            """
            def __init__(self) -> None: ...

        class LastGoodStep(_Policy):
            """as `hard-retry-soft`, but the first attempt is at the step of the retry table at which a
            read of the superblock came right last, where that is noted and lies before the best
            references
            """
            def __init__(self) -> None: ...

        class SoftByEstimate(_Policy):
            """as `hard-retry-soft`, but an attempt whose estimated error rate is above `margin` times
            that at which every other such read fails is not decoded; and as soon as the estimate is
            at most `margin` times the rate at which every other read with more soft bits fails, the
            page is read with the fewest such, with the same references
            """
            def __init__(self, *, margin: SupportsFloat = ...) -> None:
                """margin: up to which part of the error rate at which every other read fails one is
                tried (number (ratio), more than 0 and at most 10; default 1)
                """

class ftl:
    path: str
    class buffer:
        path: str
        class eviction:
            path: str
            Policy: TypeAlias = _eviction.Policy
            View: TypeAlias = _eviction.EvictionView
            class BlockBuffer(_Policy):
                """the units of the `blocks` most recently opened logical blocks stay; opening another
                block evicts the one opened first, in ascending order
                """
                def __init__(self, *, blocks: SupportsIndex = ..., block_units: SupportsIndex = ...) -> None:
                    """blocks: logical blocks buffered (whole number, at least 1; default 1)
                    block_units: mapping units of a logical block; 0: of a block of the map, 64
                    where it has none (whole number; default 0)
                    """

            class Bplru(_Policy):
                """all units of the least recently used logical block, in ascending order; a block
                written exactly once, sequentially and to its end, counts as least recently used;
                with block mapping, the block is completed with data from the flash, so that it
                replaces its data block
                """
                def __init__(self, *, block_units: SupportsIndex = ..., padding: bool = ...) -> None:
                    """block_units: mapping units of a logical block; 0: of a block of the map, 64
                    where it has none (whole number; default 0)
                    padding: with block mapping, evicted blocks are completed from the flash (page
                    padding) (switch; default true)
                    """

            class Cflru(_Policy):
                """the least recently used clean unit among the `window_ratio` least recently used kept
                units; if none is clean, the least recently used unit
                """
                def __init__(self, *, window_ratio: SupportsFloat = ...) -> None:
                    """window_ratio: clean-first region, as a part of the kept units (number (ratio), 0
                    to 1; default 0.25)
                    """

            class Fifo(_Policy):
                """the oldest unit"""
                def __init__(self) -> None: ...

            class Lru(_Policy):
                """the least recently used unit, written or clean"""
                def __init__(self) -> None: ...

    class gc:
        path: str
        class trigger:
            path: str
            Policy: TypeAlias = _trigger.Policy
            View: TypeAlias = _trigger.TriggerView
            class Watermark(_Policy):
                """collect while at most `low` superblocks are free; on an idle die also while fewer
                than `high` are free and the victim frees at least the share `least_gain` of its
                units
                """
                def __init__(
                    self,
                    *,
                    low: SupportsIndex = ...,
                    high: SupportsIndex = ...,
                    least_gain: SupportsFloat = ...,
                    background: bool = ...,
                    idle_after: str = ...,
                ) -> None:
                    """low: free superblocks of a die at or below which foreground GC works (whole
                    number, 1 to 1024; default 2)
                    high: free superblocks of a die at which background GC stops (whole number;
                    default 4)
                    least_gain: part of a victim that must be invalid for background GC: for each
                    unit gained it moves at most 1 / least_gain - 1 (number (ratio), at least 0 and
                    less than 1; default 0.1)
                    background: idle dies collect (switch; default true)
                    idle_after: how long a die must have been idle before (time (ns, us, ms, s, min,
                    h, d); default "1ms")
                    """

        class victim:
            path: str
            Policy: TypeAlias = _victim.Policy
            View: TypeAlias = _victim.VictimView
            class CostBenefit(_Policy):
                """the greatest age * (1 - u) / 2u, or / (1 + u) with formula = "lfs"; u: valid
                fraction, age: units written to the die since it was closed; among equals fewest
                valid, then oldest
                """
                def __init__(self, *, formula: Literal["kawaguchi", "lfs"] = ...) -> None:
                    """formula: cost of cleaning: 2u (kawaguchi) or 1 + u (lfs), u being the valid
                    fraction (one of kawaguchi, lfs; default "kawaguchi")
                    """

            class DChoices(_Policy):
                """the one with the fewest valid units of `d` candidates drawn uniformly with
                replacement; among equals the one drawn first
                """
                def __init__(self, *, d: SupportsIndex = ...) -> None:
                    """d: candidates drawn for each choice (whole number, at least 1; default 10)"""

            class Fifo(_Policy):
                """the superblock closed first, even when all its units are valid"""
                def __init__(self) -> None: ...

            class Greedy(_Policy):
                """the candidate with the fewest valid units; among equals the one that reached that
                count first
                """
                def __init__(self) -> None: ...

            class Random(_Policy):
                """any candidate, each with the same probability"""
                def __init__(self) -> None: ...

            class TwoRegionFifo(_Policy):
                """a scan over the candidates in the order they were closed, from where it stopped,
                takes the next of which less than `most_valid` percent is valid (at first
                `first_most_valid`); past `scanned` percent of the candidates it begins again with
                the oldest and takes those with `step` percent more, until its victims have given a
                superblock's worth of units back
                """
                def __init__(
                    self,
                    *,
                    most_valid: SupportsIndex = ...,
                    first_most_valid: SupportsIndex = ...,
                    step: SupportsIndex = ...,
                    scanned: SupportsIndex = ...,
                ) -> None:
                    """most_valid: part of a victim below which its valid units must be (whole number
                    (%), 1 to 100; default 70)
                    first_most_valid: the same for the first victims (whole number (%), 1 to 100;
                    default 50)
                    step: by how much that grows with each further scan (whole number (%), 1 to 100;
                    default 5)
                    scanned: part of the candidates that one scan goes over (whole number (%), 1 to
                    100; default 70)
                    """

            class TwoRegionGreedy(_Policy):
                """superblocks of streams from number `cold_from` on are the cold region, others the
                normal one; as many victims are chosen at once as give a superblock's worth of units
                back, those of one region with the fewest valid units, among equals the one that
                reached that count first, and the fullest of them is taken first, the emptiest last;
                if one region alone holds a superblock's worth of invalid units, it is that region,
                else the one whose first victim has fewer valid units, the cold one if both have as
                many; where the region holds less than a superblock's worth, one victim is chosen
                """
                def __init__(self, *, cold_from: SupportsIndex = ...) -> None:
                    """cold_from: the first stream of the cold region, by number; ftl.streams.name =
                    separate moves data into stream 1 (whole number, at least 1; default 1)
                    """

            class WindowedGreedy(_Policy):
                """fewest valid units among the `window` superblocks closed first; among equals the one
                closed first
                """
                def __init__(self, *, window: SupportsIndex = ...) -> None:
                    """window: oldest closed superblocks of the die that are considered (whole number,
                    at least 1; default 64)
                    """

    class mapping:
        path: str
        class Bast(_Policy):
            """a few log blocks, each of which takes the writes of one group in order of arrival; when
            it is full, or another group needs one, it becomes the data block if it was written in
            order (switch merge, or partial merge after copying the rest), otherwise both are copied
            into a new block (full merge)
            """
            def __init__(
                self, *, dies_per_block: SupportsIndex = ..., log_blocks: SupportsIndex = ...
            ) -> None:
                """dies_per_block: dies that one block spans, neighbours first on all channels (whole
                number; default 1)
                log_blocks: log blocks of each set of such dies (whole number, at least 1; default
                8)
                """

        class Birrell(_Policy):
            """one map entry per mapping unit, in volatile RAM; the last program unit of a superblock
            is a summary of the others; the map is written to flash every `checkpoint_every`
            superblocks; at power-up it is rebuilt from the last checkpoint, the later summaries and
            the spare areas of open superblocks
            """
            def __init__(self, *, checkpoint_every: SupportsIndex = ...) -> None:
                """checkpoint_every: superblocks closed between two checkpoints of the map (whole
                number, at least 1; default 256)
                """

        class Block(_Policy):
            """each group of units has one block, and each unit a fixed position in it; a write goes to
            its position in a new block, after the units before it have been copied there, and the
            rest is copied when another group is written: a random write copies a whole block, a
            sequential one nothing
            """
            def __init__(
                self, *, dies_per_block: SupportsIndex = ..., open_blocks: SupportsIndex = ...
            ) -> None:
                """dies_per_block: dies that one block spans, neighbours first on all channels (whole
                number; default 1)
                open_blocks: blocks that can be written at a time, by each set of such dies (whole
                number, at least 1; default 1)
                """

        class Dftl(_Policy):
            """the page map is stored on flash in translation units; a cache holds the most recently
            used entries (LRU); a miss reads a translation unit, and evicting a changed entry reads
            and writes one, with all changed entries of that unit
            """
            def __init__(
                self,
                *,
                cache: str = ...,
                entry: str = ...,
                cached_entry: str = ...,
                stored: bool = ...,
                in_flight: SupportsIndex = ...,
            ) -> None:
                """cache: RAM for cached entries (size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), at
                least 512B; default "64KiB")
                entry: an entry of the map on flash (size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB),
                1B to 512B; default "4B")
                cached_entry: an entry in the cache (size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB),
                1B to 512B; default "8B")
                stored: the whole map is on flash at the start (switch; default false)
                in_flight: translation units read or changed at a time (whole number, 1 to 65536;
                default 16)
                """

        class Fast(_Policy):
            """log blocks shared by all groups take writes in order of arrival; the oldest is reclaimed
            by merging every group that has data in it; a write to the first unit of a group opens
            the one sequential log block, which becomes the data block by a switch or partial merge
            """
            def __init__(
                self, *, dies_per_block: SupportsIndex = ..., log_blocks: SupportsIndex = ...
            ) -> None:
                """dies_per_block: dies that one block spans, neighbours first on all channels (whole
                number; default 1)
                log_blocks: log blocks of each set of such dies, the sequential one included (whole
                number, at least 2; default 8)
                """

        class Page(_Policy):
            """one map entry per mapping unit, all in RAM: a write can go to any free location, and
            garbage collection reclaims invalid units
            """
            def __init__(self) -> None: ...

        class Replacement(_Policy):
            """a group's primary block is written once, in order; later writes go to replacement blocks
            of the group, in order of arrival, up to `chain` of them while the drive has free
            blocks; then the chain is merged into a new primary block
            """
            def __init__(self, *, dies_per_block: SupportsIndex = ..., chain: SupportsIndex = ...) -> None:
                """dies_per_block: dies that one block spans, neighbours first on all channels (whole
                number; default 1)
                chain: replacement blocks that a group may have (whole number, at least 1; default
                1)
                """

        class ZonedAll(_Policy):
            """the drive is zones; each takes superblocks of all dies when it is first written, and
            program units go from die to die; a finish writes all that is missing
            """
            def __init__(
                self,
                *,
                zone_size: str = ...,
                zone_capacity: str = ...,
                max_open: SupportsIndex = ...,
                max_active: SupportsIndex = ...,
                reads_unwritten: bool = ...,
                t_write: str = ...,
                t_append: str = ...,
                t_manage: str = ...,
                t_reset: str = ...,
                t_reset_unit: str = ...,
            ) -> None:
                """zone_size: from the start of a zone to that of the next; else its capacity (size (B,
                kB, MB, GB, TB, KiB, MiB, GiB, TiB); default none)
                zone_capacity: bytes of a zone that can be written; else what one superblock of each
                of its dies holds (size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB); default none)
                max_open: zones that can be open at once, over all namespaces (whole number, at
                least 1; default 14)
                max_active: zones that can be active, open or closed with data, at once, over all
                namespaces (whole number, at least 1; default 14)
                reads_unwritten: reads of blocks that were never written give zeros; else an error
                (switch; default true)
                t_write: time of the firmware for a write, one after the other over all zones (time
                (ns, us, ms, s, min, h, d); default "0ns")
                t_append: the same for an append (time (ns, us, ms, s, min, h, d); default "0ns")
                t_manage: time of the firmware to open, close or finish a zone (time (ns, us, ms, s,
                min, h, d); default "0ns")
                t_reset: time of the firmware to reset a zone (time (ns, us, ms, s, min, h, d);
                default "0ns")
                t_reset_unit: and for each mapping unit of it that the host wrote (time (ns, us, ms,
                s, min, h, d); default "0ns")
                """

        class ZonedOnWrite(_Policy):
            """a zone takes superblocks of `dies` neighbouring dies when its pointer reaches them: of
            the group on which the fewest zones are being written, then of the one with most free; a
            finish writes what is missing of the last of them alone
            """
            def __init__(
                self,
                *,
                dies: SupportsIndex = ...,
                zone_size: str = ...,
                zone_capacity: str = ...,
                max_open: SupportsIndex = ...,
                max_active: SupportsIndex = ...,
                reads_unwritten: bool = ...,
                t_write: str = ...,
                t_append: str = ...,
                t_manage: str = ...,
                t_reset: str = ...,
                t_reset_unit: str = ...,
            ) -> None:
                """dies: neighbouring dies over which a part of a zone lies (whole number, at least 1;
                default 1)
                zone_size: from the start of a zone to that of the next; else its capacity (size (B,
                kB, MB, GB, TB, KiB, MiB, GiB, TiB); default none)
                zone_capacity: bytes of a zone that can be written; else what one superblock of each
                of its dies holds (size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB); default none)
                max_open: zones that can be open at once, over all namespaces (whole number, at
                least 1; default 14)
                max_active: zones that can be active, open or closed with data, at once, over all
                namespaces (whole number, at least 1; default 14)
                reads_unwritten: reads of blocks that were never written give zeros; else an error
                (switch; default true)
                t_write: time of the firmware for a write, one after the other over all zones (time
                (ns, us, ms, s, min, h, d); default "0ns")
                t_append: the same for an append (time (ns, us, ms, s, min, h, d); default "0ns")
                t_manage: time of the firmware to open, close or finish a zone (time (ns, us, ms, s,
                min, h, d); default "0ns")
                t_reset: time of the firmware to reset a zone (time (ns, us, ms, s, min, h, d);
                default "0ns")
                t_reset_unit: and for each mapping unit of it that the host wrote (time (ns, us, ms,
                s, min, h, d); default "0ns")
                """

        class ZonedWidth(_Policy):
            """as zoned-all, over `dies` neighbouring dies: zones go to the groups of so many in turn,
            by their number
            """
            def __init__(
                self,
                *,
                dies: SupportsIndex = ...,
                zone_size: str = ...,
                zone_capacity: str = ...,
                max_open: SupportsIndex = ...,
                max_active: SupportsIndex = ...,
                reads_unwritten: bool = ...,
                t_write: str = ...,
                t_append: str = ...,
                t_manage: str = ...,
                t_reset: str = ...,
                t_reset_unit: str = ...,
            ) -> None:
                """dies: neighbouring dies over which a part of a zone lies (whole number, at least 1;
                default 1)
                zone_size: from the start of a zone to that of the next; else its capacity (size (B,
                kB, MB, GB, TB, KiB, MiB, GiB, TiB); default none)
                zone_capacity: bytes of a zone that can be written; else what one superblock of each
                of its dies holds (size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB); default none)
                max_open: zones that can be open at once, over all namespaces (whole number, at
                least 1; default 14)
                max_active: zones that can be active, open or closed with data, at once, over all
                namespaces (whole number, at least 1; default 14)
                reads_unwritten: reads of blocks that were never written give zeros; else an error
                (switch; default true)
                t_write: time of the firmware for a write, one after the other over all zones (time
                (ns, us, ms, s, min, h, d); default "0ns")
                t_append: the same for an append (time (ns, us, ms, s, min, h, d); default "0ns")
                t_manage: time of the firmware to open, close or finish a zone (time (ns, us, ms, s,
                min, h, d); default "0ns")
                t_reset: time of the firmware to reset a zone (time (ns, us, ms, s, min, h, d);
                default "0ns")
                t_reset_unit: and for each mapping unit of it that the host wrote (time (ns, us, ms,
                s, min, h, d); default "0ns")
                """

    class parity:
        path: str
        class None_(_Policy):
            """no parity across dies: data that the code of a page cannot correct is lost"""
            def __init__(self) -> None: ...

        class Rain(_Policy):
            """the superblocks with the same number on `stripe` + 1 neighbouring dies form a group; one
            of them, on a different die for each group, holds the parity of the others, program by
            program; a group is reclaimed as a whole; data that a page's code cannot correct is
            rebuilt from the same page of the other members
            """
            def __init__(self, *, stripe: SupportsIndex = ...) -> None:
                """stripe: data units that share a parity unit; absent: all dies but one (whole number,
                2 to 63; default none)
                """

    class placement:
        path: str
        Policy: TypeAlias = _placement.Policy
        View: TypeAlias = _placement.PlacementView
        class RoundRobin(_Policy):
            """the next die that can take a program now, in order, channels first"""
            def __init__(self) -> None: ...

        class ShortestQueue(_Policy):
            """of the dies that can take a program now, the one with the fewest queued programs; among
            equals the next in round-robin order
            """
            def __init__(self) -> None: ...

        class Static(_Policy):
            """the die is determined by lpn / program_units, counted over channels (C), ways (W), dies
            of a way (D) and independent planes (P), in this `order`; if that die cannot take a
            program now, the next one that can, because waiting for a die full of valid data could
            block the drive forever
            """
            def __init__(self, *, order: str = ..., planes: SupportsIndex = ...) -> None:
                """order: the letters C, W, D, P, the one that changes fastest with the address first
                (text; default "CWDP")
                planes: dies of a way that are planes of one die, as P counts them (whole number, at
                least 1; default 1)
                """

    class program_order:
        path: str
        class FastFirst(_Policy):
            """the host takes the open superblock whose next page programs faster, moved data the one
            whose next page programs slower; with equal times each stream takes its own
            """
            def __init__(self) -> None: ...

        class InOrder(_Policy):
            """each stream programs the next page of its own open superblock"""
            def __init__(self) -> None: ...

    class read_ahead:
        path: str
        class None_(_Policy):
            """only data requested by the host is read"""
            def __init__(self) -> None: ...

        class Sequential(_Policy):
            """a read that starts within `slack` of the expected address of one of the `streams`
            tracked belongs to it, the nearest first; any other read starts a stream that replaces
            the one not read for longest. After `trigger` reads without a gap, and while at least
            three quarters of the units it recently passed were read, a stream is fetched ahead by
            twice the distance it has read, at most `depth` and its share of half the DRAM, whenever
            less than half of that is left
            """
            def __init__(
                self,
                *,
                streams: SupportsIndex = ...,
                trigger: SupportsIndex = ...,
                size: str = ...,
                depth: str = ...,
                slack: str = ...,
            ) -> None:
                """streams: sequences of reads that are tracked (whole number, 1 to 1024; default 16)
                trigger: sequential reads before read-ahead starts (whole number, at least 2;
                default 4)
                size: DRAM for fetched data (size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB); default
                "4MiB")
                depth: how far ahead of its last read a stream is fetched (size (B, kB, MB, GB, TB,
                KiB, MiB, GiB, TiB); default "1MiB")
                slack: how far from its expected address a stream's next read may start: reads
                overtake each other (size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB); default "256KiB")
                """

    class read_merge:
        path: str
        class None_(_Policy):
            """the units of one request in a page row share one array read; each request has its own"""
            def __init__(self) -> None: ...

        class SamePage(_Policy):
            """a host read rides on the newest read of the same page row whose data-out has not begun,
            if fewer than `most` share it; if the array read has begun (`begun`), only if its pages
            are among those sensed. All complete with the data-out, in which each unit crosses the
            channel once
            """
            def __init__(self, *, most: SupportsIndex = ..., begun: bool = ...) -> None:
                """most: reads that share an array read at most, the first included (whole number, at
                least 2; default 64)
                begun: reads also share an array read that has begun (switch; default true)
                """

    class recovery:
        path: str
        class Checkpoint(_Policy):
            """the map is written to flash so often that this takes `write_budget` of all that is
            programmed, and superblocks end with summaries: the directory of the last whole
            checkpoint is read, the summaries of superblocks closed since it began, and the spare
            area of every programmed page of those not full; the map itself is read when the drive
            is ready
            """
            def __init__(self, *, write_budget: SupportsFloat = ...) -> None:
                """write_budget: share of what is programmed that checkpoints of the map may take
                (number (ratio), 0.000001 to 1; default 0.01)
                """

        class Journal(_Policy):
            """each change of the map goes into a log, 8 B for each unit, of which a unit is programmed
            whenever it is full; the map is written to flash so often that this and the log take
            `write_budget` of all that is programmed: the directory of the last whole checkpoint is
            read, the log since it began, and the spare area of every programmed page that the log
            does not tell of; the map itself is read when the drive is ready
            """
            def __init__(self, *, write_budget: SupportsFloat = ...) -> None:
                """write_budget: share of what is programmed that checkpoints of the map and the log
                may take (number (ratio), 0.000001 to 1; default 0.01)
                """

        class Scan(_Policy):
            """the spare area of every programmed page is read; of each logical unit the copy with the
            newest write number counts
            """
            def __init__(self) -> None: ...

        class Summaries(_Policy):
            """a superblock ends with a summary, 8 B for each unit: of full superblocks only that is
            read, of others, and of those with one bit a cell, the spare area of every programmed
            page
            """
            def __init__(self) -> None: ...

    class refresh:
        path: str
        class order:
            path: str
            Policy: TypeAlias = _refresh_order.Policy
            View: TypeAlias = _refresh_order.RefreshView
            class FirstDue(_Policy):
                """the superblock that fell due first"""
                def __init__(self) -> None: ...

            class LeastValid(_Policy):
                """the superblock with the fewest valid units; among equals the one that fell due first"""
                def __init__(self) -> None: ...

            class MostWorn(_Policy):
                """the superblock with the most program/erase cycles; among equals the one that fell
                due first
                """
                def __init__(self) -> None: ...

    class regulator:
        path: str
        Policy: TypeAlias = _regulator.Policy
        View: TypeAlias = _regulator.WriteView
        ReadView: TypeAlias = _regulator.ReadView
        Steps: TypeAlias = _regulator.Steps
        WriteCost: TypeAlias = _regulator.WriteCost
        class Agcr(_Policy):
            """depends on the last `window` accesses to a unit, including the upcoming one: if all are
            writes, the write takes the coarse step; a write among reads the default one; the first
            access the fine one. A read preceded by reads alone has a unit written with the coarse
            step (with rewrite = "low-and-medium" also with the default one) rewritten with the fine
            step while its die is idle; moved data takes the fine step after reads alone, otherwise
            the step it had
            """
            def __init__(
                self, *, window: SupportsIndex = ..., rewrite: Literal["low", "low-and-medium", "none"] = ...
            ) -> None:
                """window: accesses considered, including the upcoming one (whole number, 1 to 6;
                default 2)
                rewrite: cost of the writes that are re-written once a unit turns out to be only
                read (one of low, low-and-medium, none; default "low")
                """

        class HcwLcr(_Policy):
            """every write takes the fine step"""
            def __init__(self) -> None: ...

        class LcwHcr(_Policy):
            """every write takes the coarse step"""
            def __init__(self) -> None: ...

        class LiQueue(_Policy):
            """the coarse step while at least `waiting` host operations are queued or in progress at
            the die; otherwise the fine step
            """
            def __init__(
                self, *, waiting: SupportsIndex = ..., before: Literal["high", "low", "medium"] = ...
            ) -> None:
                """waiting: operations of the host waiting that make a write cheap (whole number, at
                least 1; default 1)
                before: cost at which data from before the run was written; high: by a drive that
                was idle (one of high, low, medium; default "high")
                """

        class McwMcr(_Policy):
            """every write takes the chip's default step"""
            def __init__(self) -> None: ...

        class RetentionRelaxation(_Policy):
            """host writes use `step` and stay correctable for `retention`; data of these still valid
            after `refresh_period`, and all data moved by garbage collection and wear levelling,
            uses the default step and the full retention time
            """
            def __init__(self, *, step: str = ..., retention: str = ..., refresh_period: str = ...) -> None:
                """step: program step of the host's writes (voltage (uV, mV, V), more than 0uV; default
                "400mV")
                retention: retention time of the host's writes (time (ns, us, ms, s, min, h, d);
                default "1209600s")
                refresh_period: age at which remaining data is rewritten (time (ns, us, ms, s, min,
                h, d), more than 0ns; default "604800s")
                """

        class Tvr(_Policy):
            """data that the host overwrites within half of `horizon`, and with `new_data` also data it
            writes for the first time, is programmed with the chip's set of `voltages` and stays
            correctable for `horizon`; data still valid after half of that, and all moved data, uses
            the default voltages; for a chip without such a set, `speed` is the ratio of the program
            speeds
            """
            def __init__(
                self,
                *,
                voltages: str = ...,
                speed: SupportsFloat = ...,
                horizon: str = ...,
                new_data: bool = ...,
            ) -> None:
                """voltages: reduced set of voltages, as nand.tables.voltages names it (text; default
                none)
                speed: program speed with reduced voltages over the usual one, where the chip's file
                knows none (number (times faster), 1 to 4; default 1.5)
                horizon: how long reduced data stay correctable (time (ns, us, ms, s, min, h, d), at
                least 2ns; default "86400s")
                new_data: data written for the first time count as short-lived (switch; default
                false)
                """

        class WuSlack(_Policy):
            """the fine step if no host operation waits at the die and the next access, expected one
            mean gap after the last, comes after the write has ended; otherwise the default step
            """
            def __init__(self) -> None: ...

    class slc_cache:
        path: str
        Policy: TypeAlias = _slc_cache.Policy
        View: TypeAlias = _slc_cache.CacheView
        class Dynamic(_Policy):
            """the superblocks not needed for data, up to `most`, and never fewer than hold `least` in
            SLC mode; these are taken from over-provisioning
            """
            def __init__(
                self,
                *,
                least: str = ...,
                most: str = ...,
                when_full: Literal["bypass", "fold-first"] = ...,
                in_idle_time: bool = ...,
                idle_after: str = ...,
            ) -> None:
                """least: minimum size, however full the drive is (size (B, kB, MB, GB, TB, KiB, MiB,
                GiB, TiB); default "0B")
                most: maximum size, while the drive has free space (size (B, kB, MB, GB, TB, KiB,
                MiB, GiB, TiB); default none)
                when_full: does the host write past a full cache, or wait for folding (one of
                bypass, fold-first; default "bypass")
                in_idle_time: idle dies fold (switch; default true)
                idle_after: how long a die must have been idle before (time (ns, us, ms, s, min, h,
                d); default "100ms")
                """

        class None_(_Policy):
            """no cache: every cell is programmed with all its bits"""
            def __init__(self) -> None: ...

        class Static(_Policy):
            """as many superblocks as hold `size` in SLC mode, however full the drive is; they are
            taken from over-provisioning
            """
            def __init__(
                self,
                *,
                size: str = ...,
                when_full: Literal["bypass", "fold-first"] = ...,
                in_idle_time: bool = ...,
                idle_after: str = ...,
            ) -> None:
                """size: size, for the whole drive (size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), more
                than 0B; default "5859375KiB")
                when_full: does the host write past a full cache, or wait for folding (one of
                bypass, fold-first; default "bypass")
                in_idle_time: idle dies fold (switch; default true)
                idle_after: how long a die must have been idle before (time (ns, us, ms, s, min, h,
                d); default "100ms")
                """

    class snapshots:
        path: str
        class expiry:
            path: str
            Policy: TypeAlias = _snapshot_expiry.Policy
            View: TypeAlias = _snapshot_expiry.ExpiryView
            class Oldest(_Policy):
                """the oldest snapshot: those kept are the last `ftl.snapshots.keep`"""
                def __init__(self) -> None: ...

            class Thinned(_Policy):
                """of all but the oldest the one whose neighbours are nearest to each other for its
                age: the time between them divided by its age; the oldest when it is the only one,
                or for lack of room
                """
                def __init__(self) -> None: ...

    class streams:
        path: str
        Policy: TypeAlias = _streams.Policy
        View: TypeAlias = _streams.UnitView
        class Fdp(_Policy):
            """what the host writes joins the stream of the handle that it names (0 where it names
            none, or one that is not there); what is moved out of persistently isolated handles
            joins a stream for each of them, what is moved out of all others one stream
            """
            def __init__(
                self,
                *,
                handles: SupportsIndex = ...,
                isolation: str | Sequence[str] = ...,
                unit_superblocks: SupportsIndex = ...,
                groups: SupportsIndex = ...,
                unit_time_limit: str = ...,
            ) -> None:
                """handles: reclaim unit handles that the host may name (whole number, 1 to 31; default
                8)
                isolation: how each handle is isolated: initially or persistently; one for all, or
                one for each (one text or a list of texts; default "initially")
                unit_superblocks: superblocks of a reclaim unit; as many as a reclaim group has dies
                where not given (whole number (superblocks), at least 1; default none)
                groups: reclaim groups: equal parts of the dies, counted channel by channel; what a
                write names stays in its group (whole number, 1 to 256; default 1)
                unit_time_limit: greatest time for which a reclaim unit takes data: what is written
                later begins another one (time (ns, us, ms, s, min, h, d), more than 0ns; default
                none)
                """

        class HotCold(_Policy):
            """the host's unit joins the hot stream if the host wrote it more than `factor` times as
            often as the mean of the units it wrote, else the cold stream; what is moved joins a
            stream of its own; counts are halved whenever their mean reaches 16
            """
            def __init__(self, *, factor: SupportsFloat = ...) -> None:
                """factor: how many times as often a hot unit is written as the mean of all that were
                written (number (ratio), at least 0; default 1.5)
                """

        class Mixed(_Policy):
            """all units join one stream"""
            def __init__(self) -> None: ...

        class Separate(_Policy):
            """what the host writes joins one stream, what is moved another"""
            def __init__(self) -> None: ...

        class Sepbit(_Policy):
            """with L the mean life of the last 16 superblocks of stream 0 that were reclaimed, counted
            in units that the host wrote (without end at first): the host's unit joins stream 0 if
            it overwrites one younger than L, else 1; what is moved out of stream 0 joins 2, and
            other moved units join 3 if they are younger than 4 L, 4 if younger than 16 L, else 5
            """
            def __init__(self) -> None: ...

        class TwoRegion(_Policy):
            """what the host writes joins one stream, what is moved another; the host, when it needs a
            superblock, goes on with the one that moving has left open, where there is one, before
            it opens a free one
            """
            def __init__(self) -> None: ...

    class wear:
        path: str
        Policy: TypeAlias = _wear.Policy
        View: TypeAlias = _wear.WearView
        class Dynamic(_Policy):
            """the free superblock with the fewest program/erase cycles is opened next"""
            def __init__(self) -> None: ...

        class LatencyGuided(_Policy):
            """like static, but cycles are weighted: if a superblock's erase and program times changed
            at fewer cycles than the die's mean, its cycles count for more, by that ratio
            """
            def __init__(self, *, period: SupportsIndex = ..., threshold: SupportsIndex = ...) -> None:
                """period: erases of a die between two checks of its wear (whole number, at least 2;
                default 8)
                threshold: cycles of a mean superblock of difference above which data moves (whole
                number; default 20)
                """

        class None_(_Policy):
            """the superblock that has been free the longest is opened next; data is never moved to
            level wear
            """
            def __init__(self) -> None: ...

        class Static(_Policy):
            """like dynamic; in addition, every `period` erases of a die, if its most worn superblock
            has over `threshold` cycles more than its least worn candidate, the data of that
            candidate is moved; among equals the oldest
            """
            def __init__(self, *, period: SupportsIndex = ..., threshold: SupportsIndex = ...) -> None:
                """period: erases of a die between two checks of its wear (whole number, at least 1;
                default 8)
                threshold: program/erase cycles of difference above which data moves (whole number;
                default 20)
                """

        class WearOut(_Policy):
            """the free superblock with the most program/erase cycles is opened next; `held_back` of
            the superblocks not needed for the host's data stay free, so that only the rest are
            used; data is never moved to level wear
            """
            def __init__(self, *, held_back: SupportsFloat = ...) -> None:
                """held_back: part of the superblocks beyond need that stay free while others wear
                (number (ratio), 0 to 0.9; default 0.5)
                """

class host:
    path: str
    class link:
        path: str
        class Nvme(_Policy):
            """doorbell, fetch of the command, data in packets of `max_payload`, completion entry and
            interrupt; both directions at once; queues served by round robin or by weights
            """
            def __init__(
                self,
                *,
                generation: SupportsIndex = ...,
                lanes: SupportsIndex = ...,
                max_payload: str = ...,
                max_read_request: str = ...,
                t_round_trip: str = ...,
                queues: SupportsIndex = ...,
                queue_depth: SupportsIndex = ...,
                arbitration: Literal["round-robin", "weighted-round-robin"] = ...,
                arbitration_burst: SupportsIndex = ...,
                weights: SupportsIndex | Sequence[SupportsIndex] = ...,
                classes: str | Sequence[str] = ...,
            ) -> None:
                """generation: 3, 4 or 5: 8, 16 or 32 GT/s a lane (whole number, 3 to 5; default 3)
                lanes: lanes of the link (whole number; default 4)
                max_payload: data of one packet, at most (size (B, kB, MB, GB, TB, KiB, MiB, GiB,
                TiB); default "256B")
                max_read_request: data asked for at once, at most (size (B, kB, MB, GB, TB, KiB,
                MiB, GiB, TiB); default "512B")
                t_round_trip: a read of host memory by the drive, without the packets' own time;
                assumed, of the size measured by Neugebauer et al., SIGCOMM 2018 (time (ns, us, ms,
                s, min, h, d); default "500ns")
                queues: submission queues (whole number, 1 to 65536; default 8)
                queue_depth: commands a queue holds (whole number, 1 to 65536; default 1024)
                arbitration: which submission queue is served next (one of round-robin, weighted-
                round-robin; default "round-robin")
                arbitration_burst: commands fetched from a queue before the next has its turn (whole
                number, at least 1; default 1)
                weights: commands a round of the classes high, medium, low (one whole number or a
                list of whole numbers; default [4, 2, 1])
                classes: class of each queue, the last for the rest (one text or a list of texts;
                default "medium")
                """

        class Pata(_Policy):
            """one command at a time; a burst of data takes the cycles of its Ultra DMA mode"""
            def __init__(self, *, mode: SupportsIndex = ..., lba48: bool = ..., t_burst: str = ...) -> None:
                """mode: Ultra DMA mode, 0 to 6: 16.7 to 133 MB/s (whole number, 0 to 6; default 5)
                lba48: 48-bit addresses: five registers are written twice (switch; default true)
                t_burst: starting and ending a burst: DMARQ, envelope, pause, CRC; the standard's
                limits add up to about this (time (ns, us, ms, s, min, h, d); default "500ns")
                """

        class Plain(_Policy):
            """data is transferred at `rate`; commands and completions take no time, and queues are
            served in turn
            """
            def __init__(
                self,
                *,
                rate: str = ...,
                full_duplex: bool = ...,
                queues: SupportsIndex = ...,
                queue_depth: SupportsIndex = ...,
            ) -> None:
                """rate: payload bandwidth of a direction (rate (B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s,
                GiB/s, MT/s); default "3200MB/s")
                full_duplex: both directions at once, or one at a time (switch; default true)
                queues: submission queues (whole number, 1 to 65536; default 8)
                queue_depth: commands a queue holds (whole number, 1 to 65536; default 1024)
                """

        class Sata(_Policy):
            """one direction at a time; up to 32 tags; each frame (FIS) takes its dwords at 40 bit
            times and two handshakes
            """
            def __init__(
                self, *, generation: SupportsIndex = ..., tags: SupportsIndex = ..., t_handshake: str = ...
            ) -> None:
                """generation: 1, 2 or 3: 1.5, 3 or 6 Gbit/s (whole number, 1 to 3; default 3)
                tags: commands queued in the drive; 1: as without NCQ (whole number, 1 to 32;
                default 32)
                t_handshake: a primitive and its answer (X_RDY and R_RDY, WTRM and R_OK) through
                both ends; assumed (time (ns, us, ms, s, min, h, d); default "150ns")
                """

    class place:
        path: str
        Policy: TypeAlias = _place.Policy
        View: TypeAlias = _place.PlaceView
        class Address(_Policy):
            """a write goes through the handle whose number is that of the `bounds` at or below its
            first byte, or the last there is; without bounds the drive has as many equal parts as
            handles
            """
            def __init__(self, *, bounds: str | Sequence[str] = ...) -> None:
                """bounds: bytes of the drive at which the part of the next handle begins, in ascending
                order; else equal parts (one size or a list of sizes (B, kB, MB, GB, TB, KiB, MiB,
                GiB, TiB); default none)
                """

        class Hindsight(_Policy):
            """a write goes by how many bytes the workload writes until its first page is written over
            or trimmed, known from a copy of the workload: handle 0 for the shortest lives, the last
            for what lives on, in classes that differ least within
            """
            def __init__(self) -> None: ...

        class Job(_Policy):
            """job k of a fio file, volume k of a trace or flow k writes through handle k modulo the
            number of handles
            """
            def __init__(self) -> None: ...

        class None_(_Policy):
            """a write carries what its workload names, such as a fio job by `plids`, or nothing"""
            def __init__(self) -> None: ...

        class Process(_Policy):
            """the k-th process of a trace that writes does so through handle k modulo the number of
            handles, from 0 on; what names no process goes through handle 0
            """
            def __init__(self) -> None: ...

        class Rate(_Policy):
            """a write goes by how often its piece of the drive was written over, in bytes, beside the
            mean of all pieces that were: through handle 0 below the mean, 1 below twice the mean, 2
            below four times, and so on by powers of two up to the last; counts are halved whenever
            their mean reaches 16
            """
            def __init__(self, *, piece: str = ...) -> None:
                """piece: bytes of the drive that are counted together (size (B, kB, MB, GB, TB, KiB,
                MiB, GiB, TiB), at least 512B; default "1MiB")
                """

        class Size(_Policy):
            """a write goes through the handle whose number is that of the `limits` it reaches, or the
            last there is: with one limit, shorter ones through handle 0 and others through 1
            """
            def __init__(self, *, limits: str | Sequence[str] = ...) -> None:
                """limits: lengths from which on a write goes through the next handle, in ascending
                order (one size or a list of sizes (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB); default
                "64KiB")
                """

        class Volume(_Policy):
            """volume k of a trace of several is written through handle k modulo the number of handles"""
            def __init__(self) -> None: ...

class nand:
    path: str
    class errors:
        path: str
        class None_(_Policy):
            """no bit errors"""
            def __init__(self) -> None: ...

        class PowerLaw(_Policy):
            """(floor + alpha c^k + beta c^m t^n + gamma c^p r^q) times (program step / usual
            step)^step_exponent, for c program/erase cycles, t days and r reads of each of
            `block_pages` pages; at most one half
            """
            def __init__(
                self,
                *,
                floor: SupportsFloat = ...,
                alpha: SupportsFloat = ...,
                k: SupportsFloat = ...,
                beta: SupportsFloat = ...,
                m: SupportsFloat = ...,
                n: SupportsFloat = ...,
                gamma: SupportsFloat = ...,
                p: SupportsFloat = ...,
                q: SupportsFloat = ...,
                block_pages: SupportsFloat = ...,
                step_exponent: SupportsFloat = ...,
                reference_celsius: SupportsFloat = ...,
                celsius: SupportsFloat = ...,
                activation_ev: SupportsFloat = ...,
            ) -> None:
                """floor: errors of a fresh page (number (coefficient), at least 0 and less than
                1000000; default 0.00148)
                alpha: factor of wear (number (coefficient), at least 0 and less than 1000000;
                default 0.00000000039)
                k: power of wear (number (coefficient), at least 0 and less than 1000000; default
                2.05)
                beta: factor of age (number (coefficient), at least 0 and less than 1000000; default
                0.0000628)
                m: power of wear in what age does (number (coefficient), at least 0 and less than
                1000000; default 0.14)
                n: power of age in days (number (coefficient), at least 0 and less than 1000000;
                default 0.54)
                gamma: factor of reads (number (coefficient), at least 0 and less than 1000000;
                default 0.00000000373)
                p: power of wear in what reads do (number (coefficient), at least 0 and less than
                1000000; default 0.33)
                q: power of reads (number (coefficient), at least 0 and less than 1000000; default
                1.71)
                block_pages: pages that the reads of a block are spread over (number (coefficient),
                at least 0 and less than 1000000; default 256)
                step_exponent: power of the program step (number (coefficient), at least 0 and less
                than 1000000; default 2)
                reference_celsius: temperature that the law's ages are of (number (degrees Celsius),
                -60 to 200; default 40)
                celsius: temperature of the drive (number (degrees Celsius), -60 to 200; default 40)
                activation_ev: activation energy of charge loss (number (eV), 0 to 3; default 1.1)
                """

        class Tables(_Policy):
            """the raw bit error rates of the chip's tables by page type, program step, wear, age and
            reads, with the chip's usual references; ages at `celsius` count by the chip's
            activation energy
            """
            def __init__(self, *, celsius: SupportsFloat = ...) -> None:
                """celsius: temperature of the drive (number (degrees Celsius), -60 to 200; default 40)"""

buffer = ftl.buffer
gc = ftl.gc
mapping = ftl.mapping
parity = ftl.parity
placement = ftl.placement
program_order = ftl.program_order
read_ahead = ftl.read_ahead
read_merge = ftl.read_merge
recovery = ftl.recovery
refresh = ftl.refresh
regulator = ftl.regulator
slc_cache = ftl.slc_cache
streams = ftl.streams
wear = ftl.wear
