// `diagnose`: does the relay answer, does it accept the key, is the key a member, and does its grant cover what is
// needed (spec/tinyagent-connector.md A3; seed, Diagnostics).

import { BadStatus, NoAnswer, type RelayHttp } from './relay-http.ts';

export type Needs = { rooms: string[]; kinds: number[] };
export type ProbeClass = 'authorization' | 'rate-limited' | 'protocol' | 'transport';
export type Verdict = 'ok' | 'needs-grant' | 'not-a-member' | 'unauthorized' | 'unreachable' | 'error';

type Probe = { ok: boolean; status: number; class?: ProbeClass; error?: string };

export type Report = {
  relay: string;
  pubkey: string;
  transport: Probe & { check: 'readyz' | 'nip11' };
  authentication: Probe;
  member: boolean;
  role: string;
  grant: unknown;
  state: string;
  enforced: boolean;
  allows?: unknown;
  rate?: number;
  expires?: number;
  needs?: Partial<Needs>;
  missing?: Needs;
  verdict: Verdict;
  advice: string;
};

const TIMEOUT = 10_000;
const MAX_PROBE = 1024 * 1024;

/** The exit status of a verdict. */
export const EXIT: Record<Verdict, number> = {
  ok: 0,
  'needs-grant': 2,
  'not-a-member': 2,
  unauthorized: 2,
  unreachable: 3,
  error: 3,
};

/** Asks the relay and puts the answers together; never throws for anything the relay does. */
export async function diagnose(
  http: RelayHttp,
  relay: string,
  pubkey: string,
  needs: Needs,
): Promise<Report> {
  const report: Report = {
    relay,
    pubkey,
    transport: await probeTransport(http),
    authentication: { ok: false, status: 0 },
    member: false,
    role: '',
    grant: null,
    state: 'none',
    enforced: false,
    verdict: 'ok',
    advice: '',
  };
  const asked = nonEmpty(needs);
  if (Object.keys(asked).length > 0) {
    report.needs = asked;
    report.missing = { rooms: [], kinds: [] };
  }
  if (!report.transport.ok) {
    return conclude(
      report,
      'unreachable',
      `the relay does not answer: ${report.transport.error ?? 'no reason'}`,
    );
  }
  return askForGrant(http, report, asked);
}

async function probeTransport(http: RelayHttp): Promise<Report['transport']> {
  const ready = await probe(http, { path: '/readyz', signed: false });
  if (ready.status >= 200 && ready.status <= 299) return { ok: true, check: 'readyz', status: ready.status };
  const headers = { accept: 'application/nostr+json' };
  const info = await probe(http, { path: '/', headers, signed: false });
  if (info.status > 0 && info.status < 500) return { ok: true, check: 'nip11', status: info.status };
  const error = info.error ?? `HTTP ${info.status}`;
  return { ok: false, check: 'nip11', status: info.status, class: 'transport', error };
}

async function probe(
  http: RelayHttp,
  request: Parameters<RelayHttp['send']>[0],
): Promise<{ status: number; body: string; error?: string }> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT);
    const { status, body } = await http.send({ ...request, signal, limit: MAX_PROBE });
    return { status, body: body.toString('utf8') };
  } catch (error) {
    if (error instanceof NoAnswer || error instanceof BadStatus)
      return { status: 0, body: '', error: error.message };
    throw error;
  }
}

