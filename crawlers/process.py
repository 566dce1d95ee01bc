"""The crawling process: one job, one spider, one report. ``crawlers.crawl_run`` starts it; it ends with its parent."""

import sys

from scrapy.crawler import CrawlerProcess

from crawlers.job import Job
from crawlers.settings import settings_for
from crawlers.spiders.algebra_spider import AlgebraSpider
from crawlers.spiders.base import ThreadSpider
from crawlers.spiders.bundled_spider import BundledSpider
from crawlers.spiders.pages_spider import PagesSpider

SPIDERS: dict[str, type[ThreadSpider]] = {spider.name: spider for spider in (BundledSpider, AlgebraSpider, PagesSpider)}


def main(arguments: list[str]) -> int:
    """Run the job given as JSON in the only argument."""
    job = Job.from_json(arguments[0])
    process = CrawlerProcess(settings_for(job))
    process.crawl(SPIDERS[job.source], base_url=job.base_url, start=job.start, urls=job.urls)
    process.start()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
