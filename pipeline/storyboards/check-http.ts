import { parseUrl } from '../core/url.ts'
import type { Check, Finding, Judged } from './judged.ts'

const noAnswer = 'no answer over HTTP'

function judgeStatus(expected: readonly number[], { http }: Judged): Finding {
  const passed = http !== undefined && expected.includes(http.status)
  return {
    passed,
    expected: expected.length === 1 ? expected[0] : expected,
    actual: http?.status ?? noAnswer,
  }
}

/** Checks of an answer as it came over HTTP. */
const onUnauthorized: Check<'on_401_require_header'> = ({ value }, { http }) => {
  const header = http?.headers[value.toLowerCase()]
  return {
    passed: http?.status !== 401 || (header !== undefined && header !== ''),
    expected: `a header ${value}`,
    actual: 'none',
  }
}

const resourceIsAgent: Check<'resource_equals_agent_url'> = (_, { outcome, agentUrl }) => {
  const { resource } = outcome.payload
  const passed = typeof resource === 'string' && toPlainUrl(resource) === toPlainUrl(agentUrl)
  return { passed, expected: agentUrl, actual: resource, path: 'resource' }
}

/** Writes an address without what does not tell agents apart: case of the host, query, a last slash. */
function toPlainUrl(url: string): string {
  const parsed = parseUrl(url)
  if (parsed === undefined) return url
  const { protocol, host, pathname } = parsed
  return `${protocol}//${host}${pathname.replace(/(?<=.)\/$/, '')}`
}

export const httpChecks = {
  http_status: ({ value }: { value: number }, judged: Judged) => judgeStatus([value], judged),
  http_status_in: ({ allowed_values }: { allowed_values: number[] }, judged: Judged) =>
    judgeStatus(allowed_values, judged),
  on_401_require_header: onUnauthorized,
  resource_equals_agent_url: resourceIsAgent,
}
