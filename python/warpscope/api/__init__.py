"""What `import warpscope` offers (docs/tools/python.md); warpscope/__init__.py names it."""
