"""What engines share and the readable functions do not need."""
