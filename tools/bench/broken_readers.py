"""Reads broken documents with feedparser and lxml, as they would be used.

Each line of the input is JSON with "body" (base64), "url" and "isFeed"; each line of the output has
the addresses that each reader finds. feedparser is asked only for feeds.
"""

import base64
import io
import json
import sys

import feedparser
from lxml import etree

TYPE = "application/xml; charset=utf-8"


def by_feedparser(body, url):
    headers = {"content-type": TYPE, "content-location": url}
    try:
        feed = feedparser.parse(io.BytesIO(body), response_headers=headers)
    except KeyError:
        # such as an end tag of a link outside of entries
        return []
    return [entry["link"] for entry in feed.entries if entry.get("link")]


def local(element):
    name = element.tag if isinstance(element.tag, str) else ""
    return name.rsplit("}", 1)[-1].rsplit(":", 1)[-1].lower()


def text_of(element):
    return "".join(element.xpath("text()")).strip()


def addresses_in(entry):
    fields = [(local(child), child) for child in entry]
    if local(entry) in ("url", "sitemap"):
        return [text_of(child) for name, child in fields if name == "loc"]
    links = [child for name, child in fields if name == "link"]
    if local(entry) == "item":
        guids = [child for name, child in fields if name == "guid" and child.get("isPermaLink") != "false"]
        return [text for text in map(text_of, links + guids) if text][:1]
    return [link.get("href", "") for link in links if link.get("rel", "alternate") == "alternate"][:1]


def by_lxml(body, url):
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        return []
    if root is None:
        return []
    names = ("url", "sitemap", "item", "entry")
    return [address for entry in root.iter() if local(entry) in names for address in addresses_in(entry)]


for line in sys.stdin:
    document = json.loads(line)
    body, url = base64.b64decode(document["body"]), document["url"]
    found = {"lxml": by_lxml(body, url)}
    if document["isFeed"]:
        found["feedparser"] = by_feedparser(body, url)
    print(json.dumps(found))
