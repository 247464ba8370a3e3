#!/bin/sh
# After a deb is installed: the commands on PATH, the sandbox helper as Chromium needs it.
set -e
app='/opt/${sanitizedProductName}'
ln -sf "$app/${executable}" '/usr/bin/${executable}'
for name in tiny tinyagent; do ln -sf "$app/resources/bin/$name" "/usr/bin/$name"; done
if ! { [ -L /proc/self/ns/user ] && unshare --user true; } >/dev/null 2>&1; then
  chmod 4755 "$app/chrome-sandbox" || true
else
  chmod 0755 "$app/chrome-sandbox" || true
fi
command -v update-mime-database >/dev/null && update-mime-database /usr/share/mime || true
command -v update-desktop-database >/dev/null && update-desktop-database /usr/share/applications || true
