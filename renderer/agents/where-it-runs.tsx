// The first choice of a new agent: a program this desktop starts, or one that runs somewhere else with a key of its own.

import { SegmentedControl } from '@mantine/core';
import { address, goInstead } from '../frame/router.ts';
import classes from './new-agent.module.css';

export function WhereItRuns({ at }: { at: 'here' | 'elsewhere' }) {
  return (
    <div>
      <span className={classes.fieldLabel} id="where-label">
        Where it runs
      </span>
      <SegmentedControl
        aria-labelledby="where-label"
        value={at}
        data={[
          { value: 'here', label: 'On this computer' },
          { value: 'elsewhere', label: 'Elsewhere' },
        ]}
        onChange={chosen =>
          goInstead(chosen === 'here' ? address('agents', 'new') : address('agents', 'new', 'elsewhere'))
        }
      />
      <p className={classes.small} style={{ margin: '4px 0 0' }}>
        {at === 'here'
          ? 'This desktop keeps its key, starts its program and stops it.'
          : 'You grant its key; whoever holds that key starts and stops it.'}
      </p>
    </div>
  );
}
