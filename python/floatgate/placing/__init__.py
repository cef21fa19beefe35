"""Which placement of the host's writes a workload would gain from: rules side by side."""
