"""The passes about modules in modules: those that are set, parts of containers, loops over all."""
