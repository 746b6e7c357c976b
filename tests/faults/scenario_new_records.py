"""The database of games from nothing: see `scenario_records.py`."""

from scenario_records import NewRecords

SCENARIO = NewRecords()
