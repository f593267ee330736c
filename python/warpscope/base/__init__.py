"""What every other part uses: errors, commands, tools, files."""
