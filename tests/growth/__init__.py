"""How the work of a stage grows with what it is given, counted in steps and not in seconds."""
