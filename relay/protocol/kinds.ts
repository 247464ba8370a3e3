// Event kinds by name, and the storage class of each (NIP-01, NIP-29, seeds).

export const KIND = {
  profile: 0,
  note: 1,
  contacts: 3,
  encryptedMessage: 4,
  deletion: 5,
  repost: 6,
  reaction: 7,
  chat: 9,
  thread: 11,
  threadReply: 12,
  seal: 13,
  genericRepost: 16,
  vanish: 62,
  /** Its `h` is a group of the Marmot protocol, not a room. */
  marmotMessage: 445,
  wikiMerge: 818,
  giftWrap: 1059,
  comment: 1111,
  patch: 1617,
  pullRequest: 1618,
  pullRequestUpdate: 1619,
  issue: 1621,
  statusOpen: 1630,
  statusApplied: 1631,
  statusClosed: 1632,
  statusDraft: 1633,
  report: 1984,
  siteSnapshot: 5128,
  memberAdded: 8000,
  memberRemoved: 8001,
  putUser: 9000,
  removeUser: 9001,
  editMetadata: 9002,
  deleteEvent: 9005,
  createRoom: 9007,
  deleteRoom: 9008,
  createInvite: 9009,
  updatePins: 9010,
  joinRequest: 9021,
  leaveRequest: 9022,
  relayList: 10002,
  directRelayList: 10050,
  roster: 13534,
  rootSite: 15128,
  presence: 20001,
  typing: 20002,
  ephemeralGiftWrap: 21059,
  auth: 22242,
  nostrConnect: 24133,
  blobAuth: 24242,
  httpAuth: 27235,
  joinClaim: 28934,
  inviteResponse: 28935,
  leaveRelay: 28936,
  article: 30023,
  agentGrant: 30392,
  repository: 30617,
  repositoryState: 30618,
  wikiPage: 30818,
  wikiRedirect: 30819,
  roleDefinition: 33534,
  namedSite: 35128,
  roomMetadata: 39000,
  roomAdmins: 39001,
  roomMembers: 39002,
  roomRoles: 39003,
  roomPins: 39005,
  richContent: 40002,
  edit: 40003,
  jobRequest: 43001,
  jobAccepted: 43002,
  jobProgress: 43003,
  jobResult: 43004,
  jobCancel: 43005,
  jobError: 43006,
  roomMemberAdded: 44100,
  roomMemberRemoved: 44101,
} as const;

export type KindClass = 'regular' | 'replaceable' | 'ephemeral' | 'addressable';

/** The storage class of a kind (NIP-01); kinds the NIP leaves out are regular. */
export function kindClass(kind: number): KindClass {
  if (kind === 0 || kind === 3 || (kind >= 10000 && kind < 20000)) return 'replaceable';
  if (kind >= 20000 && kind < 30000) return 'ephemeral';
  if (kind >= 30000 && kind < 40000) return 'addressable';
  return 'regular';
}

export const JOB_KINDS: readonly number[] = [43001, 43002, 43003, 43004, 43005, 43006];
/** Kinds that count as a message in a room's conversation. */
export const MESSAGE_KINDS: readonly number[] = [KIND.chat, KIND.thread, KIND.threadReply, KIND.richContent];
