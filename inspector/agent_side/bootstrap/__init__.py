"""The directory put first on PYTHONPATH by `inspector run`; contains only `sitecustomize`."""
