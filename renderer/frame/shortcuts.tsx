// The sheet of shortcuts, opened by `?`.

import { Kbd, Modal } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Fragment } from 'react';
import { showShortcuts, useFrameState } from './frame-state.ts';
import classes from './shortcuts.module.css';

const groups: { title: string; rows: [keys: string[], does: string][] }[] = [
  {
    title: 'Anywhere',
    rows: [
      [['Ctrl K', 'Cmd K'], 'Find a room, an agent, a page'],
      [['?'], 'This sheet'],
      [['Esc'], 'Close what is open'],
    ],
  },
  {
    title: 'On an approval',
    rows: [
      [['A'], 'Approve'],
      [['D'], 'Deny'],
      [['R'], 'Reply'],
      [['J', 'K'], 'Next and previous'],
      [['Shift N'], 'Newest waiting'],
    ],
  },
  {
    title: 'While writing',
    rows: [
      [['Enter'], 'Send'],
      [['Shift Enter'], 'New line'],
      [['@'], 'Mention a person or an agent'],
      [['Up'], 'Edit your last message, when nothing is written'],
    ],
  },
];

export function Shortcuts() {
  const { shortcuts } = useFrameState();
  useHotkeys([['shift+?', () => showShortcuts(true)]]);
  return (
    <Modal opened={shortcuts} onClose={() => showShortcuts(false)} title="Shortcuts" size="md">
      {groups.map(group => (
        <section key={group.title} className={classes.group}>
          <h2>{group.title}</h2>
          <dl>
            {group.rows.map(([keys, does]) => (
              <div key={does}>
                <dt>
                  {keys.map((key, index) => (
                    <Fragment key={key}>
                      {index > 0 ? ' or ' : null}
                      <Kbd>{key}</Kbd>
                    </Fragment>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Modal>
  );
}
