"""The columns of `grid.csv` and `grid.parquet`: what a point of a grid says, one row each."""

from floatgate.results.tables import Column

FILE = "grid.parquet"

COLUMNS = (
    Column("pattern", "string", "1", "Order of the addresses: sequential or random."),
    Column("op", "string", "1", "Kind of request: read or write."),
    Column("block_bytes", "int64", "B", "Length of each request."),
    Column("depth", "int64", "requests", "Requests that the host keeps outstanding."),
    Column(
        "state",
        "string",
        "1",
        "steady, not reached or interrupted; only steady points have rates and latencies.",
    ),
    Column("iops", "double", "1/s", "Requests per second in the steady part."),
    Column("iops_ci95", "double", "1/s", "Half the width of the 95 % confidence interval of `iops`."),
    Column("mb_per_s", "double", "MB/s", "Bandwidth in 10^6 bytes per second."),
    Column(
        "mb_per_s_ci95", "double", "MB/s", "Half the width of the 95 % confidence interval of `mb_per_s`."
    ),
    Column("latency_ns_mean", "double", "ns", "Mean latency of the steady part."),
    Column("latency_ns_p50", "double", "ns", "Median latency of the steady part."),
    Column(
        "latency_ns_p99",
        "double",
        "ns",
        "Latency that 99 % of the requests of the steady part did not exceed.",
    ),
    Column("requests", "int64", "requests", "Requests in the steady part."),
    Column(
        "simulated_ns",
        "int64",
        "ns",
        "Simulated time of the whole run, with what came before the steady part.",
    ),
    Column(
        "waf",
        "double",
        "1",
        "Write amplification of the whole run: bytes programmed over bytes written; empty without writes, or "
        "where the buffer still held more than 3 % of them.",
    ),
)
