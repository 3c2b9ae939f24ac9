"""What checks are written with. A check imports from here alone."""

from grader.checks.expect import (
    CheckFailed,
    Unseen,
    expect,
    expect_equal,
    expect_not,
    expect_same,
    expect_unchanged,
)
from grader.message import Message
from grader.subject.faults import SubjectRaised
from grader.subject.proxies import DType, Event, RemoteObject, RemoteTensor
from grader.subject.subject import Subject
from grader.tensor import Tensor

__all__ = [
    "CheckFailed",
    "DType",
    "Event",
    "Message",
    "RemoteObject",
    "RemoteTensor",
    "Subject",
    "SubjectRaised",
    "Tensor",
    "Unseen",
    "expect",
    "expect_equal",
    "expect_not",
    "expect_same",
    "expect_unchanged",
]
