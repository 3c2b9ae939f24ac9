"""Groups of students whose submissions have one fingerprint."""

from collections.abc import Sequence


class Groups:
    """Gathers fingerprints one submission at a time, and tells who has the same as others."""

    def __init__(self) -> None:
        # Fingerprint -> student -> a number that those have in common who handed in together.
        self._teams: dict[str, dict[str, int]] = {}

    def add(self, students: Sequence[str], fingerprint: str) -> None:
        """Note a submission.

        Args:
            students: the ids of those who handed it in; several for a group's. They are not alike
                with each other, nor is anybody with an earlier submission of their own.
            fingerprint: its fingerprint; an empty one is of no account.
        """
        if not fingerprint:
            return
        teams = self._teams.setdefault(fingerprint, {})
        team = next((teams[student] for student in students if student in teams), len(teams))
        for student in students:
            teams[student] = team

    def found(self) -> list[tuple[str, ...]]:
        """Groups of two students or more, in an order that does not depend on that of adding."""
        groups = [sorted(teams) for teams in self._teams.values() if len({*teams.values()}) > 1]
        return [tuple(group) for group in sorted(groups)]
