import { TaskError } from '../errors.ts'
import type { TaskContext } from '../task-context.ts'
import { attachCreative } from './assignments.ts'
import type { MediaBuy } from './media-buy.ts'

declare module '../state/store.ts' {
  interface Records {
    /** Ids of packages that wait for a creative, by tenant and the creative's id. */
    awaited_creative: readonly string[]
  }
}

/** Packages at most that wait for one creative. */
const PACKAGES_MAX = 100

/** Records the creatives for which the packages of a new buy wait. */
export function noteAwaited(buy: MediaBuy, { state, tenant, now }: TaskContext): void {
  for (const { package_id, awaited = [] } of buy.packages) {
    for (const { creative_id } of awaited) {
      const known = state.get('awaited_creative', tenant, creative_id) ?? []
      const waiting = [...known, package_id].slice(-PACKAGES_MAX)
      state.put('awaited_creative', tenant, creative_id, waiting, { now })
    }
  }
}

/** Assigns a new creative to the packages that wait for it, if they accept it. */
export function attachAwaited(creativeId: string, context: TaskContext): void {
  const { state, tenant } = context
  const waiting = state.get('awaited_creative', tenant, creativeId) ?? []
  state.remove('awaited_creative', tenant, creativeId)
  for (const packageId of waiting) {
    try {
      attachCreative(packageId, { creative_id: creativeId }, context, 'creatives')
    } catch (error) {
      if (!(error instanceof TaskError)) throw error
    }
  }
}
