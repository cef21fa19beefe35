"""The commands, a file each: what it takes, what it does as a function and in a shell, what it prints."""
