"""Adversarial cards, measured: what they reach in retrieval, and how often they are chosen."""
