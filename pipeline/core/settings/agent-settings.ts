import { defineSetting } from './define-setting.ts'
import { file } from './place-kinds.ts'
import {
  agentToken,
  bundlePlaces,
  flag,
  httpUrl,
  names,
  port,
  tenantUrls,
} from './setting-kinds.ts'

/** Settings of the reference agent, and of how agents are tested. */
export const agentSettings = {
  AGENT_PORT: defineSetting(port.optional(), 'port of the reference agent', {
    shown: 'PORT + 200',
  }),
  AGENT_BASE_URL: defineSetting(
    httpUrl.optional(),
    'public URL of the reference agent, without a trailing slash',
    { shown: 'http://HOST:AGENT_PORT' },
  ),
  AGENT_URLS: defineSetting(
    tenantUrls.default({}),
    'JSON object with the public URLs of those tenants of the reference agent that have their own, such as `{"sales": "https://sales.example/mcp"}`',
    { shown: '{}' },
  ),
  AGENT_SIGNED_TASKS: defineSetting(
    names,
    'tasks of the reference agent whose requests must be signed (RFC 9421), separated by commas. For other tasks, a signature is optional',
  ),
  AGENT_SIGNER_KEYS: defineSetting(
    file.optional(),
    'file with a JWKS of keys that may sign requests to the reference agent for any operator. Other keys are looked up in the operator’s brand.json',
  ),
  AGENT_REVOKED_KEYS: defineSetting(
    names,
    'IDs of keys that may no longer sign requests to the reference agent, separated by commas',
  ),
  AGENT_LOOPBACK_WEBHOOKS: defineSetting(
    flag('false'),
    'whether the reference agent also posts webhooks to URLs of this machine (`http://127.0.0.1:…`). For tests; rejected if others can reach the agent',
    { shown: 'false' },
  ),
  TEST_AGENT_TOKEN: defineSetting(
    agentToken.default('public-test-token'),
    'public credential of the reference agent: it protects nothing',
    { shown: 'public-test-token' },
  ),
  STORYBOARDS: defineSetting(
    bundlePlaces,
    'additional bundles of storyboards, separated by commas: folders, or archives (`.tgz`) at https URLs. Agents are also tested with them if they support that version of the protocol (docs/operating.md)',
    { shown: 'those of the installed package' },
  ),
  REFERENCE_AGENT_URL: defineSetting(
    httpUrl.optional(),
    'agent to compare test runs with: its URL without the tenant’s part. It may be in a private network',
    { shown: 'AGENT_BASE_URL' },
  ),
  REFERENCE_AGENT_TOKEN: defineSetting(
    agentToken.optional(),
    'credential of the agent at REFERENCE_AGENT_URL, sent to no other agent',
    { secret: true, shown: 'TEST_AGENT_TOKEN' },
  ),
}
