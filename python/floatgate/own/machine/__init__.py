"""Policies as machine code: a class's methods by Numba, its state and what it is shown as blocks of memory.

Only these modules know Numba; they are imported where a drive names a policy that is compiled.
"""
