"""Python subjects: the launcher on the grading side, the server and the host on the other."""
