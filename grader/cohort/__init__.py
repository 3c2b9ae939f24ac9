"""A class of students, and how each of them fared: data alone, which renderers read."""
