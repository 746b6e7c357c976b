"""Named settings of auto-encoders."""

from boardwright.learn.vae.config import BoardsConfig, EncoderConfig, VaeConfig

PRESETS: dict[str, VaeConfig] = {
    # The paper's but for its players: half of its games were a trained PPO's. Name one with
    # `--set boards.players=["random","ppo:net=FILE,temperature=1"]`.
    "cathedral-paper": VaeConfig(game="cathedral", rules="paper", observation="paper"),
    "cathedral-tiny": VaeConfig(
        game="cathedral",
        rules="paper-6",
        observation="paper",
        iterations=3,
        encoder=EncoderConfig(convolutions=(4, 8), hidden=(16,), latent=4),
        boards=BoardsConfig(games=8, validation=0.25),
        batch_size=16,
    ),
}
