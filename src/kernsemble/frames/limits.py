"""How large a file may be; each limit is stated in the message of the file that exceeds it."""

#: Bytes that a model file or a packed table may take unpacked, unless the user allows more.
MAX_BYTES = 2 * 10**9

#: Columns a table may have: with more, a model's description alone takes gigabytes.
MAX_COLUMNS = 20_000
