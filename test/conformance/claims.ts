import { resolveBundleOrStoryboard, resolveStoryboardsForCapabilities } from '@adcp/sdk/testing'
import { tenants } from '../../api/agent/tenants.ts'
import { rows } from './storyboards.ts'

/** Lists storyboards, as `tenant id`, that the capabilities of a tenant select and that no row runs. */
export function listUnrunClaims(): string[] {
  const ids = new Map(
    [...new Set(rows.map(({ name }) => name))].map(name => [
      name,
      resolveBundleOrStoryboard(name).flatMap(({ id, requires_scenarios = [] }) => [
        id,
        ...requires_scenarios,
      ]),
    ]),
  )
  return tenants.flatMap(({ name, protocols, specialisms, tasks }) => {
    const run = new Set(
      rows
        .filter(({ tenant, others = [] }) => [tenant, ...others].includes(name))
        .flatMap(row => ids.get(row.name)!),
    )
    const tools = tasks.map(task => task.name('adcp'))
    const claims = { supported_protocols: [...protocols], specialisms: [...specialisms] }
    return resolveStoryboardsForCapabilities(claims)
      .storyboards.filter(({ required_tools = [] }) => required_tools.every(t => tools.includes(t)))
      .filter(({ id }) => !run.has(id))
      .map(({ id }) => `${name} ${id}`)
  })
}
