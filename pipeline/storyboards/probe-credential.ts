import { randomBytes } from 'node:crypto'
import type { StepAuth } from '../model/storyboards/storyboard.ts'
import type { RunState } from './run-state.ts'

/**
 * Chooses the header `Authorization` of a step with credentials of its own: none, the agent’s own, that of
 * the test kit where the agent has none, or one that was made up and must be refused.
 */
export function chooseAuthorization(
  auth: StepAuth,
  own: string | undefined,
  { kit, agentUrl }: Pick<RunState, 'kit' | 'agentUrl'>,
): string | undefined {
  if (auth === 'none') return undefined
  if (auth.value_strategy === 'random_invalid') {
    return `Bearer invalid-${randomBytes(32).toString('hex')}`
  }
  if (auth.value_strategy === 'random_invalid_jwt') return `Bearer ${buildInvalidToken(agentUrl)}`
  const key = kit?.auth.api_key
  return own ?? (key === undefined ? undefined : `Bearer ${key}`)
}

/** Builds a token that is well-formed, so that its signature is what an agent must look at. */
function buildInvalidToken(aud: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const head = encode({ alg: 'RS256', typ: 'JWT' })
  return `${head}.${encode({ sub: 'invalid', aud })}.${randomBytes(256).toString('base64url')}`
}
