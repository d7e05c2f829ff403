"""Comes first on the path of what `inspector run` starts; holds `sitecustomize` alone."""
