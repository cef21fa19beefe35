"""What a user hands in: workloads, traces, job files, drives of other programs, keys, policies by object."""
