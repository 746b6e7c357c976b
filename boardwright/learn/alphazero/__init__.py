"""AlphaZero: self-play with tree search, a replay buffer, and a learner of policy and value."""
