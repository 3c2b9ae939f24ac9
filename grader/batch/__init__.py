"""A whole class graded by one command: taken in, graded side by side, kept, and shown."""
