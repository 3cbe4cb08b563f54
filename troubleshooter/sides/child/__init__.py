"""What runs in a process of its own, one for each framework, with a Python that may know nothing
of msconvert: these modules need NumPy and the framework, and import each other relatively."""
