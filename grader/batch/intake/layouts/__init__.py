"""How platforms lay out a download of a whole class: which file is whose."""
