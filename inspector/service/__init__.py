"""The parts that run in the service's process. Nothing is imported here."""
