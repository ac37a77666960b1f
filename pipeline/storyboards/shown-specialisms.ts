import { badgeRoles } from '../model/badge.ts'
import type { ShownSpecialism } from '../model/compliance.ts'
import { type CatalogEntry, listStoryboards } from './catalog.ts'

/**
 * Lists the specialisms that a storyboard shows. Those of a specialism are in its folder: the
 * one of its category has to pass, and the others with their scenarios must not fail.
 */
export function listShown({ storyboard: { id }, source }: CatalogEntry): ShownSpecialism[] {
  const entries = listStoryboards().filter(entry => entry.source === source)
  return [...source.specialisms].flatMap(([specialism, protocol]): ShownSpecialism[] => {
    const role = badgeRoles.find(name => name === protocol)
    const own = entries.filter(
      ({ bundle }) => bundle.kind === 'specialism' && bundle.id === specialism,
    )
    const main = own.find(entry => entry.storyboard.category === specialism.replaceAll('-', '_'))
    if (role === undefined || main === undefined) return []
    if (main.storyboard.id === id) return [{ specialism, role, as: 'storyboard' }]
    const isScenario = own.some(
      ({ storyboard }) => storyboard.id === id || storyboard.requires_scenarios.includes(id),
    )
    return isScenario ? [{ specialism, role, as: 'scenario' }] : []
  })
}
