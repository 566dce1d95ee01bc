"""Settings of every crawl: polite and closed by default; a job may only change its bounds."""

from typing import Any
from urllib.parse import urlsplit

from corpus.config import CrawlConfig
from crawlers.job import Job, Limits, agent
from crawlers.private import is_loopback


def limits_for(config: CrawlConfig, base_url: str, timeout: float, archive: bool) -> Limits:
    """The limits of a crawl of one site; ``timeout`` are the seconds a page may take, ``archive`` keeps responses."""
    host = config.host(urlsplit(base_url).hostname or "")
    return Limits(
        max_pages=config.max_pages,
        max_bytes=config.max_bytes,
        max_seconds=config.max_hours * 3600,
        max_revisits=config.max_revisits,
        delay=host.delay,
        max_delay=config.max_delay,
        concurrency=host.concurrency,
        allow=config.allow,
        deny=config.deny,
        private_addresses=config.private_addresses,
        resume_for=config.resume_hours * 3600,
        contact=config.contact,
        timeout=timeout,
        archive=archive,
    )


def settings_for(job: Job) -> dict[str, Any]:
    """The Scrapy settings of a job."""
    return _SAFETY | _LEAN | _components() | _pace(job) | _bounds(job)


_SAFETY: dict[str, Any] = {
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
    "LOG_LEVEL": "WARNING",
    "LOGSTATS_INTERVAL": 0,
    "STATS_DUMP": False,
    "RETRY_GIVE_UP_LOG_LEVEL": "WARNING",
    "RETRY_PRIORITY_ADJUST": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "TWISTED_DNS_RESOLVER": "crawlers.private.PublicResolver",
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
}


_LEAN: dict[str, Any] = {
    "CONCURRENT_ITEMS": 1,
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    "DOWNLOADER_STATS": False,
    "WARN_ON_GENERATOR_RETURN_VALUE": False,
    "LOG_FORMATTER": "crawlers.outcomes.QuietFormatter",
    "SPIDER_MIDDLEWARES": {
        "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
        "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
        "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,
    },
}
"""What Scrapy does for every page and nobody here needs: a hundred tasks for the items of a page, a queue for many
sites, counts and log records of what is counted anyway; the frontier looks at the length of addresses."""


def _components() -> dict[str, Any]:
    return {
        "DOWNLOADER_MIDDLEWARES": {
            "crawlers.politeness.SameSiteMiddleware": 50,
            "crawlers.robots_rules.RulesMiddleware": 60,
            "crawlers.politeness.RobotsMiddleware": 100,
            "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
            "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
            "crawlers.politeness.PatientRetryMiddleware": 550,
            "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
            "crawlers.cache.DecodingMiddleware": 590,
            "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
            "crawlers.cache.CacheMiddleware": 900,
            "scrapy.downloadermiddlewares.httpcache.HttpCacheMiddleware": None,
            "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
            "crawlers.gate.GateMiddleware": 950,
        },
        "EXTENSIONS": {"crawlers.outcomes.Outcomes": 10},
        "ITEM_PIPELINES": {"crawlers.outcomes.Feed": 500},
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_POLICY": "crawlers.cache.ValidatingPolicy",
        "HTTPCACHE_STORAGE": "crawlers.cache.SqliteStorage",
    }


def _pace(job: Job) -> dict[str, Any]:
    """The gate follows the site's own speed; only a site on this machine starts without a pause."""
    limits, local = job.limits, is_loopback(job.base_url)
    concurrency = limits.concurrency or (8 if local else 2)
    delay = limits.delay if limits.delay is not None else (0.0 if local else 0.5)
    return {
        "WORDQUARRY_DELAY": delay,
        "WORDQUARRY_START_DELAY": 0.0 if local else min(1.0, limits.max_delay),
        "WORDQUARRY_MAX_DELAY": limits.max_delay,
        "WORDQUARRY_TARGET": concurrency if local else max(1.0, concurrency / 2),
        "CONCURRENT_REQUESTS": concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
    }


def _bounds(job: Job) -> dict[str, Any]:
    limits = job.limits
    return {
        "USER_AGENT": agent(limits.contact),
        "DOWNLOAD_TIMEOUT": limits.timeout,
        "DOWNLOAD_MAXSIZE": limits.max_page_bytes,
        "RETRY_TIMES": limits.retries,
        "WORDQUARRY_SOURCE": job.source,
        "WORDQUARRY_BASE_URL": job.base_url,
        "WORDQUARRY_FEED": job.feed,
        "WORDQUARRY_REPORT": job.report,
        "WORDQUARRY_CACHE": job.cache,
        "WORDQUARRY_ARCHIVE": job.archive,
        "WORDQUARRY_ROUND": job.round,
        "WORDQUARRY_IDENTITY": job.identity,
        "WORDQUARRY_KNOWN": job.known,
        "WORDQUARRY_REACH": job.reach,
        "WORDQUARRY_ALLOW": list(limits.allow),
        "WORDQUARRY_DENY": list(limits.deny),
        "WORDQUARRY_MAX_PAGES": limits.max_pages,
        "WORDQUARRY_MAX_BYTES": limits.max_bytes,
        "WORDQUARRY_MAX_SECONDS": limits.max_seconds,
        "WORDQUARRY_MAX_REVISITS": limits.max_revisits,
        "WORDQUARRY_MAX_ERRORS": limits.max_errors,
        "WORDQUARRY_MAX_RETRY_AFTER": limits.max_retry_after,
        "WORDQUARRY_BACKOFF": limits.backoff,
        "WORDQUARRY_CACHE_BYTES": limits.max_cache_bytes,
        "WORDQUARRY_FRESH_FOR": limits.fresh_for,
        "WORDQUARRY_FRESH_SINCE": job.fresh_since,
    }
