"""Subjects that are programs: built from a submission and a host program, in any language."""
