import { z } from 'zod'
import { isModerator } from '../../../pipeline/core/roles.ts'
import { EntryWithdrawn } from '../../../pipeline/model/responses/saves.ts'
import type { RevisionRow } from '../../../pipeline/model/rows.ts'
import { toEditor } from '../../auth/editor.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import { PastedDomain } from '../../inputs/fields.ts'
import { submitIdempotent } from '../../operation/idempotency.ts'
import { defineOperation, type Group, type Operation } from '../../operation/operation.ts'
import { replyOk } from '../../responses/reply.ts'
import { saveErrors } from './saves.ts'

interface Kind {
  id: string
  path: string
  group: Group
  entity: Exclude<RevisionRow['entity'], 'policy'>
  file: string
  what: string
}

function defineWithdrawal({ id, path, group, entity, file, what }: Kind): Operation {
  return defineOperation({
    id,
    method: 'DELETE',
    path,
    group,
    summary: `Stop hosting a domain’s ${file}`,
    description:
      `Withdraws ${what}: the hosted file returns 404, and its revisions are no longer public. ` +
      'A rollback restores it; a save publishes a new one. ' +
      'For organizations that have verified the domain, and for moderators. ' +
      'If the domain serves its own file, the response is 409.',
    access: 'bearer',
    writes: true,
    raw: true,
    quota: 'saves',
    cache: 'none',
    params: z.object({ domain: PastedDomain }),
    query: OrganizationQuery,
    reply: { 200: EntryWithdrawn },
    errors: [...saveErrors.filter(error => error !== 'unsupported_media_type'), 'not_found'],
    handle: async ({ params: { domain }, principal, submissionId, services }) => {
      const { revision_number } = await submitIdempotent(
        services,
        submissionId,
        {
          op: 'entry.rollback',
          revision_id: submissionId,
          editor: toEditor(principal),
          moderates: isModerator(principal.roles),
          entity,
          domain,
          to_revision: 0,
        },
        { domain },
      )
      const message = `The ${file} of ${domain} is no longer hosted here`
      return replyOk({ success: true, message, domain, revision_number })
    },
  })
}

export const withdrawBrand = defineWithdrawal({
  id: 'withdrawBrand',
  path: '/api/brands/:domain/hosted',
  group: 'Brand Discovery',
  entity: 'brand',
  file: 'brand.json',
  what: 'a saved brand',
})

export const withdrawProperties = defineWithdrawal({
  id: 'withdrawProperties',
  path: '/api/properties/hosted/:domain',
  group: 'Property Resolution',
  entity: 'property',
  file: 'adagents.json',
  what: 'a publisher’s saved properties',
})
