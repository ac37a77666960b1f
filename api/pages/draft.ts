import { MINUTE, SECOND } from '../../pipeline/core/clock.ts'
import type { ProposedKind } from '../../pipeline/model/proposed-kind.ts'
import type { Services } from '../operation/services.ts'

/** Page on which a file is reviewed and published. */
export const PUBLISH_PATH = '/dashboard/publish'

const COOKIE = 'registry_draft'
const DRAFT = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\da-f-]{36})(?:;|$)`)

/** Cookie with which a browser forgets its file. */
export const NO_DRAFT = `${COOKIE}=; Path=/dashboard; Max-Age=0; HttpOnly; SameSite=Lax`

/** A file on its way from the workshop to the dashboard. */
export interface Draft {
  kind: ProposedKind
  /** Domain that will serve it, as the person typed it; may be empty. */
  domain: string
  text: string
  /** Name of the brand, once the person has entered it for a brand.json. */
  brandName?: string
  /** True once the person has seen what will be served and asked to publish it: only the proof is missing. */
  isReviewed?: true
}

type DraftServices = Pick<Services, 'drafts' | 'clock' | 'config' | 'baseUrl'>

/**
 * Stores a file for a while and returns the cookie by which only this browser finds it again; undefined while
 * nothing can be stored.
 */
export async function keepDraft(
  draft: Draft,
  caller: string,
  { drafts, clock, config, baseUrl }: DraftServices,
): Promise<string | undefined> {
  const id = await drafts.keep('file', draft, { caller, now: clock.now() })
  if (id === undefined) return undefined
  const seconds = (config.LIMITS.draftMinutes * MINUTE) / SECOND
  const secure = baseUrl().startsWith('https:') ? '; Secure' : ''
  return `${COOKIE}=${id}; Path=/dashboard; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** Finds the file that a browser has brought; undefined without one, or when it is too old. */
export async function findDraft(
  cookies: string | undefined,
  { drafts }: Pick<Services, 'drafts'>,
): Promise<Draft | undefined> {
  const id = DRAFT.exec(cookies ?? '')?.[1]
  const found = id === undefined ? undefined : await drafts.find('file', id)
  return found && (JSON.parse(found.toString()) as Draft)
}
