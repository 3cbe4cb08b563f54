"""Compares networks of two frameworks and says where they part; see docs/design.md."""

if not __name__.startswith("msconvert."):
    raise ImportError(
        "import it as msconvert.troubleshooter: bare 'troubleshooter' would collide with others"
    )
