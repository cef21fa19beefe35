"""The same workloads on other simulators that the user names: `make bench PEERS="mqsim=/path/to/MQSim ..."`.

Nothing of the others is kept here. Their configurations are written by `mqsim.py`, `simplessd.py` and
`flashsim.py` for the drive of `cases.py`; `README.md` says how each is fetched and built.
"""
