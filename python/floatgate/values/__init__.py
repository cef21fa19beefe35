"""Values as Python, TOML and XML hold them, as people write them, and as people read them."""
