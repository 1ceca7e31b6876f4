"""Members: fitted parts of an ensemble, each with scores of rows."""
