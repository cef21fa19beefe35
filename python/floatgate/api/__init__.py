"""The functions of `floatgate`: what a command does, a function does, with the same names and options.

`floatgate` finds each of them here at its first use; a file imports only what its functions need.
"""
