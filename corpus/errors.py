"""Errors a person can act on: each message says what, where and what to do, on one line."""


class CorpusError(Exception):
    """Base of every expected failure; the command line prints it as one line and exits with status 1."""

    code = "error"


class InputError(CorpusError):
    """A file or record from outside cannot be used."""

    code = "bad_input"


class ConfigError(CorpusError):
    """A configuration names an unknown field or a value out of range."""

    code = "bad_config"


class StoreError(CorpusError):
    """The data folder cannot be read or written, or contradicts itself."""

    code = "store"


class DamageError(StoreError):
    """What the data folder holds is not what was written there: trying again gives the same."""


class VersionError(CorpusError):
    """A dataset version is missing, damaged or already there with other content."""

    code = "version"


class ModelError(CorpusError):
    """A model file is missing, damaged, or of another kind or format."""

    code = "model"


class CrawlError(CorpusError):
    """A crawl ended without what it was asked for."""

    code = "crawl"
