import { randomUUID } from 'node:crypto'
import type { Domain } from '../../pipeline/core/domain.ts'
import { isFreeMail } from '../../pipeline/core/free-mail.ts'
import type { Founding } from '../../pipeline/model/accounts/organization.ts'
import type { Person } from './user-tokens.ts'

/** Maximum length of an organization’s name; it leaves room for a number that tells equal names apart. */
const NAME_CHARS_MAX = 190

/** Finds the domain of the person's verified address, unless it is a free mail provider. */
export function findCorporateDomain({ emailDomain }: Person): Domain | undefined {
  return emailDomain === undefined || isFreeMail(emailDomain) ? undefined : (emailDomain as Domain)
}

/**
 * Derives the first organization of a person who has none and names none. It is named after the domain of
 * their address, or is a personal workspace.
 */
export function deriveFounding(person: Person): Founding {
  const email_domain = findCorporateDomain(person)
  const workspace = person.name ? `${person.name}’s Workspace` : 'Personal Workspace'
  return {
    org_id: randomUUID(),
    user_id: person.id,
    name: (email_domain ?? workspace).slice(0, NAME_CHARS_MAX),
    is_personal: email_domain === undefined,
    ...(email_domain !== undefined && { email_domain }),
  }
}
