"""What runs in the service's process. Nothing is imported here."""
