//! Whole drives, a question a file, in one binary: linked one by one, the files cost more than their tests. The swarm has
//! one of its own, since it is run by itself, with seeds from the environment.

#[path = "../common/mod.rs"]
mod common;

mod ageing;
mod ageing_limit;
mod at_once;
mod block_caches;
mod bytes;
mod caches;
mod collection;
mod combined;
mod compatibility;
mod counted;
mod durability;
mod endings;
mod failures;
mod flows;
mod folding;
mod golden;
mod groups;
mod hosts;
mod keys;
mod layout;
mod long_run;
mod mapping;
mod memory;
mod namespaces;
mod never_ended;
mod numbers;
mod own_state;
mod parity;
mod placement_handles;
mod power_blocks;
mod power_cuts;
mod power_failures;
mod power_groups;
mod power_maps;
mod program_order;
mod reads;
mod regulation;
mod relocation;
mod rest;
mod saved;
mod second_answer;
mod settled;
mod slc_cache;
mod smoke;
mod snapshots;
mod steady;
mod streams;
mod timing;
mod traces;
mod upkeep;
mod wide;
mod written_anew;
