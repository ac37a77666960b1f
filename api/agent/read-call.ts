import { z } from 'zod'

const Account = z.looseObject({ operator: z.string().max(253) })

const CallArguments = z.looseObject({
  account: Account.optional().catch(undefined),
  accounts: z.array(Account).optional().catch(undefined),
})

/** A call of a task by MCP, as far as it matters before the task is carried out. */
const Call = z.looseObject({
  method: z.literal('tools/call'),
  params: z.looseObject({ name: z.string(), arguments: CallArguments.optional().catch(undefined) }),
})

/** Reads which task a body calls, and for which operator. */
export function readCall(body: unknown): { task?: string; operator?: string } {
  const call = Call.safeParse(body)
  if (!call.success) return {}
  const { name, arguments: args } = call.data.params
  const operator = args?.account?.operator ?? args?.accounts?.[0]?.operator
  return { task: name, ...(operator !== undefined && { operator }) }
}
