// An empty page: one sentence and one button.

import { Button } from '@mantine/core';
import classes from './empty.module.css';

type Action =
  | { label: string; href: string; onClick?: undefined }
  | { label: string; onClick: () => void; href?: undefined };

export function Empty({ sentence, action }: { sentence: string; action?: Action | undefined }) {
  return (
    <div className={classes.empty}>
      <p>{sentence}</p>
      {action?.href !== undefined ? (
        <Button component="a" href={action.href} variant="default">
          {action.label}
        </Button>
      ) : null}
      {action?.onClick ? (
        <Button variant="default" onClick={action.onClick}>
          {action.label}
        </Button>
      ) : null}
    </div>
  );
}
