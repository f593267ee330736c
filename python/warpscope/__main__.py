"""python3 -m warpscope is the command warpscope."""
from warpscope.commands.front import start

start()
