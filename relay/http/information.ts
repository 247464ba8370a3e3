// The relay's information document (NIP-11, spec/http-surface.md section 5). Every limit in it is one that is enforced.

import project from '../../package.json' with { type: 'json' };
import type { RelayContext } from '../context.ts';

/** NIPs this relay implements, each with a test; a hex-named one is no integer and is not listed. */
const SUPPORTED_NIPS: readonly number[] = [1, 9, 11, 17, 29, 40, 42, 43, 56, 59, 62, 65, 67, 70, 86, 98];

/** The document as a value; read anew for each request because policy and grants change. */
export function informationDocument(context: RelayContext): Record<string, unknown> {
  const policy = context.policy();
  return {
    name: policy.name,
    description: policy.description,
    ...(policy.owner === '' ? {} : { pubkey: policy.owner }),
    self: context.self.pubkey,
    self_url: context.urls.ws,
    supported_nips: supportedNips(context),
    software: project.name,
    version: project.version,
    limitation: limitation(context),
    // Says only that agents are welcome, nothing about any of them (seed, Discovery).
    ...(context.store.grants.anyActive() ? { agents: { id: 'agents', status: 'enabled' } } : {}),
    ...whenSet({
      icon: policy.icon,
      banner: policy.banner,
      contact: policy.contact,
      posting_policy: policy.postingPolicy,
      privacy_policy: policy.privacyPolicy,
      tags: policy.tags,
      language_tags: policy.languageTags,
      relay_countries: policy.relayCountries,
    }),
  };
}

function supportedNips(context: RelayContext): number[] {
  const { features, minPow } = context.policy();
  const search = features.search === 'off' ? [] : [50];
  const sync = features.sync ? [77] : [];
  const extra = [...search, ...sync, ...(features.count ? [45] : []), ...(minPow > 0 ? [13] : [])];
  return [...SUPPORTED_NIPS, ...extra].sort((one, other) => one - other);
}

function limitation(context: RelayContext): Record<string, unknown> {
  const { limits } = context;
  const policy = context.policy();
  return {
    max_message_length: limits.messageBytes,
    max_subscriptions: limits.subscriptions,
    max_limit: limits.filterLimit,
    default_limit: limits.defaultLimit,
    max_subid_length: limits.subscriptionId,
    max_event_tags: limits.tags,
    max_content_length: limits.contentCharacters,
    created_at_upper_limit: policy.maxFuture,
    ...(policy.minPow > 0 ? { min_pow_difficulty: policy.minPow } : {}),
    auth_required: policy.reads !== 'open',
    payment_required: false,
    restricted_writes: policy.writes !== 'open',
  };
}

function whenSet(fields: Record<string, string | readonly string[]>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value.length > 0));
}
