"""Tablut and its 9x9 relatives: attackers against a king and his defenders."""
