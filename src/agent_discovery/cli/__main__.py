"""`python -m agent_discovery.cli`."""

from agent_discovery.cli import main

if __name__ == "__main__":
    main()
