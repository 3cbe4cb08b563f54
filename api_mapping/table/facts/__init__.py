"""What is known of PyTorch's names beside what they become: kinds, views, element types."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.table.facts")
