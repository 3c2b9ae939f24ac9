"""Renderers: pure functions of a Score."""
