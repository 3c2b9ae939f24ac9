"""Submissions running in processes of their own."""
