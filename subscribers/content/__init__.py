"""Values of the watched program, read, converted, redacted and bounded."""
