"""The parity table by family: a module of rows each; see `parity_rows.py`."""
