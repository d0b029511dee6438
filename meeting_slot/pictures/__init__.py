"""Pictures of worlds: what to draw (`timeline`), and how: in a terminal, as a chart, on a page."""
