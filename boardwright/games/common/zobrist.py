"""Random keys for hashing positions, the same on every machine and for ever, since records hold hashes."""

import numpy as np


def zobrist_keys(count: int, seed: int) -> np.ndarray:
    """[count] uint64 from SplitMix64."""
    mask, keys, state = (1 << 64) - 1, [], seed
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        keys.append(z ^ (z >> 31))
    return np.array(keys, np.uint64)


def halves(keys: np.ndarray | int) -> np.ndarray:
    """[..., 2] uint32: low and high half of [...] uint64 keys (or of one key), for engines without 64-bit numbers."""
    keys = np.asarray(keys, np.uint64)
    return np.stack([keys & np.uint64(0xFFFFFFFF), keys >> np.uint64(32)], axis=-1).astype(np.uint32)
