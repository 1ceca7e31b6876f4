"""What the commands do: files and names in, lines for a person out. `cli` reads their arguments."""
