// Checks of the published conformance suite that /mcp does not pass, each with the reason; docs/conformance-mcp.md tells
// them to people. A check that fails and is not here, or is here and passes, fails the test.

export type Gap = { reason: string; checks: readonly string[] };

const NO_PROMPTS = 'The relay offers no prompts.';
const NO_RESOURCES = 'The relay offers no resources.';
const NO_COMPLETION = 'There are no prompts or resources whose arguments could be completed.';
const NO_TEST_TOOL = "The check calls a tool of the suite's own, which a relay does not have.";
const NO_QUESTIONS =
  'No tool asks the client anything while it runs: a write tool answers a template instead.';
const NO_LOGGING = 'The endpoint sends no log messages to clients.';
const NO_HEADERS = 'No tool asks for an argument in a header.';

const BOTH: readonly Gap[] = [
  {
    reason: NO_PROMPTS,
    checks: [
      'prompts-list',
      'prompts-get-simple',
      'prompts-get-with-args',
      'prompts-get-embedded-resource',
      'prompts-get-with-image',
    ],
  },
  {
    reason: NO_RESOURCES,
    checks: ['resources-list', 'resources-read-text', 'resources-read-binary', 'resources-templates-read'],
  },
  { reason: NO_COMPLETION, checks: ['completion-complete'] },
  {
    reason: NO_TEST_TOOL,
    checks: [
      'json-schema-2020-12-tool-found',
      'tools-call-simple-text',
      'tools-call-image',
      'tools-call-audio',
      'tools-call-embedded-resource',
      'tools-call-mixed-content',
      'tools-call-error',
      'tools-call-with-progress',
    ],
  },
];

export const GAPS: Readonly<Record<'2026-07-28' | '2025-11-25', readonly Gap[]>> = {
  '2026-07-28': [
    ...BOTH,
    { reason: NO_PROMPTS, checks: ['sep-2549-prompts-list-caching-hints', 'sep-2322-non-tool-incomplete'] },
    {
      reason: NO_RESOURCES,
      checks: ['sep-2549-resources-list-caching-hints', 'sep-2549-resources-templates-list-caching-hints'],
    },
    {
      reason: NO_HEADERS,
      checks: [
        'sep-2243-server-no-xmcp-tool',
        'sep-2243-server-decode-base64',
        'sep-2243-server-validate-param-match',
        'sep-2243-server-reject-invalid-param-chars',
        'sep-2243-server-reject-param-mismatch',
      ],
    },
    {
      reason: NO_QUESTIONS,
      checks: [
        'sep-2322-elicitation-incomplete',
        'sep-2322-list-roots-incomplete',
        'sep-2322-sampling-incomplete',
        'sep-2322-respect-client-capabilities',
        'sep-2322-multi-round-r1',
        'sep-2322-multiple-inputs-incomplete',
        'sep-2322-request-state-incomplete',
        'sep-2322-result-type-included',
        'sep-2322-reject-tampered-state',
        'sep-2575-server-rejects-undeclared-capability',
        'sep-2575-missing-capability-http-400',
        'sep-2575-http-server-no-independent-requests-on-stream',
      ],
    },
    { reason: NO_LOGGING, checks: ['sep-2575-server-no-log-without-loglevel'] },
  ],
  '2025-11-25': [
    ...BOTH,
    { reason: NO_RESOURCES, checks: ['resources-subscribe', 'resources-unsubscribe'] },
    { reason: NO_LOGGING, checks: ['logging-set-level', 'tools-call-with-logging'] },
    {
      reason: NO_QUESTIONS,
      checks: [
        'elicitation-sep1034-general',
        'elicitation-sep1330-general',
        'tools-call-elicitation',
        'tools-call-sampling',
      ],
    },
  ],
};
