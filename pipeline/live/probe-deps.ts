import type { Clock } from '../core/clock.ts'
import type { McpDeps } from '../crawl/mcp/session.ts'
import type { Fetcher } from '../fetch/http.ts'

/** Dependencies of a probe of a live agent. */
export interface ProbeDeps extends McpDeps {
  fetcher: Pick<Fetcher, 'call' | 'fetchDocument'>
  clock: Clock
}
