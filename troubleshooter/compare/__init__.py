"""Where two networks part: every layer of both recorded, aligned, and judged alone."""
