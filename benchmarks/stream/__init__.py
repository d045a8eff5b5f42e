"""Streams: change, throughput and memory; see docs/streams.md."""
