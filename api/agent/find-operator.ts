import { z } from 'zod'
import type { AgentCall } from './read-calls.ts'
import type { AgentState } from './state/store.ts'

const Account = z
  .looseObject({
    operator: z.string().max(253).optional().catch(undefined),
    account_id: z.string().max(200).optional().catch(undefined),
  })
  .optional()
  .catch(undefined)

const Entry = z.looseObject({ operator: z.string().max(253).optional(), account: Account })

/** Arguments that tell for whom a task is called. */
const OperatorHints = z.looseObject({
  account: Account,
  accounts: z.array(Entry).optional().catch(undefined),
  media_buy_id: z.string().max(200).optional().catch(undefined),
  event_source_id: z.string().max(200).optional().catch(undefined),
})

/**
 * Finds the operator that calls are made for: the one that they name, or that of the account, media buy
 * or event source that they name. Undefined where that is nobody, or more than one.
 */
export function findOperator(
  calls: readonly AgentCall[],
  tenant: string,
  state: AgentState,
): string | undefined {
  const operators = new Set(calls.flatMap(({ args }) => listOperators(args, tenant, state)))
  return operators.size === 1 ? [...operators][0] : undefined
}

function listOperators(
  args: Record<string, unknown>,
  tenant: string,
  state: AgentState,
): (string | undefined)[] {
  const { account, accounts = [], media_buy_id, event_source_id } = OperatorHints.parse(args)
  const refs = [...(account ? [account] : []), ...accounts.map(entry => entry.account ?? entry)]
  if (refs.length > 0) {
    return refs.map(({ operator, account_id }) => {
      const id = typeof account_id === 'string' ? account_id : undefined
      return operator ?? (id && state.get('account', tenant, id)?.operator)
    })
  }
  const buy = media_buy_id && state.get('media_buy', tenant, media_buy_id)
  if (buy) return [buy.account.operator]
  const scope = event_source_id && state.get('event_source_owner', tenant, event_source_id)
  const id = scope?.split(' ')[1]
  return [id && state.get('account', tenant, id)?.operator]
}
