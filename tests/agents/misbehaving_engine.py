"""A program that speaks the line protocol until it does what its first argument says."""

import os
import random
import sys
import time

BEHAVIOUR = sys.argv[1]
if len(sys.argv) > 2:
    with open(sys.argv[2], "a") as log:  # noqa: PTH123
        log.write(f"{os.getpid()}\n")


def say(text: str) -> None:
    print(text, flush=True)


if BEHAVIOUR == "silent":
    time.sleep(1000)
for line in sys.stdin:
    word = line.split()[0] if line.split() else ""
    if word == "isready":
        say("readyok")
    if word == "quit" and BEHAVIOUR != "stubborn":
        break
    if word == "go":
        match BEHAVIOUR:
            case "hang" | "stubborn":
                time.sleep(1000)
            case "crash":
                os._exit(3)
            case "killed":
                os.kill(os.getpid(), 9)
            case "garbage":
                sys.stdout.buffer.write(random.Random(1).randbytes(200_000) + b"\n")
                say("bestmove \x00\x01 nonsense")
            case "illegal":
                say("bestmove 1-32")
            case "complains":
                say("error I do not know this position")
            case "floods":
                while True:
                    say("info depth 1 pv 11-15 " + "x" * 100)
            case "mute":
                os.close(1)
                time.sleep(1000)
            case "half":
                sys.stdout.write("bestmove 11-1")
                sys.stdout.flush()
                time.sleep(1000)
if BEHAVIOUR == "stubborn":
    time.sleep(1000)
