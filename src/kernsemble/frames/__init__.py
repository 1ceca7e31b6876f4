"""Tables with columns of any kind: files in, features out, and models of them in files."""
