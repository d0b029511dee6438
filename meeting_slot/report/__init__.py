"""The report: what a run of `vf-eval` on meeting-slot shows, of any model.

A run's file is read in a stream (`run_file`, `recorded`), each rollout is scored anew from its
world and its conversation (`played`), and what they show is counted (`run_report`) and compared.
"""
