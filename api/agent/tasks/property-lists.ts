import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { HOUR, toIso } from '../../../pipeline/core/clock.ts'
import { AccountRef, CallersId, resolveAccount } from '../accounts.ts'
import {
  findPropertyList,
  ListContent,
  listPropertyLists,
  type PropertyList,
  savePropertyList,
} from '../governance/property-list.ts'
import { resolveProperties } from '../governance/resolve-properties.ts'
import { cutPage, Pagination } from '../paging.ts'
import { defineTask } from '../task.ts'

/** Hours for which a seller may use a list that it has read. */
const CACHE_HOURS = 24
/** Properties of a page, which are more than the entries of other lists. */
const PROPERTIES_DEFAULT = 1_000
const PROPERTIES_MAX = 10_000

const Place = z.object({ list_id: CallersId, account: AccountRef.optional() })

export const createPropertyList = defineTask({
  name: 'create_property_list',
  title: 'Create a property list',
  description:
    'Stores which properties a buyer approves, and returns a token that lets sellers read the list',
  input: ListContent.extend({ account: AccountRef.optional() }),
  mutates: true,
  run({ account, ...rest }, context) {
    if (account) resolveAccount(account, context)
    const list: PropertyList = {
      list_id: `pl_${randomUUID()}`,
      // The request also has its key.
      content: ListContent.parse(rest),
      ...(account && { account }),
      token: randomUUID(),
      createdAt: context.now,
      updatedAt: context.now,
    }
    savePropertyList(list, context)
    return { list: describeList(list), auth_token: list.token, sandbox: true }
  },
})

export const getPropertyList = defineTask({
  name: 'get_property_list',
  title: 'Get a property list',
  description: 'Returns a property list and the properties it resolves to',
  input: Place.extend({
    resolve: z.boolean().default(true).describe('Whether to return the properties'),
    pagination: Pagination.extend({
      max_results: z.number().int().min(1).max(PROPERTIES_MAX).default(PROPERTIES_DEFAULT),
    }).optional(),
  }),
  run({ list_id, account, resolve, pagination: paging }, context) {
    const list = findPropertyList(list_id, account, context)
    const answer = { list: describeList(list), sandbox: true }
    if (!resolve) return answer
    const { identifiers, gaps } = resolveProperties(list)
    const page = cutPage(identifiers, { max_results: PROPERTIES_DEFAULT, ...paging })
    return {
      ...answer,
      identifiers: page.items,
      pagination: page.pagination,
      resolved_at: toIso(context.now),
      cache_valid_until: toIso(context.now + CACHE_HOURS * HOUR),
      ...(Object.keys(gaps).length > 0 && { coverage_gaps: gaps }),
    }
  },
})

export const updatePropertyList = defineTask({
  name: 'update_property_list',
  title: 'Change a property list',
  description: 'Changes the given fields of a property list and keeps the others',
  input: ListContent.partial().extend(Place.shape),
  mutates: true,
  run({ list_id, account, ...rest }, context) {
    const known = findPropertyList(list_id, account, context)
    const content = ListContent.parse({ ...known.content, ...rest })
    const list = { ...known, content, updatedAt: context.now }
    savePropertyList(list, context)
    return { list: describeList(list), sandbox: true }
  },
})

export const listPropertyListsTask = defineTask({
  name: 'list_property_lists',
  title: 'List property lists',
  description: 'Lists the property lists of an account',
  input: z.object({
    account: AccountRef.optional(),
    name_contains: z.string().optional(),
    pagination: Pagination.optional(),
  }),
  run({ account, name_contains = '', pagination: paging }, context) {
    const wanted = name_contains.toLowerCase()
    const found = listPropertyLists(account, context).filter(({ content }) =>
      content.name.toLowerCase().includes(wanted),
    )
    const { items, pagination } = cutPage(found, paging)
    return { lists: items.map(describeList), pagination, sandbox: true }
  },
})

export const deletePropertyList = defineTask({
  name: 'delete_property_list',
  title: 'Delete a property list',
  description: 'Deletes a property list. Sellers can no longer retrieve it',
  input: Place,
  mutates: true,
  run({ list_id, account }, context) {
    findPropertyList(list_id, account, context)
    context.state.remove('property_list', context.tenant, list_id)
    return { deleted: true, list_id, sandbox: true }
  },
})

function describeList(list: PropertyList): Record<string, unknown> {
  const { list_id, content, account, createdAt, updatedAt } = list
  return {
    list_id,
    ...content,
    ...(account && { account }),
    cache_duration_hours: CACHE_HOURS,
    created_at: toIso(createdAt),
    updated_at: toIso(updatedAt),
    property_count: resolveProperties(list).identifiers.length,
  }
}
