"""The report: one page of a profile's results, for a browser, without a network."""
