// Who is typing, below the conversation. Always as high as a line, so that nothing jumps.

import { partyOf, usePeople } from '../parts/live.ts';
import { useTyping } from './presence.ts';
import classes from './room-view.module.css';

export function TypingLine({ room, me }: { room: string; me: string }) {
  const people = usePeople();
  const names = useTyping(room)
    .filter(pubkey => pubkey !== me)
    .map(pubkey => partyOf(people, pubkey).name);
  return (
    <div className={classes.typing} role="status">
      {typingWords(names)}
    </div>
  );
}

/** "a is typing", "a and b are typing", "a, b and 2 more are typing". */
export function typingWords(names: readonly string[]): string {
  const [first, second, ...more] = names;
  if (first === undefined) return '';
  if (second === undefined) return `${first} is typing`;
  if (more.length === 0) return `${first} and ${second} are typing`;
  return `${first}, ${second} and ${more.length} more are typing`;
}
