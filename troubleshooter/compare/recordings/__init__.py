"""What a network has computed elsewhere, as files: compared with one that runs here."""
