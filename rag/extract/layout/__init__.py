"""From characters on a page to blocks in reading order. Knows geometry, not PDF."""
