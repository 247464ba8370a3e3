// Permission prompts: a kind 9 request in the room with the whole action, answered by a kind 7 of exactly the person
// asked (spec/decisions.md 10 and 11). Every question ends as exactly one of allowed, denied, expired, withdrawn or
// refused, and nothing but an explicit `+` allows (cases D1 D5 D6 D7 D18 I15).

import { randomUUID } from 'node:crypto';
import type { Signer } from '../../relay/client/signer.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import { permissionContent } from '../../relay/protocol/permission-prompt.ts';
import { allowedBeforehand, BYPASS, type StandingPermissions } from '../../relay/protocol/permission-rule.ts';
import { tagValue, tagValues } from '../../relay/protocol/tags.ts';
import { inputText } from '../acp/updates.ts';
import type { PermissionAsk, PermissionOutcome } from '../program.ts';
import type { Report } from '../status.ts';
import { cut } from '../text.ts';
import { withdrawal } from './job.ts';
import type { ActiveRun, Journal, OpenPrompt } from './journal.ts';
import type { RunLimits } from './limits.ts';
import { Outbox } from './outbox.ts';

const MAX_SUBJECT = 150;

export type PermissionContext = {
  signer: Signer;
  journal: Journal;
  outbox: Outbox;
  report: Report;
  cwd: string;
  /** What people call the agent, for the question. */
  name(): string;
  limits(): RunLimits;
};

/** The run a question belongs to. */
export type Asking = { active: ActiveRun; deadline: number; changed(waiting: number): void };

type Open = {
  prompt: OpenPrompt;
  asked: string;
  key: string;
  asking: Asking;
  tool: string;
  /** What allows it beforehand, once the question stands on the relay; null while a person is waited for. */
  rule: string | null;
  timer: NodeJS.Timeout;
  settle(outcome: PermissionOutcome): void;
  outcome: Promise<PermissionOutcome>;
};

export class Permissions {
  /** What the person allowed beforehand. */
  standing: StandingPermissions = { rules: [], bypass: null };
  readonly #context: PermissionContext;
  readonly #open = new Map<string, Open>();

  constructor(context: PermissionContext) {
    this.#context = context;
  }

