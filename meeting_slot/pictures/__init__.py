"""Pictures and pages of worlds, audits and runs: the only place, with `report`, that draws."""
