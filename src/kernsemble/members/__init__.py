"""Members: the fitted parts of an ensemble, which score rows."""
