"""What was received goes on by OTLP."""
