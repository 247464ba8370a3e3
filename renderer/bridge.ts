// The only way to main: calls and pushes, over Electron's preload or over HTTP to the address this page came from.
// Nothing else reads the window global or fetches (design.md, "Two shells, one program").

import { QueryClient, type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { Failure, Reply } from '../main/contract/contract.ts';
import type { CallInput, CallName, CallResult, PushName, PushValue } from '../main/contract/features.ts';

type Push = { name: PushName; value: unknown };
type Transport = {
  call(name: string, args: unknown): Promise<Reply<unknown>>;
  onPush(listener: (push: Push) => void): () => void;
};

declare global {
  interface Window {
    /** What Electron's preload exposes; absent in a browser. */
    tiny?: Transport;
  }
}

/** What `call` throws: main's own words about what went wrong. */
export class CallError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'CallError';
    this.failure = failure;
  }
}

/** The failure inside anything thrown, so that every error can be shown the same way. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CallError) return error.failure;
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: 'failed', message: 'Something in the dashboard went wrong.', details };
}

const gone: Failure = {
  kind: 'unavailable',
  message: 'The program does not answer. If it was closed, start it again; this page reconnects by itself.',
};
const signedOut: Failure = {
  kind: 'unavailable',
  message: 'This page may no longer speak to the program. Open the dashboard again from the program.',
};

/** This page's name for itself, so that main can tell what each open page looks at. */
const page = crypto.randomUUID();

async function post(name: string, args: unknown): Promise<Reply<unknown>> {
  let response: Response;
  try {
    response = await fetch(`./bridge/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-tiny-page': page },
      body: JSON.stringify(args),
      credentials: 'same-origin',
    });
  } catch (error) {
    return { ok: false, failure: { ...gone, details: String(error) } };
  }
  const text = await response.text();
  try {
    const reply = JSON.parse(text) as Reply<unknown>;
    if (typeof reply.ok === 'boolean') return reply;
  } catch {
    // Not an answer of ours: the status says more than the text does.
  }
  const refused = response.status === 401 || response.status === 403;
  return {
    ok: false,
    failure: { ...(refused ? signedOut : gone), details: `${response.status} ${text.slice(0, 500)}` },
  };
}

const inElectron = window.tiny;
const pushListeners = new Set<(push: Push) => void>();
const linkListeners = new Set<() => void>();
const reconnectListeners = new Set<() => void>();

/**
 * How the stream of pushes stands. `refused`: the program is there and this page is not one it knows, because it
 * was started anew since.
 */
export type Link = 'open' | 'broken' | 'refused';
let link: Link = 'open';

function setLink(next: Link): void {
  if (next === link) return;
  link = next;
  for (const listener of linkListeners) listener();
  // What was pushed meanwhile is lost: everything on screen is asked for again.
  if (next !== 'open') return;
  void queries.invalidateQueries();
  for (const listener of reconnectListeners) listener();
}

function deliver(push: Push): void {
  for (const listener of [...pushListeners]) listener(push);
}

/** Keeps one stream of pushes open for the whole page, and says when it is not. */
function listen(): void {
  const source = new EventSource(`./bridge/pushes?page=${page}`);
  source.onopen = () => setLink('open');
  source.onmessage = message => deliver(JSON.parse(message.data) as Push);
  source.onerror = () => {
    if (link === 'open') setLink('broken');
    // The browser gives up for good when it is answered with a refusal; the program may be starting.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => void listenAgain(), 2000);
  };
}

/** A stream does not say why it was refused, so that is asked apart. */
async function listenAgain(): Promise<void> {
  try {
    const { status } = await fetch('./bridge/pushes', { method: 'HEAD', credentials: 'same-origin' });
    setLink(status === 401 || status === 403 ? 'refused' : 'broken');
  } catch {
    // Nobody is there: the stream's own attempt says when somebody is.
    setLink('broken');
  }
  listen();
}

/** Opens the stream of pushes. Called once, at the start of the page. */
export function startPushes(): void {
  if (inElectron) inElectron.onPush(deliver);
  else listen();
}

/** Asks main for something. Throws CallError with the failure when it was not done. */
export async function call<N extends CallName>(name: N, args: CallInput<N>): Promise<CallResult<N>> {
  const reply = await (inElectron ? inElectron.call(name, args) : post(name, args));
  if (reply.ok) return reply.value as CallResult<N>;
  throw new CallError(reply.failure);
}

/** Answers are kept until a push or a person changes them: nothing polls. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // Main is on this machine: it answers also when the machine has no network.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** The answer to a call, kept and shared by its name and arguments. */
export function useCall<N extends CallName>(
  name: N,
  args: CallInput<N>,
  options: { enabled?: boolean } = {},
): UseQueryResult<CallResult<N>, Error> {
  return useQuery<CallResult<N>, Error>({
    queryKey: [name, args],
    queryFn: () => call(name, args),
    enabled: options.enabled ?? true,
  });
}

/** A call a person makes by pressing something: `mutate(args)`, `isPending`, `error`. */
export function useAct<N extends CallName>(name: N) {
  return useMutation<CallResult<N>, Error, CallInput<N>>({ mutationFn: args => call(name, args) });
}

/** Listens to one push from outside React; answers how to stop. */
export function onPush<N extends PushName>(name: N, listener: (value: PushValue<N>) => void): () => void {
  const heard = (push: Push) => {
    if (push.name === name) listener(push.value as PushValue<N>);
  };
  pushListeners.add(heard);
  return () => pushListeners.delete(heard);
}

/** Listens to one push for as long as the component is there; the newest handler is the one called. */
export function usePush<N extends PushName>(name: N, handler: (value: PushValue<N>) => void): void {
  const newest = useRef(handler);
  useEffect(() => {
    newest.current = handler;
  });
  useEffect(() => onPush(name, value => newest.current(value)), [name]);
}

/** Called when the stream of pushes is back: what was pushed meanwhile is lost. For what `queries` does not hold. */
export function onReconnect(listener: () => void): () => void {
  reconnectListeners.add(listener);
  return () => reconnectListeners.delete(listener);
}

function watchLink(listener: () => void): () => void {
  linkListeners.add(listener);
  return () => linkListeners.delete(listener);
}

/** How the stream of pushes stands; while it is not open it is being opened again. */
export function useLink(): Link {
  return useSyncExternalStore(watchLink, () => link);
}
