"""Running: sessions, one run, the same run again, several seeds, power cuts, costs of snapshots."""
