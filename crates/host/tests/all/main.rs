//! Jobs, traces and volumes, a question a file, in one binary: linked one by one, the files cost more than their tests.

#[path = "../beside/mod.rs"]
mod beside;
mod fio_agrees;
mod fio_fuzz;
mod fio_placement;
mod fio_random;
mod fio_run;
mod fio_speed;
mod fio_syntax;
mod fio_zones;
mod trace_events;
mod trace_fuzz;
mod trace_inputs;
mod trace_real;
mod trace_replay;
mod trace_samples;
mod trace_tables;
mod volumes;
