"""Delivery of spans and live records to the inspector and to other targets."""
