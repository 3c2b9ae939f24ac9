"""What the grader knows of each language: one small file each, found by the language's name."""
