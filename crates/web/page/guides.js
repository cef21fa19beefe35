// Guided experiments: a setup, what to watch, and what to try.
"use strict";

const SMALL_WRITES = (size, more = "") => `[write]
filename=/dev/nvme0n1
ioengine=libaio
iodepth=32
rw=randwrite
norandommap
bs=16k
io_size=${size}
${more}`;

const GUIDES = [
  {
    title: "The write cliff",
    text: [
      "A fresh drive writes into empty blocks. Once there are none left, every write has to wait until garbage collection has moved valid data and erased a block: requests a second fall off a cliff, and write amplification leaves 1.",
      "How far they fall depends on the spare space. The second run has three times as much: the same writes find emptier victims. That is why server drives sell less of their flash.",
      "Try: ftl.op_ratio=1.0.",
    ],
    setup: { drive: "small-tlc", set: "nand.pages_per_block=192\nftl.op_ratio=0.2", job: SMALL_WRITES("5g"), precondition: "none", change: "ftl.op_ratio=0.6" },
  },
  {
    title: "Victims",
    text: [
      "Collection has to choose a victim. Greedy takes the block with the least valid data, so that the least has to be moved; the second run takes the oldest. Watch orange blocks in the picture: pale ones are cheap, dark ones cost.",
      "Under writes that all go to the same places equally often the two come close. Here nine writes of ten go to a tenth of the drive: the oldest block may be full of data that is not overwritten.",
      "Try: ftl.gc.victim.name=cost_benefit, or random.",
    ],
    setup: { drive: "small-tlc", set: "nand.pages_per_block=192\nftl.op_ratio=0.2\nftl.gc.victim.name=greedy", job: SMALL_WRITES("4g", "random_distribution=zoned:90/10:10/90\n"), precondition: "instant", change: "ftl.gc.victim.name=fifo" },
  },
  {
    title: "Read retry with age",
    text: [
      "Charge leaks from cells. Data that were written long ago are read with more errors than the code corrects, so the drive reads them again with other reference voltages, and again: each step is another sensing of the array.",
      "The blocks have 1,000 cycles behind them. The first run reads data that were written just now, the second data of 90 days.",
      "Try: ftl.reading.data_age=365d, or with it ecc.flow.name=last-good-step, which begins where the read before succeeded.",
    ],
    setup: { drive: "nvme-tlc", set: "geometry.ways=2\ngeometry.channels=2\nnand.blocks_per_plane=20\nftl.user_capacity=4GB\nftl.slc_cache.name=none\nnand.pe_cycles=1000", job: "[read]\nfilename=/dev/nvme0n1\nioengine=libaio\niodepth=4\nrw=randread\nbs=4k\nnumber_ios=60000\n", precondition: "fill", change: "ftl.reading.data_age=90d" },
  },
  {
    title: "The SLC cache",
    text: [
      "Cells that hold one bit are written several times faster than cells that hold three. So drives write to a part of the flash in that way first, and fold it into three bits a cell when there is time. When the cache is full there is none: the speed that the box promises ends.",
      "Watch requests a second fall when the cache is full. The second run has no cache: slower at first, and faster at the end, as nothing is written twice.",
      "Try: ftl.slc_cache.size=2GB.",
    ],
    setup: { drive: "sata-tlc", set: "geometry.ways=2\ngeometry.channels=2\nnand.blocks_per_plane=40\nftl.user_capacity=10GB\nftl.slc_cache.size=1GB", job: "[write]\nfilename=/dev/nvme0n1\nioengine=libaio\niodepth=8\nrw=write\nbs=128k\nsize=4g\n", precondition: "none", change: "ftl.slc_cache.name=none" },
  },
];
