"""What every piece of data from outside, or going there, is: of a known form, and never changed."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Data whose keys are all known, frozen once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True)
