"""The worlds as a tool-use environment: a pure core, and thin adapters to `verifiers` v1 and v0."""