  /** Takes back what a runner that ended badly left open: nobody is there any more to act on an answer. */
  withdrawLeftovers(): void {
    const { journal, report } = this.#context;
    const now = Math.floor(Date.now() / 1000);
    const prompts = [...journal.state.prompts];
    if (prompts.length === 0) return;
    journal.change(state => {
      const open = prompts.filter(prompt => prompt.expires > now);
      Outbox.add(
        state,
        open.map(prompt => this.#withdrawal(prompt, 'the runner was restarted')),
      );
      state.prompts = [];
    });
    for (const prompt of prompts) {
      const ending = prompt.expires > now ? 'withdrawn' : 'expired';
      report({ ...permissionLine(prompt), ending });
    }
    this.#context.outbox.wake();
  }

  /** Asks the person; the same call with the same action joins the question that is already open. */
  ask(ask: PermissionAsk, asking: Asking): Promise<PermissionOutcome> {
    const allow = ask.options.find(option => option.kind === 'allow_once');
    if (allow === undefined) return Promise.resolve(this.#refuseWithoutAllow(ask));
    const content = permissionContent(actionOf(ask, this.#context.name()));
    if (!content.ok) return Promise.resolve(this.#refuse(ask, content.reason));
    // A repeated call id with another action is another question: a yes is for what was shown.
    const key = JSON.stringify([asking.active.run, ask.toolCallId, content.content]);
    const known = [...this.#open.values()].find(open => open.key === key);
    if (known !== undefined) return known.outcome;
    return this.#publish(ask, { content: content.content, optionId: allow.id, key }, asking);
  }

  /** A reaction from the relay: decides when it is by the person asked and says plainly `+` or `-`. */
  answered(event: NostrEvent): void {
    const open = tagValues(event, 'e')
      .map(id => this.#open.get(id))
      .find(entry => entry !== undefined);
    if (open === undefined || event.pubkey !== open.asked) return;
    if (event.created_at >= open.prompt.expires) return;
    const word = event.content.trim();
    // The record of a yes given beforehand may come before the relay's word that it has the question.
    if (word === '+' && open.rule !== null && tagValue(event, 'rule') === open.rule)
      this.delivered(open.prompt.request);
    else if (word === '+')
      open.settle({ ending: 'allowed', reason: 'a person allowed it', by: event.pubkey });
    else if (word === '-') open.settle({ ending: 'denied', reason: 'a person refused it', by: event.pubkey });
  }

  /** Closes every question of a run that is over, for whatever reason. */
  withdraw(run: string, reason: string): void {
    for (const open of [...this.#open.values()]) {
      if (open.prompt.run === run) open.settle({ ending: 'withdrawn', reason });
    }
  }

  /**
   * The relay has the question. One that is allowed beforehand is answered now, so that nothing is done of which there
   * is no record; when what allowed it was taken back meanwhile, a person is waited for like for any other.
   */
  delivered(request: string): void {
    const open = this.#open.get(request);
    if (open === undefined || open.rule === null) return;
    const rule = this.#allows(open.tool, open.asked, open.prompt.run);
    if (rule === open.rule) {
      const reason =
        rule === BYPASS ? 'no questions were to be asked for a while' : 'it was allowed beforehand';
      open.settle({ ending: 'allowed', reason, by: open.asked, rule });
      return;
    }
    open.rule = null;
    this.#context.report(permissionLine(open.prompt));
    open.asking.changed(this.#waiting(open.prompt.run));
  }

  /** The relay would not take the question: it was never asked. */
  notDelivered(request: string, reason: string): void {
    this.#open
      .get(request)
      ?.settle({ ending: 'refused', reason: `the relay refused the question: ${reason}` });
  }

  #publish(
    ask: PermissionAsk,
    { content, optionId, key }: { content: string; optionId: string; key: string },
    asking: Asking,
  ): Promise<PermissionOutcome> {
    const { signer, journal, outbox, report } = this.#context;
    const { active } = asking;
    const ends = Math.min(Date.now() + this.#context.limits().promptMs, asking.deadline);
    const expires = Math.ceil(ends / 1000);
    const asked = active.items[0]?.author ?? active.requester;
    const rule = this.#allows(ask.tool, asked, active.run);
    const event = signer.sign(this.#template(ask, { content, expires, asked, rule }, active));
    const title = cut(ask.title, MAX_SUBJECT);
    const prompt: OpenPrompt = { request: event.id, run: active.run, room: active.room, expires, title };
    const { promise, resolve } = Promise.withResolvers<PermissionOutcome>();
    const settle = (outcome: PermissionOutcome) => {
      if (!this.#open.delete(event.id)) return;
      clearTimeout(open.timer);
      this.#close(prompt, outcome, asking);
      resolve(outcome.ending === 'allowed' ? { ...outcome, optionId } : outcome);
    };
    const expire = () => settle({ ending: 'expired', reason: 'nobody answered in time' });
    const timer = setTimeout(expire, expires * 1000 - Date.now());
    const { tool } = ask;
    const open: Open = { prompt, asked, key, asking, tool, rule, timer, settle, outcome: promise };
    this.#open.set(event.id, open);
    journal.change(state => {
      state.prompts.push(prompt);
      Outbox.add(state, [event], active.run);
    });
    if (rule === null) {
      report(permissionLine(prompt));
      asking.changed(this.#waiting(active.run));
    }
    outbox.wake();
    return promise;
  }

  #close(prompt: OpenPrompt, outcome: PermissionOutcome, asking: Asking): void {
    const { journal, outbox, report } = this.#context;
    journal.change(state => {
      state.prompts = state.prompts.filter(({ request }) => request !== prompt.request);
      // One that expired before the relay ever had it would only be refused.
      if (outcome.ending === 'expired')
        state.outbox = state.outbox.filter(out => out.event.id !== prompt.request);
      if (outcome.ending !== 'withdrawn') return;
      Outbox.add(state, [this.#withdrawal(prompt, outcome.reason)], prompt.run);
    });
    const by = outcome.by === undefined ? {} : { by: outcome.by };
    const rule = outcome.rule === undefined ? {} : { rule: outcome.rule };
    report({ ...permissionLine(prompt), ending: outcome.ending, ...by, ...rule });
    const text = `permission "${prompt.title}" ${outcome.ending}: ${outcome.reason}`;
    report({ type: 'log', level: 'info', source: 'runner', text });
    asking.changed(this.#waiting(prompt.run));
    outbox.wake();
  }

  #template(
    ask: PermissionAsk,
    {
      content,
      expires,
      asked,
      rule,
    }: { content: string; expires: number; asked: string; rule: string | null },
    active: ActiveRun,
  ) {
    const tags = [
      ['h', active.room],
      ['e', active.root, '', 'root'],
      ['request', 'approve'],
      ['d', randomUUID()],
      ['p', asked],
      ['subject', cut(ask.title, MAX_SUBJECT)],
      ['expiration', String(expires)],
      ['tool', ask.tool],
      ['folder', this.#context.cwd],
      ['job', active.run],
      ...(rule === null ? [] : [['rule', rule]]),
    ];
    return { kind: KIND.chat, created_at: Math.floor(Date.now() / 1000), tags, content };
  }

  #withdrawal(prompt: OpenPrompt, reason: string): NostrEvent {
    const { request: id, room } = prompt;
    return this.#context.signer.sign(withdrawal({ id, kind: KIND.chat }, room, `Withdrawn: ${reason}.`));
  }

  #refuse(ask: PermissionAsk, reason: string): PermissionOutcome {
    const text = `permission "${cut(ask.title, MAX_SUBJECT)}" refused without asking: ${reason}`;
    this.#context.report({ type: 'log', level: 'warn', source: 'runner', text });
    return { ending: 'refused', reason };
  }

  #refuseWithoutAllow(ask: PermissionAsk): PermissionOutcome {
    const outcome = this.#refuse(ask, 'the program offers nothing that allows it once only');
    const reject = ask.options.find(option => option.kind === 'reject_once');
    return reject === undefined ? outcome : { ...outcome, optionId: reject.id };
  }

  #allows(tool: string, asked: string, job: string): string | null {
    return allowedBeforehand(this.standing, { asked, job, tool, now: Date.now() });
  }

  #waiting(run: string): number {
    return [...this.#open.values()].filter(open => open.prompt.run === run && open.rule === null).length;
  }
}

function permissionLine({ run, request, title, expires }: OpenPrompt) {
  return { type: 'permission' as const, run, request, title, expires: expires * 1000 };
}

function actionOf(ask: PermissionAsk, name: string) {
  const input = ask.rawInput;
  const command = commandOf(input);
  const allow = ask.options.find(option => option.kind === 'allow_once')?.name ?? '';
  const reject = ask.options.find(option => option.kind === 'reject_once')?.name;
  return {
    why: `${name} asks: may it do this once?`,
    title: ask.title,
    ...(command === undefined ? {} : { command }),
    ...(input === undefined ? {} : { input: inputText(input) }),
    details: ask.details,
    diffs: ask.diffs,
    places: ask.places,
    answers: [`Approve: ${allow}`, `Deny: ${reject ?? 'no'}`],
  };
}

/** The command line in an input that has one, easier to read than inside JSON; the whole input is shown as well. */
function commandOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('command' in input)) return undefined;
  const { command } = input;
  if (typeof command === 'string') return command;
  const words = Array.isArray(command) && command.every(word => typeof word === 'string');
  return words
    ? command.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
    : undefined;
}
