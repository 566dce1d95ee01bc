"""The crawling process: one job, one spider, one report. ``crawl_run`` starts it; it ends with its parent."""

import importlib
import sys
from typing import Any

from scrapy.crawler import CrawlerProcess

from crawlers.crawling.job import SUFFIX, Job, agent
from crawlers.crawling.private import is_loopback
from crawlers.spiders.base import ThreadSpider


def settings_for(job: Job) -> dict[str, Any]:
    """The Scrapy settings of a job."""
    return _SAFETY | _LEAN | _COMPONENTS | _bounds(job) | _pace(job)


_SAFETY: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_VERIFY_CERTIFICATES": True,
    "DOWNLOAD_HANDLERS": {"data": None, "file": None, "ftp": None, "s3": None},
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
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
    "TWISTED_DNS_RESOLVER": "crawlers.crawling.private.PublicResolver",
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
}


_LEAN: dict[str, Any] = {
    "CONCURRENT_ITEMS": 1,
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    "DOWNLOADER_STATS": False,
    "WARN_ON_GENERATOR_RETURN_VALUE": False,
    "LOG_FORMATTER": "crawlers.crawling.outcomes.QuietFormatter",
    "SPIDER_MIDDLEWARES": {
        "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
        "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
        "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,
    },
}
"""What Scrapy does for every page and nobody here needs: a hundred tasks for the items of a page, a queue for many
sites, counts and log records of what is counted anyway; the frontier looks at the length of addresses."""


_COMPONENTS: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {
        "crawlers.crawling.politeness.SameSiteMiddleware": 50,
        "crawlers.crawling.politeness.RulesMiddleware": 60,
        "crawlers.crawling.politeness.RobotsMiddleware": 100,
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
        "crawlers.crawling.politeness.PatientRetryMiddleware": 550,
        "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
        "crawlers.crawling.cache.DecodingMiddleware": 590,
        "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
        "crawlers.crawling.cache.CacheMiddleware": 900,
        "scrapy.downloadermiddlewares.httpcache.HttpCacheMiddleware": None,
        "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
        "crawlers.crawling.gate.GateMiddleware": 950,
    },
    "EXTENSIONS": {"crawlers.crawling.outcomes.Outcomes": 10},
    "ITEM_PIPELINES": {"crawlers.crawling.outcomes.Feed": 500},
    "HTTPCACHE_ENABLED": True,
    "HTTPCACHE_POLICY": "crawlers.crawling.cache.ValidatingPolicy",
    "HTTPCACHE_STORAGE": "crawlers.crawling.cache.SqliteStorage",
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
    """What the job asks for, each under its own name (``WORDQUARRY_MAX_PAGES``)."""
    limits = job.limits
    asked = {name: value for part in (limits, job) for name, value in vars(part).items()}
    return {f"WORDQUARRY_{name.upper()}": value for name, value in asked.items()} | {
        "USER_AGENT": agent(limits.contact),
        "DOWNLOAD_TIMEOUT": limits.timeout,
        "DOWNLOAD_MAXSIZE": limits.max_page_bytes,
        "RETRY_TIMES": limits.retries,
    }


def spider_of(source: str) -> type[ThreadSpider]:
    """The spider of one of SOURCES: the class of that name in its file."""
    names = vars(importlib.import_module(f"crawlers.spiders.{source}{SUFFIX}")).values()
    return next(one for one in names if isinstance(one, type) and getattr(one, "name", "") == source)


def main(arguments: list[str]) -> int:
    job = Job.from_json(arguments[0])
    process = CrawlerProcess(settings_for(job))
    process.crawl(spider_of(job.source), base_url=job.base_url, start=job.start, urls=job.urls)
    process.start()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
