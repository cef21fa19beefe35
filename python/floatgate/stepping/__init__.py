"""A drive that a program steps: requests in, time, completions out (`fg.Drive`)."""
