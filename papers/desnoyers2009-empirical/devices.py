"""The eight devices of the paper's Table 1, and the chip files that stand for them."""

DEVICES = {
    "128 Mb SLC": "nand128w3a2bn",
    "512 Mb SLC": "hy27us08121a",
    "2 Gb SLC": "mt29f2g08aad",
    "4 Gb SLC": "mt29f4g08aac",
    "8 Gb SLC": "nand08gw3b2c",
    "8 Gb MLC": "mt29f8g08maawc",
    "16 Gb SLC": "29f16g08canc1",
    "32 Gb MLC": "mt29f32g08qaa",
}
QUICK = ("4 Gb SLC", "8 Gb MLC", "16 Gb SLC")
QUICK_PREDICTION = ("8 Gb MLC", "16 Gb SLC")
UNDECIDED = "4 Gb SLC"  # whose thirty blocks are too few
HEATED = "16 Gb SLC"  # the device that was tested at other temperatures
