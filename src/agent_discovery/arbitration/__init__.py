"""An LLM picks one card from a pool: prompt, call, ledger, tokens and cost, offline arbiter."""
