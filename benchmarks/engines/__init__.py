"""What SSR is measured beside. All see the tokens that SSR sees, and answer one query at a time."""
