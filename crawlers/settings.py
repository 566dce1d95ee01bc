"""Settings of every crawl: polite and closed by default; a job may only change its bounds."""

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from crawlers.job import USER_AGENT, Job


def is_loopback(base_url: str) -> bool:
    """Whether a site runs on this machine, where nobody else is disturbed.

    >>> is_loopback("http://127.0.0.1:8000"), is_loopback("https://forum.wordquarry.example")
    (True, False)
    """
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def settings_for(job: Job) -> dict[str, Any]:
    """The Scrapy settings of a job."""
    return _SAFETY | _components() | _pace(job) | _bounds(job)


_SAFETY: dict[str, Any] = {
    "USER_AGENT": USER_AGENT,
    "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_VERIFY_CERTIFICATES": True,
    "DOWNLOAD_HANDLERS": {"data": None, "file": None, "ftp": None, "s3": None},
    "TELNETCONSOLE_ENABLED": False,
    "COOKIES_ENABLED": False,
    "REFERRER_POLICY": "same-origin",
    "METAREFRESH_ENABLED": False,
    "REDIRECT_MAX_TIMES": 5,
    "DOWNLOAD_FAIL_ON_DATALOSS": True,
    "DOWNLOAD_WARNSIZE": 0,
    "DEPTH_STATS_VERBOSE": False,
    "LOG_LEVEL": "WARNING",
    "LOGSTATS_INTERVAL": 0,
    "STATS_DUMP": False,
    "RETRY_GIVE_UP_LOG_LEVEL": "WARNING",
    "RETRY_PRIORITY_ADJUST": 0,
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
}


def _components() -> dict[str, Any]:
    return {
        "DOWNLOADER_MIDDLEWARES": {
            "crawlers.politeness.SameSiteMiddleware": 50,
            "crawlers.politeness.RobotsMiddleware": 100,
            "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
            "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
            "crawlers.politeness.PatientRetryMiddleware": 550,
            "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
            "crawlers.cache.CacheMiddleware": 900,
            "scrapy.downloadermiddlewares.httpcache.HttpCacheMiddleware": None,
        },
        "EXTENSIONS": {"crawlers.outcomes.Outcomes": 10},
        "ITEM_PIPELINES": {"crawlers.outcomes.Feed": 500},
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_POLICY": "crawlers.cache.ValidatingPolicy",
        "HTTPCACHE_STORAGE": "crawlers.cache.SqliteStorage",
    }


def _pace(job: Job) -> dict[str, Any]:
    """Autothrottle follows the site's own speed; only a site on this machine starts without a delay."""
    local = is_loopback(job.base_url)
    return {
        "AUTOTHROTTLE_ENABLED": True,
        "AUTOTHROTTLE_START_DELAY": 0.0 if local else 1.0,
        "AUTOTHROTTLE_TARGET_CONCURRENCY": 8.0 if local else 1.0,
        "AUTOTHROTTLE_MAX_DELAY": 60.0,
        "DOWNLOAD_DELAY": 0.0 if local else 0.5,
        "CONCURRENT_REQUESTS": 8 if local else 2,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8 if local else 2,
    }


def _bounds(job: Job) -> dict[str, Any]:
    limits = job.limits
    return {
        "DOWNLOAD_TIMEOUT": limits.timeout,
        "DOWNLOAD_MAXSIZE": limits.max_page_bytes,
        "RETRY_TIMES": limits.retries,
        "CLOSESPIDER_PAGECOUNT": limits.max_pages,
        "CLOSESPIDER_ERRORCOUNT": limits.max_errors,
        "CLOSESPIDER_TIMEOUT": limits.max_seconds,
        "WORDQUARRY_SOURCE": job.source,
        "WORDQUARRY_BASE_URL": job.base_url,
        "WORDQUARRY_FEED": job.feed,
        "WORDQUARRY_REPORT": job.report,
        "WORDQUARRY_CACHE": job.cache,
        "WORDQUARRY_ARCHIVE": job.archive,
        "WORDQUARRY_CACHE_BYTES": limits.max_cache_bytes,
        "WORDQUARRY_FRESH_FOR": limits.fresh_for,
        "WORDQUARRY_MAX_RETRY_AFTER": limits.max_retry_after,
        "WORDQUARRY_BACKOFF": limits.backoff,
        "WORDQUARRY_MAX_ERRORS": limits.max_errors,
    }
