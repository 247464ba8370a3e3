// The dashboard as a whole: theme, sidebar, the page at the address, and what lies above every page.

import { Drawer, MantineProvider, useMantineColorScheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { BypassStrip } from '../agents/bypass.tsx';
import { queries, useCall, useLink } from '../bridge.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNote } from '../parts/failure.tsx';
import { useAppState } from '../parts/live.ts';
import { PageColumn, useNarrow } from '../parts/page.tsx';
import { AfterAMoment } from '../parts/skeletons.tsx';
import { cssVariables, theme } from '../theme/theme.ts';
import { UnlockPage } from '../unlock/unlock-page.tsx';
import classes from './app.module.css';
import { Boundary } from './boundary.tsx';
import { closeSidebar, useFrameState } from './frame-state.ts';
import { pages } from './pages.tsx';
import { Palette } from './palette.tsx';
import { goInstead, useAddress } from './router.ts';
import { Shortcuts } from './shortcuts.tsx';
import { Sidebar } from './sidebar.tsx';
import { useWindowTitle } from './window-title.ts';

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <ModalsProvider>
          <Scheme />
          <Notifications position="bottom-right" limit={4} />
          <Whole />
        </ModalsProvider>
      </MantineProvider>
    </QueryClientProvider>
  );
}

/** Follows the scheme the person chose in the settings. */
function Scheme() {
  const chosen = useCall('settings.get', {}).data?.scheme;
  const { setColorScheme } = useMantineColorScheme();
  useEffect(() => {
    if (chosen !== undefined) setColorScheme(chosen);
  }, [chosen, setColorScheme]);
  return null;
}

function Whole() {
  const state = useCall('app.state', {});
  if (state.data === undefined) return <Opening error={state.error} retry={() => void state.refetch()} />;
  if (state.data.vault.state !== 'open') {
    return (
      <Boundary>
        <UnlockPage />
      </Boundary>
    );
  }
  return <Frame />;
}

function Opening({ error, retry }: { error: Error | null; retry: () => void }) {
  return (
    <div className={classes.opening}>
      {error ? (
        <FailureNote error={error} onRetry={retry} />
      ) : (
        <AfterAMoment>
          <p>Waiting for the program to answer.</p>
        </AfterAMoment>
      )}
    </div>
  );
}

function Frame() {
  const narrow = useNarrow();
  const folded = useMediaQuery('(max-width: 899.98px)', undefined, { getInitialValueInEffect: false });
  const { title, sidebar } = useFrameState();
  const at = useAddress();
  useWindowTitle(title, useAppState()?.waiting ?? 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: going anywhere closes the drawer
  useEffect(closeSidebar, [at]);
  return (
    <div className={classes.frame}>
      <button type="button" className={classes.skip} onClick={focusMain}>
        Skip to the page
      </button>
      {narrow ? (
        <Drawer
          opened={sidebar}
          onClose={closeSidebar}
          withCloseButton={false}
          size={232}
          padding={0}
          attributes={{ content: { 'aria-label': 'Places' } }}
          classNames={{ body: classes.drawer }}
        >
          <Sidebar folded={false} />
        </Drawer>
      ) : (
        <Sidebar folded={folded} />
      )}
      <div className={classes.page}>
        <Reconnecting />
        {narrow ? <BypassStrip /> : null}
        <Boundary key={at[0] ?? ''}>
          <Page />
        </Boundary>
      </div>
      <Palette />
      <Shortcuts />
    </div>
  );
}

/** A button, not a link: the address names the page and must not change. */
function focusMain(): void {
  const main = document.getElementById('main');
  main?.setAttribute('tabindex', '-1');
  main?.focus();
}

function Reconnecting() {
  const link = useLink();
  if (link === 'open') return null;
  return (
    <div className={classes.reconnecting} role="status">
      {link === 'broken'
        ? 'Reconnecting to the program. What is shown may be out of date.'
        : 'The program was started anew and does not know this page. Open the dashboard again from the program.'}
    </div>
  );
}

function Page() {
  const [name, ...rest] = useAddress();
  const welcome = useAppState()?.welcome ?? false;
  useEffect(() => {
    if (name === undefined) goInstead(welcome && 'welcome' in pages ? '#/welcome' : '#/rooms/general');
  }, [name, welcome]);
  if (name === undefined) return null;
  const draw = pages[name];
  if (draw) return draw(rest);
  return (
    <PageColumn title="Not found">
      <Empty sentence="There is nothing at this address." action={{ label: 'Open Rooms', href: '#/rooms' }} />
    </PageColumn>
  );
}
