// A native card as a real form: radio, checkboxes, words, or words beside choices, with the seed's limits while typing.

import { Button, Checkbox, Radio, Stack, Textarea } from '@mantine/core';
import { useId, useState } from 'react';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import { Visible } from '../parts/verbatim.tsx';
import { answerState, roomLeft } from './answer-form.ts';
import classes from './approvals.module.css';

export type NativeFormProps = {
  item: ApprovalView;
  busy: boolean;
  onAnswer: (answer: { choices: string[]; text: string }) => void;
};

export function NativeForm({ item, busy, onAnswer }: NativeFormProps) {
  const [choices, setChoices] = useState<string[]>([]);
  const [text, setText] = useState('');
  const [pressed, setPressed] = useState(false);
  const heading = useId();
  const selection = item.selection ?? 'text';
  const shape = { selection, freeform: item.freeform === true, options: item.options ?? [] };
  const state = answerState(shape, { choices, text });
  const worded = selection === 'text' || shape.freeform;
  // What is missing is said after a press; what is too much is said at once.
  const shown = pressed || state.used > state.limit ? state.problem : null;

  return (
    <form
      aria-labelledby={heading}
      onSubmit={event => {
        event.preventDefault();
        setPressed(true);
        if (state.problem === null && !busy) onAnswer({ choices, text: text.trim() });
      }}
    >
      <Stack gap="md" mt="md">
        <span id={heading} className={classes.label} style={{ margin: 0 }}>
          {ASKS[selection]}
        </span>
        <Choices
          shape={shape}
          choices={choices}
          onChange={setChoices}
          disabled={busy}
          error={state.about === 'choices' ? shown : null}
        />
        {worded ? (
          <Textarea
            label={selection === 'text' ? 'Your answer' : 'In your own words, beside or instead of a choice'}
            value={text}
            onChange={event => setText(event.currentTarget.value)}
            disabled={busy}
            autosize
            minRows={2}
            maxRows={12}
            error={state.about === 'text' ? shown : null}
            description={roomLeft(state.used, state.limit)}
          />
        ) : null}
        <div>
          <Button type="submit" disabled={busy}>
            {busy ? 'Sending' : 'Send answer'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

const ASKS = { single: 'Choose one', multiple: 'Choose one or more', text: 'Answer in words' } as const;

type ChoicesProps = {
  shape: { selection: 'single' | 'multiple' | 'text'; options: readonly { id: string; label: string }[] };
  choices: string[];
  onChange: (choices: string[]) => void;
  disabled: boolean;
  error: string | null;
};

function Choices({ shape, choices, onChange, disabled, error }: ChoicesProps) {
  if (shape.selection === 'text') return null;
  if (shape.selection === 'multiple') {
    return (
      <Checkbox.Group
        value={choices}
        onChange={onChange}
        disabled={disabled}
        error={error}
        aria-label="Choices"
      >
        <Stack gap="sm">
          {shape.options.map(option => (
            <Checkbox
              key={option.id}
              value={option.id}
              label={<Visible text={option.label} />}
              disabled={disabled}
            />
          ))}
        </Stack>
      </Checkbox.Group>
    );
  }
  return (
    <Radio.Group
      value={choices[0] ?? null}
      onChange={value => onChange([value])}
      disabled={disabled}
      error={error}
      aria-label="Choices"
    >
      <Stack gap="sm">
        {shape.options.map(option => (
          <Radio
            key={option.id}
            value={option.id}
            label={<Visible text={option.label} />}
            disabled={disabled}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
