#!/bin/sh
# After a deb is removed: what the installation put on PATH. The person's data stays where it is.
set -e
rm -f '/usr/bin/${executable}'
for name in tiny tinyagent; do
  if [ -L "/usr/bin/$name" ] && [ ! -e "/usr/bin/$name" ]; then rm -f "/usr/bin/$name"; fi
done
