"""Rows from files and standard input; graphs to files.

`open_table` reads text, JSON lines, Parquet, Arrow, ``.npy``, AnnData, spreadsheets, SPSS and
Stata in batches; `write` saves what a `HedgeGraph` learned in the formats that `FORMATS` lists.
"""

from hedgerow.io._table import Table, open_table
from hedgerow.io._write import FORMATS, format_of, write
from hedgerow.io.source import DataError

__all__ = ["FORMATS", "DataError", "Table", "format_of", "open_table", "write"]
