import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { AccountRef, CallersId, resolveAccount } from '../accounts.ts'
import {
  type ContentStandards,
  findStandards,
  listStandards,
  refuseRegistryPolicies,
  StandardsChange,
  StandardsContent,
  saveStandards,
} from '../governance/content-standards.ts'
import { cutPage, Pagination } from '../paging.ts'
import { defineTask } from '../task.ts'

const Place = z.object({ standards_id: CallersId, account: AccountRef.optional() })
const RegistryPolicies = z.array(z.string()).optional().describe('Not read here: send policies')
const Some = z.array(z.string()).min(1).optional()

export const createContentStandards = defineTask({
  name: 'create_content_standards',
  title: 'Create content standards',
  description: 'Stores a brand’s rules about the content next to which its ads are shown',
  input: StandardsContent.extend({
    account: AccountRef.optional(),
    registry_policy_ids: RegistryPolicies,
  }),
  mutates: true,
  run({ account, registry_policy_ids, ...rest }, context) {
    refuseRegistryPolicies(registry_policy_ids)
    if (account) resolveAccount(account, context)
    const standards_id = `cs_${randomUUID()}`
    const content = StandardsContent.parse(rest)
    const standards = { standards_id, content, ...(account && { account }), createdAt: context.now }
    saveStandards(standards, context)
    return { standards_id, sandbox: true }
  },
})

export const getContentStandards = defineTask({
  name: 'get_content_standards',
  title: 'Get content standards',
  description: 'Returns the rules and examples of content standards',
  input: Place,
  run({ standards_id, account }, context) {
    return { ...describeStandards(findStandards(standards_id, account, context)), sandbox: true }
  },
})

export const updateContentStandards = defineTask({
  name: 'update_content_standards',
  title: 'Change content standards',
  description: 'Changes the given fields of content standards and keeps the others',
  input: StandardsChange.extend({ ...Place.shape, registry_policy_ids: RegistryPolicies }),
  mutates: true,
  run({ standards_id, account, registry_policy_ids, scope, ...rest }, context) {
    refuseRegistryPolicies(registry_policy_ids)
    const known = findStandards(standards_id, account, context)
    const content = StandardsContent.parse({
      ...known.content,
      ...rest,
      scope: { ...known.content.scope, ...scope },
    })
    saveStandards({ ...known, content }, context)
    return { success: true, standards_id, sandbox: true }
  },
})

export const listContentStandards = defineTask({
  name: 'list_content_standards',
  title: 'List content standards',
  description: 'Lists the content standards of an account; you can filter them',
  input: z.object({
    account: AccountRef.optional(),
    channels: Some,
    languages: Some,
    countries: Some,
    pagination: Pagination.optional(),
  }),
  run({ account, channels, languages, countries, pagination: paging }, context) {
    const found = listStandards(account, context).filter(
      ({ content: { scope } }) =>
        hasAny(scope.channels_any, channels) &&
        hasAny(scope.languages_any, languages) &&
        hasAny(scope.countries_all, countries),
    )
    const { items, pagination } = cutPage(found, paging)
    return { standards: items.map(describeStandards), pagination, sandbox: true }
  },
})

/** Tells whether standards are for something that is asked for: those that name nothing are for all. */
function hasAny(own: readonly string[] | undefined, asked: readonly string[] | undefined) {
  return !own || !asked || asked.some(value => own.includes(value))
}

function describeStandards({ standards_id, content }: ContentStandards): Record<string, unknown> {
  const { scope, policies, calibration_exemplars: exemplars } = content
  const { countries_all, channels_any, languages_any, description } = scope
  return {
    standards_id,
    ...(description !== undefined && { name: description }),
    ...(countries_all && { countries_all }),
    ...(channels_any && { channels_any }),
    languages_any,
    policies,
    ...(exemplars && { calibration_exemplars: describeExemplars(exemplars) }),
  }
}

/** Describes the examples that are content; of others only the address is known. */
function describeExemplars({
  pass,
  fail,
}: NonNullable<ContentStandards['content']['calibration_exemplars']>) {
  const list = (some: typeof pass = []) => some.filter(exemplar => 'assets' in exemplar)
  return { pass: list(pass), fail: list(fail) }
}
