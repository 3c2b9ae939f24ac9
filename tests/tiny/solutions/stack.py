"""The reference solution."""


class Stack:
    """Last in, first out."""

    def __init__(self):
        self.items = []

    def push(self, item):
        """Put an item on top."""
        self.items.append(item)

    def pop(self):
        """Take the top item off."""
        return self.items.pop()
