"""The wires between controller and chips: what an architect asks of them."""
