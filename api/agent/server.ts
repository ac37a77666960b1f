import { SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { listenAt } from '../../pipeline/core/listen.ts'
import { chooseAgentPort } from '../../pipeline/core/ports.ts'
import type { Fetcher } from '../../pipeline/fetch/http.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { type AgentDeps, buildAgentApp } from './app.ts'
import { readSignerKeys } from './signer-keys.ts'
import { AgentState } from './state/store.ts'
import { WebhookSender } from './webhooks/sender.ts'

/** Maximum size of an operator's brand.json or key set. */
const KEYS_BYTES = 1024 * 1024
const KEYS_DEADLINE_MS = 5 * SECOND

interface AgentRoleDeps extends Omit<AgentDeps, 'state'> {
  /** Posts webhooks; whoever starts the agent closes it. */
  fetcher: Pick<Fetcher, 'call' | 'fetchDocument'>
}

/** Runs the reference agent as a process: listens, and posts webhooks, until it is closed. */
export async function runAgent({
  fetcher,
  ...deps
}: AgentRoleDeps): Promise<{ url: string; close(): Promise<void> }> {
  const { config, clock, log } = deps
  const state = AgentState.open(
    resolvePaths(config.DATA_DIR).agentState,
    config.LIMITS.agentCredentialBytes,
  )
  const app = buildAgentApp({ ...deps, state, signers: findSigners(config, fetcher) })
  const sender = new WebhookSender({
    state,
    clock,
    log,
    fetcher,
    protocolName: config.PROTOCOL_NAME,
    signingProfile: config.SIGNING_PROFILE,
    reachesLoopback: config.AGENT_LOOPBACK_WEBHOOKS,
  })
  sender.start()
  const url = await listenAt(app, {
    host: config.HOST,
    port: chooseAgentPort(config),
    hostSetting: 'HOST',
    portSetting: 'AGENT_PORT',
  })
  // The token protects nothing: whoever starts the agent wants to call it.
  log.info({ url, token: config.TEST_AGENT_TOKEN }, 'listening')
  return {
    url,
    async close() {
      await app.close()
      await sender.close()
      await state.close()
    },
  }
}

/** Builds the lookup of request signers: keys of a file, and those of operators by their brand.json. */
function findSigners(
  { AGENT_SIGNER_KEYS: file, AGENT_REVOKED_KEYS: revoked }: Config,
  fetcher: Pick<Fetcher, 'fetchDocument'>,
): NonNullable<AgentDeps['signers']> {
  return {
    revoked,
    trusted: file === undefined ? undefined : readSignerKeys(file),
    async fetchJson(url, { redirects }) {
      const limits = { maxBytes: KEYS_BYTES, deadlineMs: KEYS_DEADLINE_MS }
      const fetched = await fetcher.fetchDocument(url, {
        ...limits,
        redirects: redirects ? 'same-site' : 'none',
        maxRedirects: redirects ? 3 : 0,
      })
      if (fetched.kind !== 'ok') return undefined
      try {
        return { value: JSON.parse(fetched.body.toString()), url: fetched.url }
      } catch {
        return undefined
      }
    },
  }
}
