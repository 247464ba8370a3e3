// The shape of every page: a head with title and actions, one reading column, one optional detail panel.

import { ActionIcon, Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconMenu2, IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect } from 'react';
import { openSidebar, setPageTitle } from '../frame/frame-state.ts';
import classes from './page.module.css';

/** True below the width at which the sidebar becomes a drawer. */
export function useNarrow(): boolean {
  return useMediaQuery('(max-width: 599.98px)', undefined, { getInitialValueInEffect: false });
}

/** True where a detail panel does not fit beside the page. */
export function useSheet(): boolean {
  return useMediaQuery('(max-width: 899.98px)', undefined, { getInitialValueInEffect: false });
}

export type PageColumnProps = {
  title: string;
  /** Beside the title: a state, a count, a key. */
  lead?: ReactNode;
  /** On the right of the head. */
  actions?: ReactNode;
  /** A DetailPanel, or nothing. */
  panel?: ReactNode;
  /** `own`: the content scrolls itself and takes the whole height (a conversation). */
  scroll?: 'page' | 'own';
  children: ReactNode;
};

export function PageColumn({ title, lead, actions, panel, scroll = 'page', children }: PageColumnProps) {
  const narrow = useNarrow();
  useEffect(() => setPageTitle(title), [title]);
  return (
    <div className={classes.page}>
      <main className={classes.main} id="main">
        <header className={classes.head}>
          {narrow ? (
            <ActionIcon aria-label="Open the menu" size={36} onClick={openSidebar}>
              <IconMenu2 size={20} />
            </ActionIcon>
          ) : null}
          <h1 className={classes.title}>{title}</h1>
          {lead}
          <div className={classes.actions}>{actions}</div>
        </header>
        {scroll === 'own' ? (
          children
        ) : (
          <div className={classes.scroll}>
            <div className={classes.column}>{children}</div>
          </div>
        )}
      </main>
      {panel}
    </div>
  );
}

export type DetailPanelProps = { title: string; onClose: () => void; lead?: ReactNode; children: ReactNode };

/** Facts beside the page: a column where there is room, a sheet where there is not. */
export function DetailPanel({ title, onClose, lead, children }: DetailPanelProps) {
  const sheet = useSheet();
  const narrow = useNarrow();
  if (sheet) {
    return (
      <Drawer
        opened
        onClose={onClose}
        position="right"
        size={narrow ? '100%' : 380}
        title={<PanelTitle title={title} lead={lead} />}
        classNames={{ body: classes.sheetBody, content: classes.sheetContent, header: classes.sheetHead }}
        closeButtonProps={{ 'aria-label': 'Close the panel' }}
      >
        {children}
      </Drawer>
    );
  }
  return (
    <aside className={classes.panel} aria-label={title}>
      <header className={classes.panelHead}>
        <PanelTitle title={title} lead={lead} />
        <ActionIcon aria-label="Close the panel" onClick={onClose}>
          <IconX size={18} />
        </ActionIcon>
      </header>
      <div className={classes.panelBody}>{children}</div>
    </aside>
  );
}

function PanelTitle({ title, lead }: { title: string; lead: ReactNode }) {
  return (
    <span className={classes.panelTitle}>
      <span>{title}</span>
      {lead}
    </span>
  );
}

/** A titled part of a page or panel. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={classes.section}>
      <header className={classes.sectionHead}>
        <h2>{title}</h2>
        <div className={classes.actions}>{actions}</div>
      </header>
      {children}
    </section>
  );
}

/** Facts as name and value, one a row. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
