"""GraphML and GEXF, the XML formats that yEd, Gephi, Cytoscape, igraph and networkx read."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from hedgerow.base.table import BoundedEdge, OddsEdge
from hedgerow.io._network import Network, numbers_of

_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
_GEXF = "http://www.gexf.net/1.2draft"
_TYPES = {int: "long", float: "double", str: "string"}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Xml:
    """Writes elements one after the other."""

    def __init__(self, stream: BinaryIO) -> None:
        self._generator = XMLGenerator(stream, "utf-8", short_empty_elements=True)
        self._generator.startDocument()

    @contextmanager
    def inside(self, tag: str, **attributes: Any) -> Iterator[None]:
        # ``for`` and ``class`` are words of Python, and ``attr.name`` is none.
        texts = {
            name.strip("_").replace("__", "."): _text(value) for name, value in attributes.items()
        }
        self._generator.startElement(tag, AttributesImpl(texts))
        yield
        self._generator.endElement(tag)
        self._generator.characters("\n")

    def element(self, tag: str, content: Any = "", **attributes: Any) -> None:
        with self.inside(tag, **attributes):
            if content != "":
                self._generator.characters(_text(content))


def write_graphml(network: Network, stream: BinaryIO) -> None:
    """Write GraphML."""
    xml = _Xml(stream)
    with xml.inside("graphml", xmlns=_GRAPHML):
        for name, value in network.facts.items():
            xml.element("key", id=name, for_="graph", attr__name=name, attr__type=_type(value))
        for name in network.numbers:
            xml.element("key", id=name, for_="edge", attr__name=name, attr__type="double")
        with xml.inside("graph", edgedefault="undirected"):
            for name, value in network.facts.items():
                xml.element("data", value, key=name)
            for node in network.nodes:
                xml.element("node", id=node)
            for edge in network.edges:
                with xml.inside("edge", source=edge.source, target=edge.target):
                    for name, value in numbers_of(edge):
                        xml.element("data", value, key=name)


def write_gexf(network: Network, stream: BinaryIO) -> None:
    """Write GEXF; the weight of an edge is its strength, as layouts want none below zero."""
    xml = _Xml(stream)
    with xml.inside("gexf", xmlns=_GEXF, version="1.2"):
        with xml.inside("meta"):
            xml.element("creator", f"Hedgerow {network.facts['version']}")
            told = (f"{name}: {value}" for name, value in network.facts.items())
            xml.element("description", ", ".join(told))
        with xml.inside("graph", defaultedgetype="undirected", mode="static"):
            with xml.inside("attributes", class_="edge", mode="static"):
                for name in network.numbers:
                    xml.element("attribute", id=name, title=name, type="double")
            with xml.inside("nodes"):
                for node in network.nodes:
                    xml.element("node", id=node, label=node)
            with xml.inside("edges"):
                for number, edge in enumerate(network.edges):
                    _gexf_edge(xml, number, edge)


def _gexf_edge(xml: _Xml, number: int, edge: BoundedEdge | OddsEdge) -> None:
    ends = {"source": edge.source, "target": edge.target}
    weight = abs(edge[2])
    with xml.inside("edge", id=number, **ends, weight=weight), xml.inside("attvalues"):
        for name, value in numbers_of(edge):
            xml.element("attvalue", for_=name, value=value)


def _type(value: Any) -> str:
    return _TYPES[type(value)]


def _text(value: Any) -> str:
    """Return text for XML; the few characters that XML cannot hold are spelled out."""
    return _NOT_XML.sub(lambda found: ascii(found[0])[1:-1], str(value))
