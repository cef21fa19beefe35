"""DiskSpd's command lines and XML profiles, translated into the fio jobs that the core runs."""

from floatgate.inputs.diskspd.read import is_command, is_profile, read

__all__ = ["is_command", "is_profile", "read"]
