"""The one exception for what a user can mend; the command line prints it without a traceback."""


class UserError(Exception):
    """Bad input: the message names the file and line (or the key) and says what to do."""
