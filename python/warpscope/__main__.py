"""python3 -m warpscope is the command warpscope."""
from warpscope.front import start

start()
