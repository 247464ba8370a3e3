// A native card as a real form: radio, checkboxes, words, or words beside choices, with the seed's limits while typing.

import { Button, Checkbox, Radio, Stack, Textarea } from '@mantine/core';
import { useId, useState } from 'react';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import { type Interaction, MAX_ANSWER, parseInteraction } from '../../relay/protocol/interaction.ts';
import { Visible } from '../parts/verbatim.tsx';
import { type AnswerDraft, answerState, roomLeft, tidied } from './answer-form.ts';
import classes from './approvals.module.css';

export type NativeFormProps = { item: ApprovalView; busy: boolean; onAnswer: (answer: AnswerDraft) => void };

export function NativeForm({ item, busy, onAnswer }: NativeFormProps) {
  const card = parseInteraction(item.event);
  if (!card.ok)
    return <p className={classes.label}>Its choices cannot be read, so it cannot be answered here.</p>;
  return <CardForm card={card.value} busy={busy} onAnswer={onAnswer} />;
}

const ASKS = { single: 'Choose one', multiple: 'Choose one or more', text: 'Answer in words' } as const;

type CardFormProps = Omit<NativeFormProps, 'item'> & { card: Interaction };

function CardForm({ card, busy, onAnswer }: CardFormProps) {
  const [draft, setDraft] = useState<AnswerDraft>({ choices: [], text: '' });
  const [pressed, setPressed] = useState(false);
  const heading = useId();
  const state = answerState(card, draft);
  // What is missing is said after a press; what is too much is said at once.
  const shown = pressed || state.used > MAX_ANSWER ? state.problem : null;
  return (
    <form
      aria-labelledby={heading}
      onSubmit={event => {
        event.preventDefault();
        setPressed(true);
        if (state.problem === null && !busy) onAnswer(tidied(card, draft));
      }}
    >
      <Stack gap="md" mt="md">
        <span id={heading} className={classes.label} style={{ margin: 0 }}>
          {ASKS[card.selection]}
        </span>
        <Choices
          card={card}
          choices={draft.choices}
          onChange={choices => setDraft({ ...draft, choices })}
          disabled={busy}
          error={state.about === 'choices' ? shown : null}
        />
        {card.selection === 'text' || card.freeform ? (
          <Textarea
            label={
              card.selection === 'text' ? 'Your answer' : 'In your own words, beside or instead of a choice'
            }
            value={draft.text}
            onChange={event => setDraft({ ...draft, text: event.currentTarget.value })}
            disabled={busy}
            autosize
            minRows={2}
            maxRows={12}
            error={state.about === 'text' ? shown : null}
            description={roomLeft(state.used)}
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

type ChoicesProps = {
  card: Interaction;
  choices: string[];
  onChange: (choices: string[]) => void;
  disabled: boolean;
  error: string | null;
};

function Choices({ card, choices, onChange, disabled, error }: ChoicesProps) {
  if (card.selection === 'text') return null;
  if (card.selection === 'multiple') {
    return (
      <Checkbox.Group value={choices} onChange={onChange} error={error} aria-label="Choices">
        <Stack gap="sm">
          {card.options.map(({ id, label }) => (
            <Checkbox key={id} value={id} label={<Visible text={label} />} disabled={disabled} />
          ))}
        </Stack>
      </Checkbox.Group>
    );
  }
  return (
    <Radio.Group
      value={choices[0] ?? null}
      onChange={value => onChange([value])}
      error={error}
      aria-label="Choices"
    >
      <Stack gap="sm">
        {card.options.map(({ id, label }) => (
          // With words beside the choices, pressing the chosen one again takes it back.
          <Radio
            key={id}
            value={id}
            label={<Visible text={label} />}
            disabled={disabled}
            onClick={() => {
              if (card.freeform && choices[0] === id) onChange([]);
            }}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
