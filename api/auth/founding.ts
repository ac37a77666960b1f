import { randomUUID } from 'node:crypto'
import type { Domain } from '../../pipeline/core/domain.ts'
import { isFreeMail } from '../../pipeline/core/free-mail.ts'
import type { Founding } from '../../pipeline/model/organization.ts'
import type { Person } from './user-tokens.ts'

/** Length of an organization name, with room for an appended number. */
const ID_CHARS_MAX = 190

/** Finds the domain of the person's verified address, unless it is a free mail provider. */
export function findCorporateDomain({ emailDomain }: Person): Domain | undefined {
  return emailDomain === undefined || isFreeMail(emailDomain) ? undefined : (emailDomain as Domain)
}

/** Derives the organization that a person founds without naming one: named after their domain, else a workspace. */
export function deriveFounding(person: Person): Founding {
  const email_domain = findCorporateDomain(person)
  const workspace = person.name ? `${person.name}’s Workspace` : 'Personal Workspace'
  return {
    org_id: randomUUID(),
    user_id: person.id,
    name: (email_domain ?? workspace).slice(0, ID_CHARS_MAX),
    is_personal: email_domain === undefined,
    ...(email_domain !== undefined && { email_domain }),
  }
}
