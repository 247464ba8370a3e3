// A picture drawn from a key: the same key gives the same picture, on every machine and offline.

import { memo } from 'react';

/** Six by three cells from the key's bits, mirrored, in one of its hues. Agents are square, people round. */
export const Picture = memo(function Picture({
  pubkey,
  agent = false,
  size = 24,
}: {
  pubkey: string;
  agent?: boolean;
  size?: number;
}) {
  const hue = Number.parseInt(pubkey.slice(0, 4), 16) % 360;
  const bits = Number.parseInt(pubkey.slice(8, 14), 16);
  let path = '';
  for (let cell = 0; cell < 18; cell += 1) {
    if (((bits >> cell) & 1) === 0) continue;
    const x = cell % 3;
    const y = Math.floor(cell / 3);
    path += `M${x + 1} ${y + 1}h1v1h-1zM${6 - x} ${y + 1}h1v1h-1z`;
  }
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 8 8"
      aria-hidden="true"
      style={{ flex: 'none', borderRadius: agent ? Math.max(4, size / 5) : '50%', display: 'block' }}
    >
      <rect width="8" height="8" fill={`hsl(${hue} 45% 88%)`} />
      <path d={path} fill={`hsl(${(hue + 20) % 360} 50% 38%)`} />
    </svg>
  );
});
