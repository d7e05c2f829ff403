"""What people are asked and answer, and what agents are told: the rules, without I/O."""
