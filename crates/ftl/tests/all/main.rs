//! The policies of the translation layer, a question a file, in one binary: linked one by one, the files cost more than
//! their tests.

mod added_policy;
mod added_regulator;
mod compatibility;
mod placement_policies;
mod regulators;
mod stream_policies;
mod upkeep_policies;
mod victim_policies;
mod wear_policies;