async function askForGrant(http: RelayHttp, report: Report, asked: Partial<Needs>): Promise<Report> {
  const answer = await probe(http, {
    path: '/manage/rpc',
    method: 'POST',
    headers: { 'content-type': 'application/nostr+json+rpc' },
    body: JSON.stringify({ method: 'browsegrant', params: [asked] }),
  });
  const { status } = answer;
  const { result, error } = parse(answer.body);
  const said = answer.error ?? error ?? `HTTP ${status}`;
  const auth = report.authentication;
  auth.status = status;
  if (status === 400 && error?.startsWith('unsupported:')) {
    auth.ok = true;
    return conclude(report, 'ok', 'the relay accepts the key; it is too old to report grants');
  }
  if (status >= 200 && status <= 299 && result !== undefined) {
    auth.ok = true;
    return judge(report, result);
  }
  auth.error = said;
  if (status === 401 || status === 403) {
    auth.class = 'authorization';
    if (status === 403 && said.includes('members-only')) {
      return conclude(report, 'not-a-member', 'ask the owner of the relay for a grant or an invite');
    }
    return conclude(report, 'unauthorized', `the relay refuses the signature of this key: ${said}`);
  }
  if (status === 429) {
    auth.class = 'rate-limited';
    return conclude(report, 'unreachable', 'the relay asks to wait: try again later');
  }
  if (status === 0 || status >= 500 || (status >= 200 && status <= 299)) {
    auth.class = 'transport';
    return conclude(report, 'unreachable', `the relay gave no usable answer: ${said}`);
  }
  auth.class = 'protocol';
  return conclude(report, 'error', `the relay refused the question: ${said}`);
}

function judge(report: Report, result: Record<string, unknown>): Report {
  report.member = result.member === true;
  report.role = typeof result.role === 'string' ? result.role : '';
  report.grant = result.grant ?? null;
  report.state = typeof result.state === 'string' ? result.state : 'none';
  report.enforced = result.enforced === true;
  if (result.allows !== undefined) report.allows = result.allows;
  if (typeof result.rate === 'number') report.rate = result.rate;
  if (typeof result.expires === 'number') report.expires = result.expires;
  if (report.missing !== undefined) report.missing = missingOf(result.missing);
  if (!report.member) {
    return conclude(report, 'not-a-member', 'ask the owner of the relay for a grant or an invite');
  }
  if (!report.enforced)
    return conclude(report, 'ok', `the key acts as ${report.role || 'a member'}, no grant limits it`);
  const state: Record<string, string> = {
    paused: 'the grant is paused: ask its owner to resume it',
    revoked: 'the grant is revoked: ask for a new one',
    expired: 'the grant has expired: ask for a new one',
    none: 'the key holds no grant: ask for one',
  };
  const advice = state[report.state];
  if (advice !== undefined) return conclude(report, 'needs-grant', advice);
  const missing = missingWords(report.missing);
  if (missing !== '') return conclude(report, 'needs-grant', `call request_grant with ${missing}`);
  return conclude(report, 'ok', 'the grant is active and covers what was asked');
}

function missingOf(value: unknown): Needs {
  const { rooms, kinds } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  return {
    rooms: Array.isArray(rooms) ? rooms.filter(room => typeof room === 'string') : [],
    kinds: Array.isArray(kinds) ? kinds.filter(kind => typeof kind === 'number') : [],
  };
}

function missingWords(missing: Needs | undefined): string {
  const { rooms = [], kinds = [] } = missing ?? {};
  const parts: string[] = [];
  if (rooms.length > 0) parts.push(`rooms ${rooms.join(', ')}`);
  if (kinds.length > 0) parts.push(`kinds ${kinds.join(', ')}`);
  return parts.join(' and ');
}

function nonEmpty({ rooms, kinds }: Needs): Partial<Needs> {
  return { ...(rooms.length > 0 ? { rooms } : {}), ...(kinds.length > 0 ? { kinds } : {}) };
}

function parse(body: string): { result?: Record<string, unknown>; error?: string } {
  try {
    const { result, error } = JSON.parse(body) as { result?: unknown; error?: unknown };
    return {
      ...(typeof result === 'object' && result !== null ? { result: result as Record<string, unknown> } : {}),
      ...(typeof error === 'string' ? { error } : {}),
    };
  } catch {
    // Not JSON: the status has to speak for itself.
    return {};
  }
}

function conclude(report: Report, verdict: Verdict, advice: string): Report {
  report.verdict = verdict;
  report.advice = advice;
  return report;
}
