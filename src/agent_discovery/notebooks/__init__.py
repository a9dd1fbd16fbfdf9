"""The notebooks: what they show, the queries they look at closely, and running them."""
