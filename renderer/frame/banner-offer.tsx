// The offer to turn banners on, shown until the person chose. Nothing asks the browser before this is pressed.

import { Button } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { turnOnBanners, useBannerPermission } from './banners.ts';

export function BannerOffer() {
  if (useBannerPermission() !== 'default') return null;
  return (
    <Button
      fullWidth
      size="xs"
      variant="default"
      mb="sm"
      leftSection={<IconBell size={16} />}
      onClick={() => void turnOnBanners()}
    >
      Turn on banners
    </Button>
  );
}
