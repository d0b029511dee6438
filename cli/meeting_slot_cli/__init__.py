"""The command line of meeting-slot: it reads arguments and prints; all else is in the package."""
