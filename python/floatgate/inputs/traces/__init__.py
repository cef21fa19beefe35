"""What block traces and synthetic volumes hold, as numbers, tables and one picture; no drive is run."""
