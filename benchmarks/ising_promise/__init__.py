"""Whether IsingGraph keeps its promise: by family, coupling and number of rows."""
