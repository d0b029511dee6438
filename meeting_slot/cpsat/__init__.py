"""The solver's half: the earliest start as a CP-SAT model, and synthesis to a wanted answer.

The only package that imports OR-Tools; none of its types leave it.
"""
